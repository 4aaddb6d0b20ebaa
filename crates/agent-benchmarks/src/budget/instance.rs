use budget_estimation::{Estimate, Prefix, Resource, Rollout, Rollouts, Sample};

use crate::{budget::settings::Budget, error::Error};

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
    /// Creates the instance of a run in this setting.
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
    /// Returns the setting.
    #[must_use]
    pub const fn settings(&self) -> &Budget {
        &self.settings
    }

    /// Returns the run.
    #[must_use]
    pub const fn rollout(&self) -> &Rollout<'a> {
        &self.rollout
    }

    /// Returns the number of requests. Each turn has one, except for the last turn and for turns without a balance that
    /// [`Budget::with_cash`] requires.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.prefixes.len()
    }
}
