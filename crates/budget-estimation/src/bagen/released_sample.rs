use scoring_rules::Interval;

use crate::bagen::answer::Answer;

/// The resources that a file of estimates is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Kind {
    /// Tokens: Sokoban, Search-R1 and SWE-bench.
    Tokens,
    /// Time, storage and cost: Warehouse.
    Warehouse,
}

impl Kind {
    /// The names of the resources, in the order of [`Answer::Intervals`].
    #[must_use]
    pub const fn resources(self) -> &'static [&'static str] {
        match self {
            Self::Tokens => &["total_tokens"],
            Self::Warehouse => &["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"],
        }
    }
}

/// The amounts of one resource that a file states for one prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Amounts {
    /// What the completed turns spent.
    pub used: Option<f64>,
    /// What the later turns spent. Warehouse files state it for runs that can finish only.
    pub remaining: Option<f64>,
    /// What the whole run spent.
    pub total: Option<f64>,
    /// The cap on this resource.
    pub cap: Option<f64>,
}

/// One estimate of BAGEN's released files, with its ground truth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReleasedSample {
    /// The resources that it is about.
    pub kind: Kind,
    /// Position of the rollout in its file, from 0.
    pub rollout: usize,
    /// Number of completed turns.
    pub turn: usize,
    /// Number of turns of the run; `None` in Warehouse files.
    pub turns: Option<usize>,
    /// Whether the rollout succeeded, also if it exceeded its caps.
    pub rollout_success: bool,
    /// The label: whether the rollout succeeded within its caps.
    pub can_finish: bool,
    /// The amounts of each resource, in the order of [`Kind::resources`].
    pub amounts: Vec<Amounts>,
    /// The text of the model.
    pub response: Option<String>,
    /// The answer as the released code read it; `None` if it could not be read.
    pub answer: Option<Answer>,
}

/// The released figures of one sample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampleMetrics {
    /// Whether the answer agrees with the label; `None` if it could not be read.
    pub can_finish_correct: Option<bool>,
    /// For each resource, whether the interval contains what remained; `None` without an interval, and
    /// if what remained is not stated. Intervals on runs that failed count too.
    pub contains: Vec<Option<bool>>,
    /// The width of each interval.
    pub widths: Vec<Option<f64>>,
    /// The distance of the middle of each interval from what remained.
    pub midpoint_errors: Vec<Option<f64>>,
    /// Whether all intervals contain what remained; `None` unless the run can finish and has an
    /// interval.
    pub joint_hit: Option<bool>,
    /// The mean of the correct feasibility and, if the run can finish and has intervals, the hits: the
    /// reward in the file, and the reward of Warehouse in table 1.
    pub mean_reward: f64,
    /// The reward of tokens in table 1: for a run that can finish, `max(0, 1 - width / remaining)` of
    /// an interval that contains what remained; otherwise 1 for `impossible`.
    pub interval_reward: f64,
}

impl ReleasedSample {
    /// The intervals of the answer, one per resource; `None` for `impossible` and without an answer.
    #[must_use]
    pub fn intervals(&self) -> Option<&[Interval]> {
        match &self.answer {
            Some(Answer::Intervals(intervals)) => Some(intervals),
            _ => None,
        }
    }

    /// Whether the answer is `impossible`.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.answer == Some(Answer::Impossible)
    }

    /// The figures of this sample as the released code computes them.
    ///
    /// Reference: `evaluate_prediction` of both environments, and
    /// `compute_token_custom_reward_from_result`.
    #[must_use]
    pub fn metrics(&self) -> SampleMetrics {
        let intervals = self.intervals();
        let each = |figure: fn(Interval, Amounts) -> Option<f64>| -> Vec<Option<f64>> {
            let figure = |(i, &amounts): (usize, &Amounts)| {
                intervals.and_then(|all| figure(*all.get(i)?, amounts))
            };
            self.amounts.iter().enumerate().map(figure).collect()
        };
        let contains =
            each(|interval, amounts| Some(f64::from(interval.contains(amounts.remaining?))));
        let contains: Vec<_> = contains.iter().map(|hit| hit.map(|hit| hit == 1.0)).collect();
        let can_finish_correct =
            self.answer.is_some().then(|| self.is_impossible() != self.can_finish);
        let scored = self.can_finish && intervals.is_some();
        let hits = contains.iter().filter(|_| scored).flatten();
        let terms: Vec<bool> = can_finish_correct.iter().chain(hits).copied().collect();
        let right = terms.iter().filter(|&&term| term).count();
        SampleMetrics {
            joint_hit: scored.then(|| contains.iter().all(|hit| *hit == Some(true))),
            mean_reward: if terms.is_empty() { 0.0 } else { right as f64 / terms.len() as f64 },
            interval_reward: self.interval_reward(),
            widths: each(|interval, _| Some(interval.width())),
            midpoint_errors: each(|interval, amounts| {
                Some(((interval.low() + interval.high()) / 2.0 - amounts.remaining?).abs())
            }),
            can_finish_correct,
            contains,
        }
    }

    fn interval_reward(&self) -> f64 {
        if !self.can_finish {
            return f64::from(self.is_impossible());
        }
        let interval = self.intervals().and_then(<[_]>::first);
        let remaining = self.amounts.first().and_then(|amounts| amounts.remaining);
        match (interval, remaining) {
            (Some(interval), Some(remaining))
                if remaining > 0.0 && interval.contains(remaining) =>
            {
                (1.0 - interval.width() / remaining).max(0.0)
            }
            _ => 0.0,
        }
    }
}
