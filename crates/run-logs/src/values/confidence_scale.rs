/// The scale of a confidence: from 0 to 1, or from 0 to 100.
///
/// Numbers without a percent sign are shares. If some are above 1 and none is above 100, the scale of all of them is in doubt,
/// because 1 may be 1 %: they are refused unless the caller states the scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[derive(serde::Deserialize)]
#[serde(from = "Option<bool>")]
#[non_exhaustive]
pub enum ConfidenceScale {
    /// Values from 0 to 1; an error if the scale is ambiguous.
    #[default]
    #[cfg_attr(feature = "clap", value(name = "auto"))]
    Checked,
    /// Values from 0 to 100; an error if no value is above 1.
    #[cfg_attr(feature = "clap", value(name = "yes"))]
    Percent,
    /// Values from 0 to 1. Values above 1 are outside the range, like negative numbers.
    #[cfg_attr(feature = "clap", value(name = "no"))]
    Share,
}

impl From<Option<bool>> for ConfidenceScale {
    fn from(is_percent: Option<bool>) -> Self {
        match is_percent {
            None => Self::Checked,
            Some(true) => Self::Percent,
            Some(false) => Self::Share,
        }
    }
}

/// The tolerance for numbers above 1 by rounding.
const ROUNDING: f64 = 1e-6;

/// The facts about the confidences of a file that determine their scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenConfidences {
    /// The number of finite confidences.
    n: u64,
    above_one: u64,
    /// The number of confidences strictly between 0 and 1.
    between: u64,
    lowest: f64,
    highest: f64,
    /// The line and the field of the first one above 1.
    pub(crate) first: Option<(usize, String)>,
}

impl SeenConfidences {
    /// Counts a number as written, in this line and field.
    pub(crate) fn add(&mut self, number: Option<f64>, place: impl FnOnce() -> (usize, String)) {
        let Some(number) = number.filter(|number| number.is_finite()) else { return };
        let is_first = self.n == 0;
        self.n += 1;
        if number > 1.0 + ROUNDING {
            self.above_one += 1;
            self.first.get_or_insert_with(place);
        }
        self.between += u64::from(number > 0.0 && number < 1.0);
        self.lowest = if is_first { number } else { self.lowest.min(number) };
        self.highest = if is_first { number } else { self.highest.max(number) };
    }

    /// Adds the confidences of another part of the file.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.n == 0 {
            *self = other;
        } else if other.n > 0 {
            self.n += other.n;
            self.above_one += other.above_one;
            self.between += other.between;
            self.lowest = self.lowest.min(other.lowest);
            self.highest = self.highest.max(other.highest);
            self.first = self.first.take().or(other.first);
        }
    }
}

impl ConfidenceScale {
    /// Returns the share that a number states.
    pub(crate) fn share(self, number: f64) -> f64 {
        if self == Self::Percent { number / 100.0 } else { number }
    }

    /// Returns the problem with the confidences of a file on this scale.
    pub(crate) fn problem(self, seen: &SeenConfidences) -> Option<String> {
        let SeenConfidences { n, above_one, lowest, highest, .. } = seen;
        let is_in_doubt = *above_one > 0 && *lowest >= 0.0 && *highest <= 100.0;
        match self {
            Self::Checked if is_in_doubt => {
                let are = if *above_one == 1 { "is" } else { "are" };
                Some(format!(
                    "{above_one} of {n} values {are} above 1, from {lowest} to {highest} over all values; --percent reads all of them as percentages, --percent=no as shares of 1"
                ))
            }
            Self::Percent if *n > 0 && *above_one == 0 => Some(format!(
                "no value is above 1, from {lowest} to {highest} over all values; without --percent they are shares of 1"
            )),
            _ => None,
        }
    }

    /// Returns a note about confidences that are taken as percentages.
    pub(crate) fn note(self, seen: &SeenConfidences) -> Option<String> {
        let between = match seen.between {
            0 => String::new(),
            n => format!("; those between 0 and 1 ({n}) are read as less than 1 %"),
        };
        let is_noted = self == Self::Percent && seen.n > 0;
        is_noted.then(|| format!("confidences are read as percentages{between}"))
    }
}
