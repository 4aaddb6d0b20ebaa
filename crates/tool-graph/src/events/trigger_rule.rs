use scoring_rules::checks::{entry, setting};

use crate::error::Error;

/// A rule that determines how many steps lie between one event and the next.
///
/// With `b` events in total, of which `i` are over, and an optimal plan of `l` calls from the current
/// state:
///
/// | rule | steps |
/// |---|---|
/// | released | `max(1, floor(l / (b - i + 1)))` |
/// | paper text | `max(1, floor(l / (b - i)))` |
/// | at steps | as far as the given steps are apart, at least 1 |
///
/// The released rule spreads the events over the plan; the rule of the paper's text puts the last
/// event at the last call of the plan.
///
/// Reference: CostBench, appendix B.4. The published figures come from the released rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TriggerRule {
    /// The rule of the released benchmark.
    #[default]
    Released,
    /// The rule of the paper's text.
    PaperText,
    /// Each event occurs at the step that this list has at its position. The first step of the run is 1, and plans do
    /// not matter. The steps increase, and there is one for each event; more steps have no effect. A ban can occur
    /// later than its step, because it stays due until a tool is called. An event that is due by then occurs one step
    /// after it.
    AtSteps(Vec<usize>),
}

impl TriggerRule {
    /// Checks that chosen steps increase and are enough for a number of events.
    pub(super) fn check(&self, events: usize) -> Result<(), Error> {
        let Self::AtSteps(steps) = self else { return Ok(()) };
        let after_last = |(index, &step): (usize, &usize)| {
            let last = index.checked_sub(1).map_or(0, |last| steps[last]);
            (step <= last).then_some((index, step))
        };
        if let Some((index, step)) = steps.iter().enumerate().find_map(after_last) {
            let (what, range) = ("step of an event", "at least 1 and above the step before it");
            return Err(entry(what, index, step as f64, range).into());
        }
        let enough = "at least the number of events";
        Ok(setting("number of steps of events", steps.len() as f64, steps.len() >= events, enough)?)
    }

    /// Returns the number of steps to the next event, at least 1, by a rule that depends on the plan; `None` if no
    /// event is to come.
    pub(crate) fn steps(&self, plan_length: usize, events: usize, over: usize) -> Option<usize> {
        let left = events.checked_sub(over).filter(|&left| left > 0)?;
        let parts = if *self == Self::Released { left.saturating_add(1) } else { left };
        Some((plan_length / parts).max(1))
    }
}
