#[cfg(feature = "serde")]
use std::borrow::Cow;
use std::collections::BTreeMap;

use scoring_rules::{CompensatedSum, ExactSum, Weight};

use crate::{
    error::Error,
    reasons::{exclusion::Exclusion, stop_class::StopClass, stop_reason::StopReason},
    stops::stopped::Stopped,
};

/// The number, the mean length and the mean forecast of the runs with one class or with one stop reason.
///
/// ```
/// use censoring::{Error, Probability, StopClass, Stopped, TerminationAudit};
///
/// let forecasts = Probability::from_slice(&[0.5, 0.25, 0.75])?;
/// let long = Stopped::new(forecasts, Some(true), None)?;
/// let short = Stopped::new(&forecasts[..1], Some(false), None)?;
/// let audit: TerminationAudit = [&long, &short].into_iter().collect();
/// let complete = audit.group(StopClass::Complete).unwrap();
/// assert_eq!((complete.runs, complete.mean_length, complete.mean_forecast), (2, 2.0, 0.5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RunGroup {
    /// The number of runs, at least one.
    pub runs: u64,
    /// The sum of their weights, which is their number if all weights are 1.
    pub weight: f64,
    /// The mean number of steps up to the stop, at least 1.
    pub mean_length: f64,
    /// The mean over the runs of the mean forecast of each run, from 0 to 1, so that runs with more steps do not count
    /// more.
    pub mean_forecast: f64,
}

/// Counts of runs by class and stop reason. A report of scores needs them to state which runs it excludes.
///
/// Each class and reason has a row with the length and the forecasts of its runs. If censored runs are three
/// times as long as complete runs, the complete runs probably do not represent all runs. Numbers of runs are
/// plain counts; means and [`TerminationAudit::censoring_rate`] use the weights.
///
/// Audits of parts are combined by [`TerminationAudit::merge`]; all figures have the same bits in any
/// order of the runs. With the feature `serde`, an audit is written as `complete`, `censored`,
/// `excluded`, `censoring_rate` (null if undefined) and `rows`, and continues with the same bits when
/// it is read.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix G.1 and table 6.
///
/// ```
/// use censoring::{Error, Probability, StopClass, StopReason, Stopped, TerminationAudit, Weight};
///
/// let forecasts = Probability::from_slice(&[0.5, 0.25, 0.75])?;
/// let mut audit = TerminationAudit::default();
/// audit.update(&Stopped::new(&forecasts[..1], Some(true), None)?, Weight::ONE);
/// audit.update(&Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?, Weight::ONE);
/// audit.update(&Stopped::new(&forecasts[..2], None, Some(StopReason::ParseError))?, Weight::ONE);
///
/// let classes = [StopClass::Complete, StopClass::Censored, StopClass::Excluded];
/// let counts = classes.map(|class| audit.count(class));
/// assert_eq!(counts, [1, 1, 1]);
/// assert_eq!(audit.censoring_rate()?, 0.5);
/// let cut_off = audit.group(StopClass::Censored).unwrap();
/// assert_eq!((cut_off.mean_length, cut_off.mean_forecast), (3.0, 0.5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TerminationAudit {
    sums: BTreeMap<(StopClass, Option<StopReason>), Sums>,
}

impl TerminationAudit {
    /// Counts one run with a weight, such as [`Weight::ONE`]. A run of weight 2 counts as two equal runs in means and rates,
    /// but as one run in numbers of runs. A run of weight 0 is not counted.
    ///
    /// ```
    /// use censoring::{Error, Probability, StopClass, StopReason, Stopped, TerminationAudit, Weight};
    ///
    /// let forecasts = [Probability::HALF];
    /// let mut audit = TerminationAudit::default();
    /// audit.update(&Stopped::new(&forecasts, Some(true), None)?, Weight::new(3.0)?);
    /// audit.update(&Stopped::new(&forecasts, None, Some(StopReason::MaxSteps))?, Weight::ONE);
    /// assert_eq!((audit.count(StopClass::Complete), audit.censoring_rate()?), (1, 0.25));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn update(&mut self, run: &Stopped<'_>, weight: Weight) {
        if weight > Weight::ZERO {
            let key = (run.class(), run.reason().cloned());
            self.sums.entry(key).or_default().update(run, weight);
        }
    }

    /// Adds the counts of another audit.
    ///
    /// ```
    /// use censoring::{Error, Exclusion, Probability, Stopped, TerminationAudit};
    ///
    /// let forecasts = [Probability::HALF];
    /// let known = Stopped::new(&forecasts, Some(true), None)?;
    /// let silent = Stopped::new(&forecasts, None, None)?;
    /// let mut audit: TerminationAudit = [&known].into_iter().collect();
    /// audit.merge(&[&silent, &silent].into_iter().collect());
    /// assert_eq!(audit.total(), 3);
    /// assert_eq!(audit.exclusions(), [(Exclusion::NoReason, 2)].into());
    /// assert_eq!(audit.rows().count(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn merge(&mut self, other: &Self) {
        for (key, sums) in &other.sums {
            self.sums.entry(key.clone()).or_default().merge(sums);
        }
    }

    /// Returns the number of runs of a class.
    #[must_use]
    pub fn count(&self, class: StopClass) -> u64 {
        self.of(class).fold(0, |all, sums| all.saturating_add(sums.runs))
    }

    /// Returns the number of runs that cannot be scored, for each reason.
    #[must_use]
    pub fn exclusions(&self) -> BTreeMap<Exclusion, u64> {
        let excluded = self.rows().filter(|(class, ..)| *class == StopClass::Excluded);
        let counts = excluded.map(|(_, reason, group)| {
            (reason.cloned().map_or(Exclusion::NoReason, Exclusion::Stopped), group.runs)
        });
        counts.collect()
    }

    /// Returns the number of all runs.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sums.values().fold(0, |all, sums| all.saturating_add(sums.runs))
    }

    /// Returns the censoring rate: the share of censored runs among complete and censored runs, by weight.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] if no run is complete or censored.
    pub fn censoring_rate(&self) -> Result<f64, Error> {
        let weight = |classes: &[StopClass]| {
            let mut sum = ExactSum::default();
            classes.iter().flat_map(|&class| self.of(class)).for_each(|s| sum.merge(&s.weights));
            sum.value()
        };
        let working = weight(&[StopClass::Complete, StopClass::Censored]);
        if working > 0.0 {
            Ok(weight(&[StopClass::Censored]) / working)
        } else {
            Err(Error::ScoringRules(scoring_rules::Error::Empty))
        }
    }

    /// Returns one row for each class and reason with at least one run, sorted by class and then by reason.
    pub fn rows(&self) -> impl Iterator<Item = (StopClass, Option<&StopReason>, RunGroup)> {
        self.sums.iter().map(|((class, reason), sums)| (*class, reason.as_ref(), sums.group()))
    }

    /// Returns the statistics of all runs of a class; `None` if there are none.
    #[must_use]
    pub fn group(&self, class: StopClass) -> Option<RunGroup> {
        let mut of_class = Sums::default();
        self.of(class).for_each(|sums| of_class.merge(sums));
        (of_class.runs > 0).then(|| of_class.group())
    }

    fn of(&self, class: StopClass) -> impl Iterator<Item = &Sums> {
        self.sums.iter().filter(move |(key, _)| key.0 == class).map(|(_, sums)| sums)
    }
}

/// Compares values; the representation of the sums does not matter.
impl PartialEq for TerminationAudit {
    fn eq(&self, other: &Self) -> bool {
        self.rows().eq(other.rows())
    }
}

impl<'a, 'b: 'a> FromIterator<&'a Stopped<'b>> for TerminationAudit {
    fn from_iter<I: IntoIterator<Item = &'a Stopped<'b>>>(runs: I) -> Self {
        let mut audit = Self::default();
        runs.into_iter().for_each(|run| audit.update(run, Weight::ONE));
        audit
    }
}

/// The stored form of a class and reason: the values for readers, and the sums from which they are computed.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
struct Row<'a> {
    class: StopClass,
    reason: Option<Cow<'a, StopReason>>,
    #[serde(flatten, skip_deserializing)]
    group: Option<RunGroup>,
    #[serde(flatten)]
    sums: Cow<'a, Sums>,
}

#[cfg(feature = "serde")]
impl serde::Serialize for TerminationAudit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Report<'a> {
            complete: u64,
            censored: u64,
            excluded: u64,
            censoring_rate: Option<f64>,
            rows: Vec<Row<'a>>,
        }
        let rows = self.sums.iter().map(|((class, reason), sums)| Row {
            class: *class,
            reason: reason.as_ref().map(Cow::Borrowed),
            group: Some(sums.group()),
            sums: Cow::Borrowed(sums),
        });
        let report = Report {
            complete: self.count(StopClass::Complete),
            censored: self.count(StopClass::Censored),
            excluded: self.count(StopClass::Excluded),
            censoring_rate: self.censoring_rate().ok(),
            rows: rows.collect(),
        };
        report.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for TerminationAudit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;

        #[derive(serde::Deserialize)]
        struct Report<'a> {
            rows: Vec<Row<'a>>,
        }

        let mut audit = Self::default();
        for Row { class, reason, sums, .. } in Report::deserialize(deserializer)?.rows {
            let wrong = |problem| {
                Err(D::Error::custom(Error::from(scoring_rules::checks::stored_value(problem))))
            };
            let [weight, steps, forecasts] =
                [&sums.weights, &sums.steps, &sums.forecasts].map(ExactSum::value);
            if sums.runs == 0 || !(weight > 0.0 && weight < f64::INFINITY) {
                return wrong("a row of an audit must have runs of positive weight");
            }
            if !(weight..f64::INFINITY).contains(&steps) {
                return wrong("each run of an audit must have at least one step");
            }
            // Rounding of the means can make the sum slightly larger.
            if !(0.0..=1.000_001 * weight).contains(&forecasts) {
                return wrong("mean forecasts must be from 0 to 1");
            }
            let key = (class, reason.map(Cow::into_owned));
            if audit.sums.insert(key, sums.into_owned()).is_some() {
                return wrong("each class and reason must have one row");
            }
        }
        Ok(audit)
    }
}

/// Sums over the runs of one row.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Sums {
    // Written with the group.
    #[cfg_attr(feature = "serde", serde(skip_serializing))]
    runs: u64,
    #[cfg_attr(feature = "serde", serde(rename = "weight_sum"))]
    weights: ExactSum,
    /// The weighted sum of the numbers of steps.
    #[cfg_attr(feature = "serde", serde(rename = "step_sum"))]
    steps: ExactSum,
    /// The weighted sum of the runs' mean forecasts.
    #[cfg_attr(feature = "serde", serde(rename = "forecast_sum"))]
    forecasts: ExactSum,
}

impl Sums {
    fn update(&mut self, run: &Stopped<'_>, weight: Weight) {
        let mut sum = CompensatedSum::default();
        run.forecasts().iter().for_each(|forecast| sum.add(forecast.get()));
        let (steps, weight) = (run.forecasts().len() as f64, weight.get());
        self.runs = self.runs.saturating_add(1);
        self.weights.add(weight);
        self.steps.add_product(steps, weight);
        self.forecasts.add_product(sum.value() / steps, weight);
    }

    fn merge(&mut self, other: &Self) {
        self.runs = self.runs.saturating_add(other.runs);
        self.weights.merge(&other.weights);
        self.steps.merge(&other.steps);
        self.forecasts.merge(&other.forecasts);
    }

    /// There must be at least one run.
    fn group(&self) -> RunGroup {
        let weight = self.weights.value();
        RunGroup {
            runs: self.runs,
            weight,
            mean_length: self.steps.value() / weight,
            mean_forecast: self.forecasts.value() / weight,
        }
    }
}
