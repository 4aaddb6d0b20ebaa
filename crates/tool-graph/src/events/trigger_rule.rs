/// A rule for the number of steps from one event to the next.
///
/// With `b` events in total, of which `i` are over, and an optimal plan of `l` calls from the current
/// state:
///
/// | rule | steps |
/// |---|---|
/// | released | `max(1, floor(l / (b - i + 1)))` |
/// | paper text | `max(1, floor(l / (b - i)))` |
///
/// The released rule spreads the events over the plan; the rule of the paper's text puts the last
/// event at the last call of the plan. See [`Self::steps`] for an example.
///
/// Reference: CostBench, appendix B.4. The published figures come from the released rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TriggerRule {
    /// The rule of the released benchmark.
    #[default]
    Released,
    /// The rule of the paper's text.
    PaperText,
}

impl TriggerRule {
    /// The number of steps to the next event, at least 1, or `None` if all events are over.
    ///
    /// ```
    /// use tool_graph::TriggerRule;
    ///
    /// assert_eq!(TriggerRule::Released.steps(5, 1, 0), Some(2));
    /// assert_eq!(TriggerRule::PaperText.steps(5, 1, 0), Some(5));
    /// assert_eq!(TriggerRule::Released.steps(1, 1, 0), Some(1));
    /// assert_eq!(TriggerRule::Released.steps(5, 1, 1), None);
    /// ```
    #[must_use]
    pub fn steps(self, plan_length: usize, events: usize, over: usize) -> Option<usize> {
        let left = events.checked_sub(over).filter(|&left| left > 0)?;
        let parts = match self {
            Self::Released => left.saturating_add(1),
            Self::PaperText => left,
        };
        Some((plan_length / parts).max(1))
    }
}
