use censoring::{Continuations, StopClass, StopReason};
use run_logs::{Reply, Run};
use trajectory_metrics::random::fnv1a;

use crate::{
    engines::conversation::{Conversation, ModelError},
    error::Error,
    values::request::Request,
};

/// A conversation that continues from the state of another one, with different seeds.
///
/// Branches of one conversation have the same past, and differ only in the seeds of their requests. Their share of successes
/// estimates the probability of success given that past, if the model draws its replies at random: at a temperature of 0, all
/// branches are alike. See [`count_continuations`].
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty quantification,
/// arXiv:2605.24756, appendix H.1.
///
/// ```
/// # #[cfg(feature = "confidence")] {
/// use agent_benchmarks::{
///     Branch, Checker, Question, Reply, Request, confidence::Confidence, converse, count_continuations,
/// };
///
/// let question = Question::new("coin", "Heads or tails?", Checker::Exact { answer: "heads".to_owned() });
/// let instance = Confidence::new(1)?.instance(&question);
/// // A model that draws its answer from the seed. The seeds of branches are 1,000 apart.
/// let coin = |request: &Request| {
///     let seed = request.sampling.seed.unwrap_or(0);
///     let side = if (seed / 1_000).is_multiple_of(2) { "heads" } else { "tails" };
///     let text = format!("<action>answer: {side}</action><confidence>0.5</confidence>");
///     Ok(Reply { text, ..Reply::default() })
/// };
/// let branches = Branch::several("coin", &instance.conversation(), 10);
/// let records = branches.into_iter().map(|(_, branch)| converse(branch, coin));
/// let records = records.collect::<Result<Vec<_>, _>>()?;
/// let counts = count_continuations(records.iter().map(|record| &record.record.run));
/// assert_eq!((counts.successes, counts.failures), (5, 5));
/// # }
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Branch<C> {
    conversation: C,
    /// The waiting request with its seed.
    request: Option<Request>,
    seed: u64,
}

/// The distance between the seeds of branches, so that each request of a branch has a different seed.
const REQUESTS: u64 = 1_000;

/// The upper bound of seeds (exclusive), because some servers keep them in 32 bits.
const SEEDS: u64 = 1 << 31;

impl<C: Conversation> Branch<C> {
    /// Creates a continuation whose requests have the seeds `seed`, `seed + 1` and so on, each modulo 2^31.
    #[must_use]
    pub fn new(conversation: C, seed: u64) -> Self {
        let mut branch = Self { conversation, request: None, seed };
        branch.prepare();
        branch
    }

    /// Creates `branches` continuations of a conversation, each with a name that begins with `name`. The names
    /// determine the seeds, so that the same call makes the same continuations.
    pub fn several(name: &str, conversation: &C, branches: usize) -> Vec<(String, Self)>
    where
        C: Clone,
    {
        // The upper bits distinguish names that differ only at the end.
        let first = fnv1a(name.bytes()) >> 32;
        let branch = |number: usize| {
            let seed = first.wrapping_add((number as u64).wrapping_mul(REQUESTS));
            (format!("{name}, branch {number}"), Self::new(conversation.clone(), seed))
        };
        (0..branches).map(branch).collect()
    }

    fn prepare(&mut self) {
        self.request = self.conversation.request().cloned();
        if let Some(request) = &mut self.request {
            request.sampling.seed = Some(self.seed % SEEDS);
        }
        self.seed = self.seed.wrapping_add(1);
    }
}

impl<C: Conversation> Conversation for Branch<C> {
    type Record = C::Record;

    fn request(&self) -> Option<&Request> {
        self.request.as_ref()
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        self.conversation.reply(reply)?;
        self.prepare();
        Ok(())
    }

    fn problem(&self) -> Option<String> {
        self.conversation.problem()
    }

    fn fail(&mut self, error: &ModelError) {
        self.conversation.fail(error);
        self.prepare();
    }

    fn finish(self) -> C::Record {
        self.conversation.finish()
    }
}

/// Counts the continuations that succeeded, failed or have no outcome. A run without an outcome is unresolved if a
/// limit ended it, and invalid otherwise, for example after unreadable replies.
#[must_use]
pub fn count_continuations<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Continuations {
    let mut counts = Continuations::default();
    for run in runs {
        let class = run.stop.as_ref().map(StopReason::class);
        *match run.outcome {
            Some(true) => &mut counts.successes,
            Some(false) => &mut counts.failures,
            None if class == Some(StopClass::Censored) => &mut counts.unresolved,
            None => &mut counts.invalid,
        } += 1;
    }
    counts
}
