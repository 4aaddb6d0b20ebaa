//! Sends the requests of a benchmark to a server.

use std::{
    error::Error,
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use agent_benchmarks::{
    Checker, Conversation, Question, Record, Request,
    client::{AskError, ExpectedRequests, Journal, run_all},
    read_questions,
};
use agent_scorecard::Report;

use crate::{files::bundled::text, output::program::Interrupted, progress, run::common::Common};

/// A benchmark as `run` drives it. Its options determine the requests and the report on the records.
pub(crate) trait Protocol {
    const NAME: &'static str;
    /// The form of a reply, in words.
    const FORM: &'static str;

    fn common(&self) -> &Common;

    /// Describes, for the journal, everything that determines the requests, except for the model and the length of replies.
    fn setting(&self) -> String;

    /// Returns the requests. Wrong settings and files are found here, before anything is written.
    fn expect(&self, expected: &mut ExpectedRequests<'_>) -> Result<(), Box<dyn Error>>;

    /// Sends the requests, and returns the records and the report.
    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>>;
}

/// The records of a benchmark and the report on them.
pub(crate) type Finished = (Vec<Record>, Report);

/// The connection to the model, and the journal of its answers.
pub(crate) struct Asking<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) at_a_time: usize,
    pub(crate) ask: &'a (dyn Fn(&Request) -> Result<Vec<u8>, AskError> + Sync),
    /// The flag of interrupts. During requests, the first interrupt sets it instead of ending the program.
    pub(crate) is_interrupted: &'a AtomicBool,
}

impl Asking<'_> {
    /// Returns the records of conversations, and shows a bar. After an interrupt, no further requests are sent; replies
    /// to open requests are awaited.
    pub(crate) fn run<'b, T: Sync, C: Conversation>(
        &self,
        what: &str,
        conversations: &'b [(String, T)],
        start: impl Fn(&'b T) -> C + Sync,
    ) -> Result<Vec<C::Record>, Box<dyn Error>>
    where
        C::Record: Send,
    {
        let progress = progress::steps(what, conversations.len());
        let done = AtomicUsize::new(0);
        let finished = |_, _: &C::Record| {
            done.fetch_add(1, Ordering::Relaxed);
            progress.inc(1);
        };
        let stop = || AskError::Stop("interrupted".to_owned());
        let is_interrupted = || self.is_interrupted.load(Ordering::Relaxed);
        let ask = |request: &Request| {
            if is_interrupted() {
                return Err(stop());
            }
            // What a program that was interrupted as well replies is no answer.
            (self.ask)(request).map_err(|error| if is_interrupted() { stop() } else { error })
        };
        self.is_interrupted.store(false, Ordering::Relaxed);
        let records = run_all(self.journal, conversations, start, ask, self.at_a_time, finished);
        let is_interrupted = self.is_interrupted.swap(true, Ordering::Relaxed);
        if is_interrupted && matches!(records, Ok(_) | Err(agent_benchmarks::Error::Stopped { .. }))
        {
            let [done, all] = [done.into_inner(), conversations.len()];
            let answers = self.journal.answers();
            return Err(Box::new(Interrupted(format!(
                "{what}: {done} of {all} are done; {answers} answers are kept, and the same command continues from here"
            ))));
        }
        Ok(records?)
    }
}

/// Returns the questions of a file. All of them have an answer.
pub(crate) fn questions(path: &Path) -> Result<Vec<Question>, Box<dyn Error>> {
    let questions = read(path)?;
    if let Some(open) = questions.iter().find(|it| it.checker == Checker::Outside) {
        return Err(format!("{}: question {:?} has no answer", path.display(), open.id).into());
    }
    Ok(questions)
}

/// Returns the questions of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Question>, Box<dyn Error>> {
    let at = |problem: String| format!("{}: {problem}", path.display());
    let questions = read_questions(&text(path)?).map_err(|error| at(error.to_string()))?;
    if questions.is_empty() {
        return Err(at("holds no question".to_owned()).into());
    }
    Ok(questions)
}
