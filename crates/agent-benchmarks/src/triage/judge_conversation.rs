use run_logs::{Message, Reply, Role};
use serde_json::json;

use crate::{
    engines::conversation::{Conversation, ModelError},
    error::Error,
    triage::solving::SolveRecord,
    values::request::Request,
};

/// A conversation of one request, which asks a judge whether an answer is right. The judge should reply with exactly
/// `true` or `false`. The record is this verdict; for any other reply, it is the text of the reply, and after a
/// failure, the message of the failure.
///
/// ```
/// use agent_benchmarks::{
///     Checker, Question, Reply, Request, Sampling, converse,
///     triage::{JudgeConversation, SolveConversation},
/// };
///
/// let question = Question::new("q1", "What is 6 times 7?", Checker::Outside);
/// let says = |text: &'static str| {
///     move |_: &Request| Ok(Reply { text: text.to_owned(), ..Reply::default() })
/// };
/// let solving = SolveConversation::new(&question, Sampling::default());
/// let record = converse(solving, says("<answer>42</answer>"))?;
/// assert_eq!(converse(JudgeConversation::new(&record), says("true"))?, Ok(true));
/// assert_eq!(converse(JudgeConversation::new(&record), says("perhaps"))?, Err("perhaps".to_owned()));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Debug)]
pub struct JudgeConversation {
    request: Option<Request>,
    solved: Result<bool, String>,
}

impl JudgeConversation {
    /// Creates the conversation about an attempt. The text of its request is a JSON object with `id`, `answer` and
    /// `reply`.
    #[must_use]
    pub fn new(record: &SolveRecord) -> Self {
        let mut replies = record.record.run.turns.iter().filter_map(|turn| turn.reply.as_ref());
        let reply = replies.next().map(|reply| reply.text.as_str());
        let line = json!({"id": record.record.run.id, "answer": record.answer, "reply": reply});
        let request = Request::new(vec![Message::new(Role::User, line.to_string())]);
        Self { request: Some(request), solved: Err(String::new()) }
    }
}

impl Conversation for JudgeConversation {
    type Record = Result<bool, String>;

    fn request(&self) -> Option<&Request> {
        self.request.as_ref()
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        self.request.take().ok_or(Error::Ended)?;
        self.solved = reply.text.parse().map_err(|_| reply.text);
        Ok(())
    }

    fn fail(&mut self, error: &ModelError) {
        self.request = None;
        self.solved = Err(error.message.clone());
    }

    fn finish(self) -> Result<bool, String> {
        self.solved
    }
}
