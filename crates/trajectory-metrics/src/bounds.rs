/// The range of what a number can be, given what is not known.
///
/// ```
/// use trajectory_metrics::Bounds;
///
/// let bounds = Bounds { low: 0.25, high: 0.75 };
/// assert_eq!((bounds.width(), bounds.known()), (0.5, None));
/// assert_eq!(Bounds::from(0.5).known(), Some(0.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// The least it can be.
    pub low: f64,
    /// The most it can be.
    pub high: f64,
}

impl Bounds {
    /// How far the two are apart: 0 where nothing unknown counts, and where both are infinite.
    #[must_use]
    pub fn width(&self) -> f64 {
        if self.low == self.high { 0.0 } else { self.high - self.low }
    }

    /// The number itself where nothing is unknown that could change it.
    #[must_use]
    pub fn known(&self) -> Option<f64> {
        (self.low == self.high).then_some(self.low)
    }
}

impl From<f64> for Bounds {
    fn from(value: f64) -> Self {
        Self { low: value, high: value }
    }
}
