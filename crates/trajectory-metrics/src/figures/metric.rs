use std::{borrow::Cow, fmt};

/// The description of a measured quantity, shared by all tables, pages and documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The key in JSON, in `snake_case`.
    pub key: &'static str,
    /// The name that tables and texts show.
    pub label: &'static str,
    /// Which values of the measure are better.
    pub better: Better,
    /// One sentence that states what is measured, over which rows, and in which unit.
    pub help: &'static str,
    /// The smallest and the largest possible value.
    pub range: [f64; 2],
}

impl Measure {
    /// Creates a measure with an unbounded range.
    #[must_use]
    pub const fn new(
        key: &'static str,
        label: &'static str,
        better: Better,
        help: &'static str,
    ) -> Self {
        Self { key, label, better, help, range: [f64::NEG_INFINITY, f64::INFINITY] }
    }

    /// Sets the smallest and the largest possible value.
    #[must_use]
    pub const fn within(self, least: f64, largest: f64) -> Self {
        Self { range: [least, largest], ..self }
    }

    /// Returns the measure that describes the difference between two values of this measure.
    ///
    /// ```
    /// use trajectory_metrics::{Better, Measure};
    ///
    /// let rate = Measure::new("rate", "success rate", Better::Higher, "Share of runs.").within(0.0, 1.0);
    /// assert_eq!(rate.of_difference().range, [-1.0, 1.0]);
    /// ```
    #[must_use]
    pub fn of_difference(self) -> Self {
        let [least, largest] = self.range;
        self.within(least - largest, largest - least)
    }
}

/// Which values of a measure are better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Better {
    /// Higher values are better.
    Higher,
    /// Lower values are better.
    Lower,
    /// Values near this one are better, such as the nominal coverage or a bias of 0.
    Near(f64),
    /// No values are better, because the measure is only descriptive.
    Neither,
}

impl fmt::Display for Better {
    /// Writes the sign that stands next to the measure in a table: `+`, `-`, `=` if values near one value are better
    /// (`0` if this value is 0), or nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Higher => "+",
            Self::Lower => "-",
            Self::Near(0.0) => "0",
            Self::Near(_) => "=",
            Self::Neither => "",
        })
    }
}

/// A measure, with the function that computes its value from data of type `E`.
///
/// ```
/// use trajectory_metrics::{Better, Metric, Undefined};
///
/// struct Counts { solved: u64, runs: u64 }
/// const RATE: Metric<Counts> = Metric::new(
///     "success_rate",
///     "success rate",
///     Better::Higher,
///     "Share of runs that succeeded.",
///     |counts| match counts.runs {
///         0 => Err(Undefined::new("there is no run")),
///         runs => Ok(counts.solved as f64 / runs as f64),
///     },
/// );
/// assert_eq!((RATE.measure.key, RATE.value(&Counts { solved: 1, runs: 4 })), ("success_rate", Ok(0.25)));
/// let reason = RATE.value(&Counts { solved: 0, runs: 0 }).unwrap_err();
/// assert_eq!(reason.to_string(), "there is no run");
/// ```
#[derive(Debug)]
pub struct Metric<E: ?Sized> {
    /// The measured quantity.
    pub measure: Measure,
    value: fn(&E) -> Result<f64, Undefined>,
    pub(crate) is_share: bool,
    pub(crate) is_of_all_rows: bool,
    /// The label of the bar in the report's chart of shares, if the value is one of its bars.
    pub bar: Option<&'static str>,
}

impl<E: ?Sized> Clone for Metric<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: ?Sized> Copy for Metric<E> {}

impl<E: ?Sized> Metric<E> {
    /// Creates a metric. Its `help` is a sentence that begins with a capital letter and ends with a full stop.
    #[must_use]
    pub const fn new(
        key: &'static str,
        label: &'static str,
        better: Better,
        help: &'static str,
        value: fn(&E) -> Result<f64, Undefined>,
    ) -> Self {
        let measure = Measure::new(key, label, better, help);
        Self { measure, value, is_share: false, is_of_all_rows: false, bar: None }
    }

    /// Marks the value as a share: a mean of values that are each 0 or 1. If the rows are independent, a share of
    /// exactly 0 or 1 then still has an interval, see [`Replicates::figure`](crate::Replicates::figure).
    #[must_use]
    pub const fn share(self) -> Self {
        Self { is_share: true, ..self.within(0.0, 1.0) }
    }

    /// Sets the smallest and the largest possible value.
    #[must_use]
    pub const fn within(self, least: f64, largest: f64) -> Self {
        Self { measure: self.measure.within(least, largest), ..self }
    }

    /// Declares that the metric depends on every row of positive weight, even if the metric is undefined for a single
    /// row, like a mean over two classes. See [`Clustered`](crate::Clustered).
    #[must_use]
    pub const fn of_all_rows(self) -> Self {
        Self { is_of_all_rows: true, ..self }
    }

    /// Adds the value as a bar, labelled `name`, in the report's chart of shares.
    #[must_use]
    pub const fn bar(self, name: &'static str) -> Self {
        Self { bar: Some(name), ..self }
    }

    /// Computes the value.
    ///
    /// # Errors
    ///
    /// The reason why it is undefined.
    pub fn value(&self, evaluated: &E) -> Result<f64, Undefined> {
        (self.value)(evaluated)
    }
}

/// The reason why a value is undefined, such as "all runs succeeded". It completes a sentence such as "auroc:
/// undefined, as all runs succeeded".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Undefined(Cow<'static, str>);

impl Undefined {
    /// Creates a reason.
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self(reason.into())
    }
}
