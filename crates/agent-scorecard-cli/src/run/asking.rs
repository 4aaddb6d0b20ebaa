//! What a benchmark asks, and whom.

use std::{error::Error, fs, path::Path, sync::Mutex};

use agent_benchmarks::{
    Checker, Conversation, Question, Record, Request,
    client::{AskError, Journal, run_all},
    read_questions,
};
use agent_scorecard::Report;

use crate::{
    progress::Progress,
    run::{common::Common, expected::Expected},
};

/// A benchmark as `run` drives it: its options know what is asked and how the records are reported.
pub(crate) trait Protocol {
    const NAME: &'static str;
    /// The form of a reply, in words.
    const FORM: &'static str;

    fn common(&self) -> &Common;

    /// What determines the requests besides the model and the length of replies, in words, for the journal.
    fn setting(&self) -> String;

    /// What would be asked. Wrong settings and files are found here, before anything is written.
    fn expect(&self, expected: &mut Expected<'_>) -> Result<(), Box<dyn Error>>;

    /// Asks, and reports.
    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>>;
}

/// The records of a benchmark and the report on them.
pub(crate) type Finished = (Vec<Record>, Report);

/// Whom is asked, and where answers are kept.
pub(crate) struct Asking<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) at_a_time: usize,
    pub(crate) ask: &'a (dyn Fn(&Request) -> Result<Vec<u8>, AskError> + Sync),
}

impl Asking<'_> {
    /// The records of conversations, with a bar.
    pub(crate) fn run<'b, T: Sync, C: Conversation>(
        &self,
        what: &str,
        conversations: &'b [(String, T)],
        start: impl Fn(&'b T) -> C + Sync,
    ) -> Result<Vec<C::Record>, agent_benchmarks::Error>
    where
        C::Record: Send,
    {
        let progress = Mutex::new(Progress::steps(what, conversations.len()));
        let finished = |_, _: &C::Record| {
            if let Ok(mut progress) = progress.lock() {
                progress.add(1);
            }
        };
        run_all(self.journal, conversations, start, self.ask, self.at_a_time, finished)
    }
}

/// The questions of a file, all of which have an answer.
pub(crate) fn questions(path: &Path) -> Result<Vec<Question>, Box<dyn Error>> {
    let questions = read(path)?;
    if let Some(open) = questions.iter().find(|it| it.checker == Checker::Outside) {
        return Err(format!("{}: question {:?} has no answer", path.display(), open.id).into());
    }
    Ok(questions)
}

/// The questions of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Question>, Box<dyn Error>> {
    let at = |problem: String| format!("{}: {problem}", path.display());
    let text = fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
    let questions = read_questions(&text).map_err(|error| at(error.to_string()))?;
    if questions.is_empty() {
        return Err(at("holds no question".to_owned()).into());
    }
    Ok(questions)
}

/// What the help of a benchmark says of a file of questions.
pub(crate) const QUESTIONS: &str = r#"
A FILE of questions has JSON Lines, for example
  {"id": "q1", "question": "What is 7 * 8?", "answer": 56}
  {"id": "q2", "question": "Is 91 prime?", "answer": false}
  {"id": "q3", "question": "Which is a fruit?", "options": ["oak", "plum"], "answer": "B"}
  {"id": "q4", "question": "Name the capital of France.", "answer": "Paris"}
"#;
