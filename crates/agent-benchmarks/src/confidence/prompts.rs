use std::collections::BTreeMap;

use crate::{error::Error, values::template::Template};

/// The wording of the system prompt; the messages of the user are always this crate's own.
///
/// ```
/// use std::collections::BTreeMap;
/// use agent_benchmarks::confidence::{Confidence, Prompts};
///
/// let texts = BTreeMap::from([(Prompts::FILES[0], "Answer in steps.".to_owned())]);
/// let setting = Confidence::new(7)?.with_prompts(Prompts::published(&texts)?);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompts {
    /// The system prompt; `None` for this crate's own, which names the possible actions.
    pub(super) system: Option<Template>,
}

impl Prompts {
    /// The file of the published wording. The paper prints its system prompts in appendix K; the text of one of them,
    /// StrategyQA or HotpotQA, goes into this file as it is printed, without line numbers. Its actions need a corpus
    /// ([`Confidence::with_corpus`](super::Confidence::with_corpus)).
    pub const FILES: &'static [&'static str] = &["system.txt"];

    /// Creates the published wording from its texts, by the name of their file.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a text with a place to fill in, such as the texts of Tau2-Bench and WebShop, and
    /// [`scoring_rules::Error::Empty`] without the text of [`Self::FILES`].
    pub fn published(texts: &BTreeMap<&'static str, String>) -> Result<Self, Error> {
        let system = texts.get(Self::FILES[0]).ok_or(scoring_rules::Error::Empty)?;
        Ok(Self { system: Some(Template::new(system.as_str(), &[])?) })
    }
}
