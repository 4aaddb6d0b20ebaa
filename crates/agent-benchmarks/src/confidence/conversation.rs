use censoring::StopReason;
use run_logs::{Message, Reply, Role, Run};

use crate::{
    confidence::{
        outcome::ConfidenceRecord,
        settings::Instance,
        step::{Action, read_step},
        texts,
    },
    engines::{
        conversation::{Conversation, replay},
        dialogue::Dialogue,
        model::ModelError,
    },
    error::Error,
    values::{reply_event::ReplyEvent, request::Request},
};

/// A conversation in which a model answers a question in steps. Made by [`Instance::conversation`].
///
/// - A reply without a readable action or without a readable confidence is no step: it is asked for
///   again, its turn is a [`Caller::FailedAttempt`](run_logs::Caller::FailedAttempt), and no stream has a
///   value of it. After a number of such replies in a row, by default three
///   ([`Confidence::with_patience`](super::Confidence::with_patience)), the run ends as
///   [`StopReason::ParseError`].
/// - A run that reaches the limit of steps without an answer ends as [`StopReason::MaxSteps`] and has
///   no outcome.
#[derive(Clone, Debug)]
pub struct ConfidenceConversation<'a> {
    instance: &'a Instance,
    dialogue: Dialogue,
    steps: usize,
    idle: usize,
    answer: Option<String>,
}

impl Instance {
    /// A conversation about the question.
    #[must_use]
    pub fn conversation(&self) -> ConfidenceConversation<'_> {
        let (settings, question) = (&self.settings, &self.question);
        let request = Request {
            sampling: settings.sampling.clone(),
            top_logprobs: settings.top_logprobs,
            ..Request::new(vec![
                Message::new(Role::System, texts::INSTRUCTIONS),
                Message::new(Role::User, texts::question(&question.prompt(), settings.step_limit)),
            ])
        };
        let mut run = Run::new(question.id.clone());
        run.task = Some(question.id.clone());
        run.horizon = Some(settings.step_limit as u64);
        let dialogue = Dialogue::new(run, request);
        ConfidenceConversation { instance: self, dialogue, steps: 0, idle: 0, answer: None }
    }

    /// Repeats the conversation of a record, for example of one that was read from a log: the same
    /// replies lead to the same record.
    ///
    /// # Errors
    ///
    /// [`Error::StoredValue`] if the run is not about this question, and [`Error::Ended`] if it has more
    /// replies than the conversation takes.
    pub fn replay(&self, run: &Run) -> Result<ConfidenceRecord, Error> {
        replay(self.conversation(), &self.question.id, run)
    }
}

impl Conversation for ConfidenceConversation<'_> {
    type Record = ConfidenceRecord;

    fn request(&self) -> Option<&Request> {
        self.dialogue.request()
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let read = read_step(&reply);
        self.dialogue.take(reply)?;
        let limit = self.instance.settings.step_limit;
        match read {
            Err(problem) => {
                self.idle += 1;
                self.dialogue.discard_reply();
                self.dialogue.note(ReplyEvent::Unreadable { problem: problem.clone() });
                if self.idle >= self.instance.settings.patience {
                    self.dialogue.end(StopReason::ParseError);
                } else {
                    self.dialogue.say(Role::User, texts::again(&problem));
                }
            }
            Ok(Action::Answer(answer)) => {
                self.answer = Some(answer);
                self.dialogue.end(StopReason::Completed);
            }
            Ok(Action::Continue) => {
                self.idle = 0;
                self.steps += 1;
                match limit - self.steps {
                    0 => self.dialogue.end_at_limit("steps", limit, "no answer in the last step"),
                    left => self.dialogue.say(Role::User, texts::next(left)),
                }
            }
        }
        Ok(())
    }

    fn fail(&mut self, error: &ModelError) {
        self.dialogue.fail(error);
    }

    fn finish(self) -> ConfidenceRecord {
        ConfidenceRecord::new(self.instance, self.dialogue.finish(), self.answer)
    }
}
