use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
};

use crate::values::run::{Run, Turn, Usage};

/// The replies that have been read, each with its first run: a session that continues another one repeats its replies.
///
/// Each reply takes 16 bytes, whatever it holds.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// The digest of the first run of each reply, by the digest of the id of the reply.
    owners: HashMap<u64, u64>,
    hasher: RandomState,
}

impl Copies {
    /// Returns the run without the replies of earlier runs of other names, and without their usage. A later copy of the run itself
    /// stays as it is.
    pub(crate) fn without(&mut self, mut run: Run) -> Run {
        let own = self.hasher.hash_one(&run.id);
        let (hasher, owners) = (&self.hasher, &mut self.owners);
        let mut is_own = |turn: &Turn| {
            let id = turn.reply.as_ref().and_then(|reply| reply.id.as_ref());
            id.is_none_or(|id| match owners.entry(hasher.hash_one(id)) {
                Entry::Occupied(owner) => *owner.get() == own,
                Entry::Vacant(entry) => *entry.insert(own) == own,
            })
        };
        let n_turns = run.turns.len();
        run.turns.retain(|turn| is_own(turn));
        let n_copied = n_turns - run.turns.len();
        if n_copied > 0 {
            run.usage = usage_of(&run);
            run.usage_by_model.clear();
            // The times of the run are also those of the copied part.
            (run.started, run.seconds) = (None, None);
            run.note("n_copied_replies", n_copied as i64);
        }
        run
    }
}

/// Returns the sum of the usage of the agent's model calls; unknown without a reply.
pub(crate) fn usage_of(run: &Run) -> Usage {
    let calls = run.agent_turns().filter(|turn| turn.model_calls != Some(0));
    let replies = calls.filter_map(|turn| turn.reply.as_ref());
    let usages = replies.map(|reply| reply.usage.clone().unwrap_or_default());
    usages.reduce(|sum, usage| sum.plus(&usage)).unwrap_or_default()
}
