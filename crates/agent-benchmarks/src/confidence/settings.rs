use std::sync::Arc;

use run_logs::{ConfidenceField, MissingValue, Reply};
use scoring_rules::checks::setting;

use crate::{
    confidence::{corpus::Corpus, texts::Prompts},
    error::Error,
    values::{checker::element, macros::setters, question::Question, request::Sampling},
};

/// The settings of the confidence benchmark: the limit on steps, the sampling, and the prompts. A model answers a
/// question in steps and states its confidence at each step.
///
/// ```
/// use agent_benchmarks::{Checker, Question, Reply, Request, converse};
/// use agent_benchmarks::confidence::{Confidence, ConfidenceStream};
///
/// let checker = Checker::YesNo { answer: true };
/// let question = Question::new("q1", "Is ice lighter than water?", checker);
/// let mut steps = [("continue", "0.6"), ("answer: yes", "0.9")].into_iter();
/// let model = |_: &Request| {
///     let (action, confidence) = steps.next().unwrap_or_default();
///     let text = format!(
///         "<thought>Ice floats.</thought><action>{action}</action><confidence>{confidence}</confidence>"
///     );
///     Ok(Reply { text, ..Reply::default() })
/// };
/// let instance = Confidence::new(4)?.instance(&question);
/// let record = converse(instance.conversation(), model)?;
/// assert_eq!(record.record.run.outcome, Some(true));
/// let stated = record.forecasts(ConfidenceStream::StatedConfidence)?.expect("each step has one");
/// assert_eq!(stated.iter().map(|it| it.get()).collect::<Vec<_>>(), [0.6, 0.9]);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Confidence {
    pub(super) step_limit: usize,
    pub(super) patience: usize,
    pub(super) sampling: Sampling,
    pub(super) top_logprobs: Option<u8>,
    pub(super) prompts: Prompts,
    pub(super) needs_explanation: bool,
    pub(super) clips: bool,
    pub(super) corpus: Option<Arc<Corpus>>,
    /// The number of pages that a search shows.
    pub(super) results: usize,
    /// The maximum number of characters of a result.
    pub(super) result_length: usize,
}

/// A data set of the paper that can be used without a simulated user or a simulated shop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// StrategyQA, with 16 steps and 3 pages per search.
    StrategyQa,
    /// HotpotQA, with 7 steps and 5 pages per search.
    HotpotQa,
}

/// A question with the benchmark settings. Made by [`Confidence::instance`].
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    pub(super) settings: Confidence,
    pub(super) question: Question,
}

impl Confidence {
    /// Creates settings with at most `step_limit` steps (the paper has 16 for StrategyQA and 7 for HotpotQA),
    /// temperature 0, log-probabilities of the five most probable tokens, and at most two repeated requests per step. A
    /// run therefore ends after three consecutive replies that lack a readable action or lack a confidence from 0 to 1.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a limit of 0.
    pub fn new(step_limit: usize) -> Result<Self, Error> {
        let sampling = Sampling { temperature: Some(0.0), ..Sampling::default() };
        let own = Self::published(Dataset::HotpotQa).with_clipping(false);
        own.with_sampling(sampling).with_step_limit(step_limit)
    }

    /// Creates the settings of the paper for one of its data sets. The limits and the sampling come from its tables 15
    /// and 16: temperature 0.2, 64,000 tokens and seed 42. A confidence outside [0, 1] is clipped (appendix F). The
    /// paper's harness searches a corpus; [`Self::with_corpus`] adds one.
    ///
    /// ```
    /// use agent_benchmarks::confidence::{Confidence, Dataset};
    ///
    /// let hotpot = Confidence::published(Dataset::HotpotQa);
    /// assert_eq!(hotpot.sampling().temperature, Some(0.2));
    /// assert_eq!(hotpot.step_limit(), 7);
    /// ```
    #[must_use]
    pub fn published(dataset: Dataset) -> Self {
        let (step_limit, results) = match dataset {
            Dataset::StrategyQa => (16, 3),
            Dataset::HotpotQa => (7, 5),
        };
        Self {
            step_limit,
            patience: 3,
            sampling: Sampling {
                temperature: Some(0.2),
                top_p: Some(1.0),
                max_output_tokens: Some(64_000),
                seed: Some(42),
                ..Sampling::default()
            },
            top_logprobs: Some(5),
            prompts: Prompts::default(),
            needs_explanation: false,
            clips: true,
            corpus: None,
            results,
            result_length: 420,
        }
    }

    /// Sets the maximum number of steps.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for 0.
    pub fn with_step_limit(mut self, steps: usize) -> Result<Self, Error> {
        setting("step limit", steps as f64, steps > 0, "at least 1")?;
        self.step_limit = steps;
        Ok(self)
    }

    /// Returns the maximum number of steps.
    #[must_use]
    pub const fn step_limit(&self) -> usize {
        self.step_limit
    }

    /// Returns the sampling.
    #[must_use]
    pub const fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Gives the model pages to search. Its actions are then `Search[words]`, `Lookup[keyword]`, `Click[title]` and
    /// `Finish[answer]`, instead of `continue` and `answer: …`. Each action except the last is answered with its result.
    ///
    /// ```
    /// use agent_benchmarks::{Checker, Conversation, Question, Reply};
    /// use agent_benchmarks::confidence::{Confidence, Corpus, Dataset};
    ///
    /// let corpus = Corpus::read(r#"{"title": "Aare", "text": "A river. It flows through Bern."}"#)?;
    /// let setting = Confidence::published(Dataset::HotpotQa).with_corpus(corpus);
    /// let question = Question::new("q", "Which river?", Checker::Exact { answer: "Aare".to_owned() });
    /// let instance = setting.instance(&question);
    /// let mut conversation = instance.conversation();
    /// let text = "<action>Search[river in Bern]</action><confidence>0.6</confidence>";
    /// conversation.reply(Reply { text: text.to_owned(), ..Reply::default() })?;
    /// let shown = &conversation.request().unwrap().messages[3].text;
    /// assert!(shown.starts_with("Observation: [Aare] A river. It flows through Bern."));
    /// # Ok::<(), agent_benchmarks::Error>(())
    /// ```
    #[must_use]
    pub fn with_corpus(mut self, corpus: Corpus) -> Self {
        self.corpus = Some(Arc::new(corpus));
        self
    }

    /// Sets the number of pages that a search shows (3 or 5 in the paper), and the number of characters that are shown
    /// of each page and of each lookup (420 in the paper).
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for 0.
    pub fn with_results(mut self, pages: usize, characters: usize) -> Result<Self, Error> {
        setting("pages of a search", pages as f64, pages > 0, "at least 1")?;
        setting("characters of a result", characters as f64, characters > 0, "at least 1")?;
        (self.results, self.result_length) = (pages, characters);
        Ok(self)
    }

    /// Returns the reason why a reply cannot be used; `None` if the action, the confidence and a required explanation
    /// are readable.
    ///
    /// ```
    /// use agent_benchmarks::{Reply, confidence::Confidence};
    ///
    /// let setting = Confidence::new(3)?;
    /// let mut reply = Reply { text: "<action>answer: yes</action>".to_owned(), ..Reply::default() };
    /// assert_eq!(setting.problem_in(&reply).as_deref(), Some("the reply states no confidence"));
    /// reply.text.push_str("<confidence>0.9</confidence>");
    /// assert_eq!(setting.problem_in(&reply), None);
    /// # Ok::<(), agent_benchmarks::Error>(())
    /// ```
    #[must_use]
    pub fn problem_in(&self, reply: &Reply) -> Option<String> {
        self.read_step(reply).err()
    }

    /// Returns the action of a reply that also has a readable confidence; `Err` is the problem.
    pub(super) fn read_step(&self, reply: &Reply) -> Result<Action, String> {
        let action = element(&reply.text, "action")?;
        // Actions on pages have brackets.
        let is_bracketed = self.corpus.is_some();
        let action = if is_bracketed { bracketed_action(action)? } else { plain_action(action)? };
        match ConfidenceField::default().value(reply) {
            Err(MissingValue::ConfidenceOutOfRange { .. }) if self.clips => {}
            stated => drop(stated.map_err(|problem| problem.to_string())?),
        }
        if self.needs_explanation && element(&reply.text, "explanation")?.is_empty() {
            return Err("the explanation is empty".to_owned());
        }
        Ok(action)
    }

    /// Returns whether there are pages, and whether any of them links to another.
    pub(super) fn pages(&self) -> Option<bool> {
        self.corpus.as_ref().map(|corpus| corpus.has_links())
    }

    /// Ends the conversation after this number of consecutive replies without a readable action or confidence. A
    /// request is repeated at most `replies - 1` times.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for 0.
    pub fn with_patience(mut self, replies: usize) -> Result<Self, Error> {
        setting("patience", replies as f64, replies > 0, "at least 1")?;
        self.patience = replies;
        Ok(self)
    }

    /// Creates the instance of a question under these settings.
    #[must_use]
    pub fn instance(&self, question: &Question) -> Instance {
        Instance { settings: self.clone(), question: question.clone() }
    }

    setters! {
        /// Sets the wording of the system prompt.
        with_prompts(prompts: Prompts);

        /// Sets whether a reply without an `<explanation>` is requested again, like a reply without a confidence. The prompt
        /// always asks for an explanation. The paper does not say whether its harness repairs a missing one, so that this is off
        /// by default.
        with_explanation(needs_explanation: bool);

        /// Sets whether a stated confidence outside [0, 1] is clipped to the nearer bound, as in the paper. Otherwise the request
        /// is repeated, as for a reply without a confidence, because 95 does not mean certainty.
        with_clipping(clips: bool);

        /// Sets the sampling.
        with_sampling(sampling: Sampling);

        /// Sets the number of most probable tokens whose log-probabilities are requested at each position; `None`
        /// requests no log-probabilities.
        with_top_logprobs(top_logprobs: Option<u8>);
    }
}

impl Instance {
    /// Returns the benchmark settings.
    #[must_use]
    pub const fn settings(&self) -> &Confidence {
        &self.settings
    }

    /// Returns the question.
    #[must_use]
    pub const fn question(&self) -> &Question {
        &self.question
    }
}

/// The action of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Continue,
    Answer(String),
    Search(String),
    Lookup(String),
    Click(String),
}

/// Returns an action of a setting without a corpus.
fn plain_action(action: &str) -> Result<Action, String> {
    let bare = action.trim_end_matches('.');
    if bare.eq_ignore_ascii_case("continue") {
        return Ok(Action::Continue);
    }
    const ANSWER: &str = "answer";
    let head = action.get(..ANSWER.len()).filter(|head| head.eq_ignore_ascii_case(ANSWER));
    let rest = head.map_or("", |_| &action[ANSWER.len()..]);
    match rest.strip_prefix([':', ' ']).map(|answer| answer.trim_start_matches([':', ' ']).trim()) {
        Some(answer) if !answer.is_empty() => Ok(Action::Answer(answer.to_owned())),
        _ => Err("the action is neither `continue` nor `answer: …`".to_owned()),
    }
}

/// Returns an action of a setting with a corpus, such as `Search[words]`.
fn bracketed_action(action: &str) -> Result<Action, String> {
    let inside = action.trim_end_matches('.').strip_suffix(']');
    let parts = inside.and_then(|inside| inside.split_once('['));
    let (name, text) = parts.map_or((action, ""), |(name, text)| (name.trim(), text.trim()));
    let make = match name {
        "Search" => Action::Search,
        "Lookup" => Action::Lookup,
        "Click" => Action::Click,
        "Finish" => Action::Answer,
        _ => {
            return Err(
                "the action is none of Search[…], Lookup[…], Click[…] and Finish[…]".to_owned()
            );
        }
    };
    match text {
        "" => Err(format!("{name} needs a text in brackets")),
        text => Ok(make(text.to_owned())),
    }
}
