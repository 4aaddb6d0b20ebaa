use censoring::StopReason;
use run_logs::{Message, Reply, Role, Run};

use crate::{
    engines::{conversation::Conversation, dialogue::Dialogue, model::ModelError},
    error::Error,
    questions::Question,
    triage::{settings::Triage, texts},
    values::{answer::answer_in, record::Record, reply_event::ReplyEvent, request::Request},
};

/// A conversation of one request, in which a model solves a question alone. Made by
/// [`Triage::baseline`].
///
/// Reference: TRIAGE, section 4, phase 0.
#[derive(Clone, Debug)]
pub struct SolvingConversation {
    question: Question,
    dialogue: Dialogue,
    answer: Option<String>,
    is_right: bool,
}

/// The record of a [`SolvingConversation`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolvingRecord {
    /// The run and what was wrong with its reply.
    pub record: Record,
    /// The text between the answer tags.
    pub answer: Option<String>,
    /// Whether it is right.
    pub is_right: bool,
    /// The number of tokens of the reply, if the provider counts them.
    pub output_tokens: Option<u64>,
}

impl SolvingConversation {
    pub(super) fn new(settings: &Triage, question: &Question) -> Self {
        let request = Request {
            messages: vec![
                Message::new(Role::System, texts::solving(&question.checker)),
                Message::new(Role::User, question.block()),
            ],
            sampling: settings.sampling.clone(),
            top_logprobs: settings.top_logprobs,
            ..Request::default()
        };
        let mut run = Run::new(question.id.clone());
        run.task = Some(question.id.clone());
        run.metadata.insert("benchmark".to_owned(), "triage_baseline".into());
        let dialogue = Dialogue::new(run, request);
        Self { question: question.clone(), dialogue, answer: None, is_right: false }
    }
}

impl Conversation for SolvingConversation {
    type Record = SolvingRecord;

    fn request(&self) -> Option<&Request> {
        self.dialogue.request()
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let text = reply.text.clone();
        self.dialogue.take(reply)?;
        self.answer = noted_answer(&mut self.dialogue, &text).map(str::to_owned);
        let checker = &self.question.checker;
        self.is_right = self.answer.as_deref().is_some_and(|answer| checker.is_right(answer));
        self.dialogue.end(StopReason::Completed);
        Ok(())
    }

    fn fail(&mut self, error: &ModelError) {
        self.dialogue.fail(error);
    }

    fn finish(self) -> SolvingRecord {
        let mut record = self.dialogue.finish();
        let output_tokens = record.run.usage.output_tokens;
        if record.run.error.is_none() && record.run.stop.is_some() {
            record.run.outcome = Some(self.is_right);
        }
        SolvingRecord { record, answer: self.answer, is_right: self.is_right, output_tokens }
    }
}

/// The answer in a reply; that there is none becomes an event.
pub(super) fn noted_answer<'a>(dialogue: &mut Dialogue, text: &'a str) -> Option<&'a str> {
    let problem = match answer_in(text) {
        Ok(Some(answer)) => return Some(answer),
        Ok(None) => "there is no <answer>…</answer>",
        Err(problem) => problem,
    };
    dialogue.note(ReplyEvent::Unreadable { problem: problem.to_owned() });
    None
}
