//! The texts for a model. The wording is this crate's own.

use std::collections::BTreeMap;

use crate::{error::Error, values::template::Template};

/// Returns the system prompt: the actions are to think on, or to search a corpus.
pub(super) fn instructions(corpus: Option<bool>) -> String {
    let actions = match corpus {
        None => "<action>continue</action> to take another step, or <action>answer: your answer</action> to finish"
            .to_owned(),
        Some(has_links) => {
            let click = if has_links { "Click[title] to open a page that a page on display links to, " } else { "" };
            format!(
                "<action>…</action> with one of these actions: Search[words] to find pages and put them on display, \
                 Lookup[keyword] for the sentences of the pages on display that have the keyword, {click}or \
                 Finish[your answer] to finish"
            )
        }
    };
    include_str!("texts/instructions.txt").trim_end().replace("{actions}", &actions)
}

/// Returns the first message of the user.
pub(super) fn question(prompt: &str, steps: usize) -> String {
    format!("{prompt}\n\nYou have at most {steps} steps.")
}

/// Returns the message after a step that continues the run.
pub(super) fn next(left: usize) -> String {
    match left {
        1 => "This is your last step: answer now.".to_owned(),
        left => format!("{left} steps are left. Take the next one."),
    }
}

/// Returns the message after an action with a result.
pub(super) fn observation(result: &str, left: usize) -> String {
    format!("Observation: {result}\n\n{}", next(left))
}

/// Returns the message after the last step, if more steps are given.
pub(super) fn more(left: usize) -> String {
    format!("You may go on after all: {left} steps are left. Take the next one.")
}

/// Returns the message after a reply that is requested again.
pub(super) fn again(problem: &str, actions: &str) -> String {
    format!(
        "Your reply could not be used: {problem}. Send this step again, with <think>…</think>, {actions}, \
         <confidence>p</confidence>, where p is a number from 0 to 1, and <explanation>…</explanation>."
    )
}

/// Returns the actions, in a word.
pub(super) const fn actions(corpus: Option<bool>) -> &'static str {
    match corpus {
        None => "<action>continue</action> or <action>answer: your answer</action>",
        Some(_) => "<action>Search[…]</action> or another action",
    }
}

/// The question whether a run's answer is right. It is not part of the run.
pub(super) const IS_IT_RIGHT: &str = "Leave the task for a moment. Is the final answer of this conversation right, or will it \
     be? (A) true (B) false. Reply with one letter, A or B, and nothing else.";

/// The wording of the system prompt. The messages of the user always have this crate's own wording.
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
    /// The name of the file with the published wording. The file has one system prompt of the paper's appendix K, for
    /// StrategyQA or HotpotQA, as printed but without line numbers. The actions that this prompt offers
    /// search a corpus ([`Confidence::with_corpus`](super::Confidence::with_corpus)).
    pub const FILES: &'static [&'static str] = &["system.txt"];

    /// Creates the published wording. `texts` maps the name of the file in [`Self::FILES`] to its content.
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
