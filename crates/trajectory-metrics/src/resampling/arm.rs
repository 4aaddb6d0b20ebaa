/// The arm of a comparison to which a row belongs, such as one of two models on the same tasks.
///
/// ```
/// use trajectory_metrics::Arm;
///
/// let arms = ["old", "new", "old"].map(|model| Arm::second_if(model == "new"));
/// assert_eq!(arms, [Arm::First, Arm::Second, Arm::First]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Arm {
    /// The arm whose value is subtracted.
    First,
    /// The arm from whose value the first arm's value is subtracted.
    Second,
}

impl Arm {
    /// Returns the second arm if the condition is true, otherwise the first.
    #[must_use]
    pub const fn second_if(condition: bool) -> Self {
        if condition { Self::Second } else { Self::First }
    }
}
