/// A rule for the number of steps from one event to the next.
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
/// event at the last call of the plan. See [`Self::steps`] for an example.
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
    /// Each event occurs at the step at its position in this list, counted from the first step of the run as
    /// 1, regardless of the plans. An event without a step never occurs. An event with a step at or before
    /// the previous event occurs one step after that event.
    AtSteps(Vec<usize>),
}

impl TriggerRule {
    /// Returns the number of steps to the next event, at least 1, or `None` if no event is to come.
    ///
    /// ```
    /// use tool_graph::TriggerRule;
    ///
    /// assert_eq!(TriggerRule::Released.steps(5, 1, 0), Some(2));
    /// assert_eq!(TriggerRule::PaperText.steps(5, 1, 0), Some(5));
    /// assert_eq!(TriggerRule::Released.steps(1, 1, 0), Some(1));
    /// assert_eq!(TriggerRule::Released.steps(5, 1, 1), None);
    ///
    /// let third_and_seventh = TriggerRule::AtSteps(vec![3, 7]);
    /// assert_eq!(third_and_seventh.steps(5, 2, 0), Some(3));
    /// assert_eq!(third_and_seventh.steps(5, 2, 1), Some(4));
    /// ```
    #[must_use]
    pub fn steps(&self, plan_length: usize, events: usize, over: usize) -> Option<usize> {
        let left = events.checked_sub(over).filter(|&left| left > 0)?;
        let steps = match self {
            Self::Released => plan_length / left.saturating_add(1),
            Self::PaperText => plan_length / left,
            Self::AtSteps(steps) => {
                let due = steps.get(over)?;
                let before = over.checked_sub(1).map_or(0, |before| steps[before]);
                due.saturating_sub(before)
            }
        };
        Some(steps.max(1))
    }
}
