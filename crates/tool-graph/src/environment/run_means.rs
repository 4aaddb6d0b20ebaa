use trajectory_metrics::ExactMean;
use trajectory_metrics::tool_calls::{FailureCounts, MeanPathDistances, PathDistances};

use crate::{environment::transcript::Transcript, error::Error};

scoring_rules::checked! {
    /// Accumulates the metrics of CostBench over many runs.
    ///
    /// Parts can be computed separately and merged in any order; the results are identical to the last bit. Runs without all
    /// their events, or with such a reference, are excluded and counted. By the released rule, so are some others
    /// ([`Transcript::left_out`]). Runs that did not reach the goal are left out of the means of costs and paths, unless
    /// [`EnvironmentRules::unfinished_runs`](crate::EnvironmentRules::unfinished_runs) counts their paths.
    ///
    /// With the feature `serde`, the means are stored with their whole state, so that more runs can be added after reading.
    /// Reading refuses a state that no runs can produce.
    ///
    /// Reference: CostBench, appendices B.3.1 and B.3.2.
    ///
    /// ```
    /// use tool_graph::{Episode, RunMeans, Scenario, Tool, ToolGraph};
    ///
    /// let graph = ToolGraph::new(vec![
    ///     Tool::new("search", ["query"], ["hits"], 4.0),
    ///     Tool::new("ask", ["query"], ["hits"], 7.0),
    ///     Tool::new("pick", ["hits"], ["choice"], 2.0),
    /// ])?;
    /// let problem = graph.problem(&["query"], &["choice"])?;
    ///
    /// let scenario = Scenario::new(graph, problem)?;
    /// let best = scenario.optimal_run();
    /// let mut other = Episode::new(&scenario);
    /// for name in ["ask", "pick"] {
    ///     other.call(name)?;
    /// }
    /// let (mut means, mut others) = (RunMeans::default(), RunMeans::default());
    /// means.update(&best, &best)?;
    /// others.update(&other.finish(true), &best)?;
    /// means.merge(&others);
    /// assert_eq!((means.runs(), means.left_out()), (2, 0));
    /// assert_eq!(means.failures().calls, 4);
    /// let figures = means.finish()?;
    /// assert_eq!((figures.cost_gap, figures.cost_gap_without_redundant), (Some(1.5), Some(1.5)));
    /// assert_eq!(figures.paths.map(|paths| paths.exact_match_rate), Some(0.5));
    /// assert_eq!(figures.task_completion_ratio, 1.0);
    /// assert_eq!(figures.invalid_tool_use_ratio, Some(0.0));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct RunMeans {
        runs: usize,
        left_out: usize,
        paths: PathDistances,
        cost_gap: ExactMean,
        lean_cost_gap: ExactMean,
        completed: ExactMean,
        failures: FailureCounts,
    }
    check: RunMeans::check
}

/// The metrics of CostBench over many runs, from [`RunMeans::finish`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanRunScores {
    /// The mean cost gap over runs that reached the goal without events; lower is better. `None` if there is no such
    /// run: under events there is no cost gap ([`RunScores::cost_gap`]).
    ///
    /// [`RunScores::cost_gap`]: crate::RunScores::cost_gap
    pub cost_gap: Option<f64>,
    /// The mean cost gap over those of these runs that have no redundant calls, which CostBench prints in parentheses;
    /// lower is better. `None` if there is no such run.
    pub cost_gap_without_redundant: Option<f64>,
    /// The mean edit distance (AED), the mean normalised edit distance (ANED) and the exact match rate (EMR) of the
    /// runs that reached the goal. `None` if no run did.
    pub paths: Option<MeanPathDistances>,
    /// The share of runs that completed their task (TCR), in [0, 1]; higher is better.
    pub task_completion_ratio: f64,
    /// The share of calls, over all runs, that failed through the agent's fault (ITUR), in [0, 1]; lower is better.
    /// `None` without a call.
    pub invalid_tool_use_ratio: Option<f64>,
}

#[cfg(feature = "serde")]
impl RunMeans {
    fn check(&self) -> Result<(), &'static str> {
        let (runs, with_path) = (self.runs as f64, self.paths.weight());
        let finite = |gaps: &ExactMean| {
            gaps.weight() == 0.0 || gaps.finish().is_ok_and(|gap| gap.is_finite())
        };
        // A completed run has reached the goal.
        let completed = if runs > 0.0 { self.completed.finish() } else { Ok(0.0) };
        let rules = [
            (self.completed.weight() == runs, "completed must be a mean over all runs"),
            (with_path <= runs, "paths must be means over at most all runs"),
            (
                self.cost_gap.weight() <= with_path,
                "cost_gap must be a mean over runs that paths are means over",
            ),
            (
                self.lean_cost_gap.weight() <= self.cost_gap.weight(),
                "lean_cost_gap must be a mean over runs that cost_gap is a mean over",
            ),
            (
                finite(&self.cost_gap) && finite(&self.lean_cost_gap),
                "the means of cost_gap and lean_cost_gap must be finite",
            ),
            (
                completed.is_ok_and(|share| share >= 0.0 && share * runs <= with_path + 0.5),
                "completed runs must be at least 0 and at most those that paths are means over",
            ),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, rule)) => Err(rule),
            None => Ok(()),
        }
    }
}

impl RunMeans {
    /// Adds one run, scored against a reference as in [`Transcript::scores`].
    ///
    /// # Errors
    ///
    /// The errors of [`Transcript::scores`]; the run is then not added.
    pub fn update(&mut self, run: &Transcript, reference: &Transcript) -> Result<(), Error> {
        if run.left_out(reference).is_some() {
            self.left_out = self.left_out.saturating_add(1);
            return Ok(());
        }
        let scores = run.scores(reference)?;
        self.runs = self.runs.saturating_add(1);
        self.completed.update(f64::from(scores.completed));
        self.failures.merge(&scores.failures);
        match scores.edit_distance {
            Some(_) if !run.has_worst_path_scores() => {
                let path = run.path();
                self.paths.update(&path, &run.compared_path(reference, &path).0);
            }
            // Two paths without a common call have the worst distances.
            Some(longest) => self.paths.update(&vec![0; longest], &vec![1; longest]),
            None => {}
        }
        scores.cost_gap.into_iter().for_each(|gap| self.cost_gap.update(gap));
        let lean = scores.cost_gap_without_redundant;
        lean.into_iter().for_each(|gap| self.lean_cost_gap.update(gap));
        Ok(())
    }

    /// Adds all runs of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.runs = self.runs.saturating_add(other.runs);
        self.left_out = self.left_out.saturating_add(other.left_out);
        self.paths.merge(&other.paths);
        self.cost_gap.merge(&other.cost_gap);
        self.lean_cost_gap.merge(&other.lean_cost_gap);
        self.completed.merge(&other.completed);
        self.failures.merge(&other.failures);
    }

    /// Returns the number of runs that were added, excluding runs that were left out.
    #[must_use]
    pub const fn runs(&self) -> usize {
        self.runs
    }

    /// Returns the number of runs that were left out; see [`Transcript::left_out`] for the reasons.
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the metrics over all runs.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] if all runs were left out, or none was added.
    pub fn finish(&self) -> Result<MeanRunScores, Error> {
        let calls = self.failures.calls;
        Ok(MeanRunScores {
            cost_gap: self.cost_gap.finish().ok(),
            cost_gap_without_redundant: self.lean_cost_gap.finish().ok(),
            paths: self.paths.finish().ok(),
            task_completion_ratio: self
                .completed
                .finish()
                .map_err(|_| scoring_rules::Error::Empty)?,
            invalid_tool_use_ratio: (calls > 0)
                .then(|| self.failures.invalid() as f64 / calls as f64),
        })
    }

    /// Returns the number of calls in each failure class.
    #[must_use]
    pub const fn failures(&self) -> &FailureCounts {
        &self.failures
    }
}
