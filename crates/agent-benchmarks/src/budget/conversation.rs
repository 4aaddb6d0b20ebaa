use budget_estimation::{AnswerMode, Estimate, Sample, parse_answer, parse_answers};
use censoring::StopReason;
use run_logs::{Reply, Run};

use crate::{
    budget::{instance::Instance, outcome::BudgetRecord, texts},
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    values::{reply_event::ReplyEvent, request::Request},
};

/// A conversation that asks about each prefix of a run, the shortest first. Made by
/// [`Instance::conversation`].
///
/// Each request is independent: it has neither earlier answers nor anything that happened later in the run. A run of one turn has
/// no prefix, and its conversation no request.
#[derive(Clone, Debug)]
pub struct BudgetConversation<'a> {
    instance: &'a Instance<'a>,
    dialogue: Dialogue,
    /// The samples of each resource, one per answered request.
    samples: Vec<Vec<Sample>>,
}

impl Instance<'_> {
    /// Returns a conversation about the run.
    #[must_use]
    pub fn conversation(&self) -> BudgetConversation<'_> {
        let mut run = Run::new(self.run_name());
        run.task = self.rollout.task().map(str::to_owned);
        let mut conversation = BudgetConversation {
            instance: self,
            dialogue: Dialogue::new(run, Request::default()),
            samples: vec![Vec::new(); self.resources.len()],
        };
        conversation.ask_next();
        conversation
    }
}

impl Instance<'_> {
    /// Returns the id of the rollout, or its position if it has no id.
    fn run_name(&self) -> String {
        self.rollout.id().map_or_else(|| self.rollout.index().to_string(), str::to_owned)
    }
}

impl BudgetConversation<'_> {
    fn ask_next(&mut self) {
        let Instance { settings, prefixes, .. } = self.instance;
        let Some(prefix) = prefixes.get(self.samples[0].len()) else {
            return self.dialogue.end(StopReason::Completed);
        };
        *self.dialogue.request_mut() = Request {
            sampling: settings.sampling.clone(),
            ..Request::new(texts::messages(settings, prefix))
        };
    }
}

/// Reads one estimate per resource. Unreadable parts are noted.
pub(crate) fn estimates<'a>(
    text: &str,
    names: impl Iterator<Item = &'a str>,
    mode: AnswerMode,
    dialogue: &mut Dialogue,
) -> Vec<Estimate> {
    let names: Vec<&str> = names.collect();
    let read = match names.len() {
        1 => parse_answer(text, mode).map(|estimate| vec![estimate]),
        _ => parse_answers(text, &names, mode),
    };
    read.unwrap_or_else(|problem| {
        dialogue.note(ReplyEvent::Unreadable { problem: problem.to_string() });
        vec![Estimate::NoAnswer; names.len()]
    })
}

impl Conversation for BudgetConversation<'_> {
    type Record = BudgetRecord;

    through_dialogue!(|it| it.dialogue.problem());

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let text = reply.text.clone();
        self.dialogue.take(reply)?;
        let Instance { settings, rollout, resources, prefixes, .. } = self.instance;
        let names = settings.resources.iter().map(|(name, _)| name.as_str());
        let estimates = estimates(&text, names, settings.mode, &mut self.dialogue);
        let turn = prefixes.get(self.samples[0].len()).map_or(0, |prefix| prefix.turns());
        for ((samples, resource), estimate) in self.samples.iter_mut().zip(resources).zip(estimates)
        {
            samples.push(Sample::new(rollout, *resource, turn, estimate)?);
        }
        self.ask_next();
        Ok(())
    }

    fn finish(self) -> BudgetRecord {
        BudgetRecord::new(self.instance, self.dialogue.finish(), self.samples)
    }
}
