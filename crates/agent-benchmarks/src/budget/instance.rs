use budget_estimation::{
    AnswerMode, Estimate, Prefix, Resource, Rollout, Rollouts, Sample, joint_hits, parse_answer,
    parse_answers,
};
use censoring::StopReason;
use run_logs::{Reply, Run};
use trajectory_metrics::tool_calls::Value;

use crate::{
    budget::{settings::Budget, texts},
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    values::{
        record::{Record, ReplyEvent},
        request::Request,
    },
};

/// A finished run and the questions about it. Made by [`Budget::instance`].
#[derive(Clone, Debug)]
pub struct Instance<'a> {
    pub(super) settings: Budget,
    pub(super) rollout: Rollout<'a>,
    pub(super) resources: Vec<Resource>,
    pub(super) prefixes: Vec<Prefix<'a>>,
    /// The numbers of completed turns at the prefixes without a question.
    pub(super) left_out: Vec<usize>,
}

impl Budget {
    /// Creates the questions about the prefixes of one run, under these settings.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] for an unknown rollout or resource, and for an unknown cost of a requested resource or an
    /// unknown cost that decides whether the run is feasible.
    pub fn instance<'a>(
        &self,
        rollouts: &'a Rollouts,
        rollout: usize,
    ) -> Result<Instance<'a>, Error> {
        let rollout = rollouts.get(rollout)?;
        let names = self.resources.iter().map(|(name, _)| rollouts.resource(name));
        let resources: Vec<Resource> = names.collect::<Result<_, _>>()?;
        let mut prefixes = Vec::new();
        for (place, resource) in resources.iter().enumerate() {
            let found: Vec<_> = rollout.replay(*resource)?.collect();
            if !found.is_empty() {
                // Every later sample differs from this one only in numbers, which are known, too.
                Sample::new(&rollout, *resource, 1, Estimate::NoAnswer)?;
            }
            if place == 0 {
                prefixes = found;
            }
        }
        let mut left_out = Vec::new();
        if let Some((balance, _)) = &self.cash {
            prefixes.retain(|prefix| {
                let is_known = prefix.feature(prefix.turns(), balance).is_some();
                left_out.extend((!is_known).then(|| prefix.turns()));
                is_known
            });
        }
        Ok(Instance { settings: self.clone(), rollout, resources, prefixes, left_out })
    }
}

impl<'a> Instance<'a> {
    /// Returns the benchmark settings.
    #[must_use]
    pub const fn settings(&self) -> &Budget {
        &self.settings
    }

    /// Returns the run.
    #[must_use]
    pub const fn rollout(&self) -> &Rollout<'a> {
        &self.rollout
    }

    /// Returns the number of requests: one after each turn except the last. With [`Budget::with_cash`], there is no
    /// request after a turn if the balance is then unknown.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.prefixes.len()
    }
}

/// The result of a [`BudgetConversation`], with the estimates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BudgetRecord {
    /// The conversation, and the problems of its replies. Its id is the id of the run, or the position of the run if the run has
    /// no id.
    pub record: Record,
    /// The names of the resources.
    pub resources: Vec<String>,
    /// The prefixes without a question, each given by its number of completed turns; see
    /// [`Budget::with_cash`](crate::budget::Budget::with_cash).
    pub left_out: Vec<usize>,
    /// The samples of each resource, one per answered request, by number of turns.
    samples: Vec<Vec<Sample>>,
}

impl BudgetRecord {
    /// Returns the estimates for the resource at this position in [`Self::resources`]; empty beyond the last resource.
    #[must_use]
    pub fn samples(&self, resource: usize) -> &[Sample] {
        self.samples.get(resource).map_or(&[], Vec::as_slice)
    }

    /// Returns for each feasible prefix whether the intervals of all resources contain the true amount; see
    /// [`joint_hits`].
    ///
    /// # Errors
    ///
    /// The errors of [`joint_hits`].
    pub fn joint_hits(&self) -> Result<Vec<bool>, Error> {
        let samples: Vec<&[Sample]> = self.samples.iter().map(Vec::as_slice).collect();
        Ok(joint_hits(&samples)?)
    }
}

/// A conversation that asks for estimates at each prefix of a run, the shortest prefix first. Made by
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
        let position = || self.rollout.index().to_string();
        let mut run = Run::new(self.rollout.id().map_or_else(position, str::to_owned));
        run.task = self.rollout.key("task").map(str::to_owned);
        let mut conversation = BudgetConversation {
            instance: self,
            dialogue: Dialogue::new(run, Request::default()),
            samples: vec![Vec::new(); self.resources.len()],
        };
        conversation.ask_next();
        conversation
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
        let Self { instance, dialogue, samples } = self;
        let names = instance.settings.resources.iter().map(|(name, _)| name.clone());
        let resources: Vec<String> = names.collect();
        let list: Vec<Value> = resources.iter().map(|name| name.as_str().into()).collect();
        let mut record = dialogue.finish();
        record.keep("benchmark", "budget");
        record.keep("resources", list);
        BudgetRecord { record, resources, left_out: instance.left_out.clone(), samples }
    }
}
