use std::fmt;

/// The seed of a random generator. It is a separate type, so that swapping a seed and a number of
/// resamples does not compile. In JSON a seed is its number.
///
/// ```
/// use scoring_rules::Seed;
///
/// let seed = Seed(7);
/// assert_eq!((seed.0, seed.to_string()), (7, "7".to_owned()));
/// assert_eq!(Seed::default(), Seed(0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
