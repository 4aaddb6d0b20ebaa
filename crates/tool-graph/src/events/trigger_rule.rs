/// How many steps after an event the next one comes.
///
/// With `b` events in all, `i` of them over, and an optimal plan of `l` calls from here:
///
/// | rule | steps |
/// |---|---|
/// | released | `max(1, floor(l / (b - i + 1)))` |
/// | paper text | `max(1, floor(l / (b - i)))` |
///
/// The first spreads the events over the plan, the second puts the last one on the plan's last
/// call.
///
/// Reference: CostBench, appendix B.4; the published figures come from the first rule. An example
/// is at [`Self::steps`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TriggerRule {
    /// As the released benchmark does.
    #[default]
    Released,
    /// As the paper's text says.
    PaperText,
}

impl TriggerRule {
    /// The steps from here to the next event, at least 1; `None` where all events are over.
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
