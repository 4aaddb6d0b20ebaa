use std::collections::BTreeMap;

use crate::{
    checks::{same_length, setting},
    error::Error,
};

scoring_rules::checked! {
    /// A split of traces into folds, for [`CrossFit::new`](crate::CrossFit::new).
    ///
    /// Folds are stratified: they have about the same number of failures, and of successes. The fold of a
    /// trace does not depend on the order of the traces.
    ///
    /// If a fold has fewer failures, the traces outside it have more, so that even maps of pure noise are
    /// slightly lower for successes. On pure noise, the AUROC after cross-fitting is therefore expected to
    /// be slightly below 1/2, and further below for smaller folds.
    ///
    /// Two halves, as in the paper, give only two maps to report, each fitted on half of the traces; more
    /// folds give more maps, each fitted on more traces. If several traces share a task,
    /// [`Folds::clustered`] keeps the traces of a task together.
    ///
    /// ```
    /// use scoring_rules::Error::Setting;
    /// use trajectory_metrics::{Error, Folds};
    ///
    /// let outcomes = [false, false, true, true];
    /// let halves = Folds::new(&outcomes, &[1, 2, 3, 4], 2)?;
    /// assert_eq!(halves.of_each(), [0, 1, 0, 1]);
    /// assert_eq!(halves.count(), 2);
    /// let tasks = ["a", "b", "a", "b"];
    /// assert_eq!(Folds::clustered(&outcomes, &tasks, 2)?.of_each(), [0, 1, 0, 1]);
    /// let refused = Folds::new(&outcomes, &tasks, 1);
    /// assert!(matches!(refused, Err(Error::ScoringRules(Setting { name: "folds", .. }))));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Folds {
        count: usize,
        of_each: Vec<usize>,
    }
    check: Folds::check
}

impl Folds {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Error> {
        let n = self.of_each.len();
        check("folds", self.count, n, n)?;
        let last = self.of_each.iter().copied().max().unwrap_or_default();
        Ok(setting("fold of a trace", last as f64, last < self.count, "below the number of folds")?)
    }

    /// Creates stratified folds: the numbers of traces of a stratum differ by at most one between folds. The traces of
    /// a stratum, in the order of their ids, are assigned to the folds `0, 1, …, k - 1, 0, …` in turn.
    ///
    /// The strata are usually the outcomes. If some runs were cut off, use strata of type `Option<bool>`:
    /// runs without an outcome then form a separate stratum.
    ///
    /// If ids are equal, their traces keep their order, which then matters; each trace should have
    /// its own id.
    ///
    /// Two folds are the halves A and B of the paper. Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for
    /// agentic uncertainty quantification, arXiv:2605.24756, appendix D.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for fewer than 2 folds or more than 65,536;
    /// [`scoring_rules::Error::Length`] unless there is one id per stratum.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Folds};
    ///
    /// let outcomes = [Some(true), None, Some(true), Some(false), None];
    /// assert_eq!(Folds::new(&outcomes, &[1, 2, 3, 4, 5], 2)?.of_each(), [0, 0, 1, 0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<S: Ord, I: Ord>(strata: &[S], ids: &[I], k: usize) -> Result<Self, Error> {
        check("ids", k, strata.len(), ids.len())?;
        let mut order: Vec<usize> = (0..ids.len()).collect();
        // Stable: equal ids keep their order.
        order.sort_by(|&a, &b| (&strata[a], &ids[a]).cmp(&(&strata[b], &ids[b])));
        let mut of_each = vec![0; ids.len()];
        for stratum in order.chunk_by(|&a, &b| strata[a] == strata[b]) {
            for (turn, &trace) in stratum.iter().enumerate() {
                of_each[trace] = turn % k;
            }
        }
        Ok(Self { count: k, of_each })
    }

    /// Creates folds of whole clusters, such as tasks. `clusters` has the cluster of each trace, and no cluster is in
    /// two folds.
    ///
    /// Clusters are assigned from the largest to the smallest. Each goes to the fold with the smallest
    /// shares of the outcomes in the cluster, and among equal folds to the one with the fewest traces.
    /// Equal clusters are assigned in the order of their names. If there are fewer clusters than folds,
    /// some folds are empty.
    ///
    /// Cost: O(n log n) and one pass over the folds per cluster.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::new`].
    pub fn clustered<G: Ord>(outcomes: &[bool], clusters: &[G], k: usize) -> Result<Self, Error> {
        check("clusters", k, outcomes.len(), clusters.len())?;
        let mut sizes: BTreeMap<&G, [u128; 2]> = BTreeMap::new();
        for (cluster, &outcome) in clusters.iter().zip(outcomes) {
            sizes.entry(cluster).or_default()[usize::from(outcome)] += 1;
        }
        let mut order: Vec<(&G, [u128; 2])> = sizes.into_iter().collect();
        // Stable: equal clusters keep the order of their names.
        order.sort_by_key(|(_, [failures, successes])| {
            std::cmp::Reverse((failures + successes, *failures))
        });
        let all_successes = outcomes.iter().filter(|&&outcome| outcome).count() as u128;
        let all = [outcomes.len() as u128 - all_successes, all_successes];
        let mut filled = vec![[0_u128; 2]; k];
        let mut fold_of = BTreeMap::new();
        for (cluster, size) in order {
            // The part of the sum of squared shares that depends on the fold, in integers.
            let crowding = |fold: &[u128; 2]| {
                fold[0] * size[0] * all[1].max(1).pow(2) + fold[1] * size[1] * all[0].max(1).pow(2)
            };
            let emptiest = (0..k).min_by_key(|&fold| {
                let filled = &filled[fold];
                (crowding(filled), filled[0] + filled[1])
            });
            // There are at least two folds.
            let fold = emptiest.unwrap_or_default();
            filled[fold] = [filled[fold][0] + size[0], filled[fold][1] + size[1]];
            fold_of.insert(cluster, fold);
        }
        let of_each = clusters.iter().map(|cluster| fold_of[cluster]).collect();
        Ok(Self { count: k, of_each })
    }

    /// Returns the number of folds, at least two.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns the fold of each trace, from 0.
    #[must_use]
    pub fn of_each(&self) -> &[usize] {
        &self.of_each
    }
}

fn check(what: &'static str, folds: usize, outcomes: usize, names: usize) -> Result<(), Error> {
    setting("folds", folds as f64, (2..=65_536).contains(&folds), "from 2 to 65536")?;
    Ok(same_length(what, outcomes, names)?)
}
