//! Values of options.

pub(crate) use agent_scorecard::ClusterBy;

use agent_scorecard::traces::Calibration;
use censoring::CalibrationRuns;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use knapsack_oracle::Alpha;
use trajectory_metrics::Level;

/// A choice between values by their names, which help and errors list.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<(&str, T)> = choices.into_iter().collect();
    let names = PossibleValuesParser::new(choices.iter().map(|(name, _)| *name));
    names.try_map(move |name| {
        let found = choices.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone()).ok_or("there is no such name")
    })
}

/// More resamples change no digit that is shown, and take hours.
const MOST_RESAMPLES: u64 = 1_000_000;

/// A whole number within these ends.
pub(crate) fn whole<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| match most {
            u64::MAX => format!("give a whole number of at least {least}"),
            most => format!("give a whole number from {least} to {most}"),
        })
    }
}

/// A number of resamples, 0 for none.
pub(crate) fn resamples(text: &str) -> Result<usize, &'static str> {
    whole(0, MOST_RESAMPLES)(text).map_err(|_| "give a whole number up to 1000000")
}

/// A number of resamples that a standard error can be computed from.
pub(crate) fn several_resamples(text: &str) -> Result<usize, String> {
    whole(2, MOST_RESAMPLES)(text)
}

/// A seed.
pub(crate) fn seed(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "give a whole number from 0 to 18446744073709551615")
}

/// A share, from 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    // Adding 0 turns -0 into 0.
    share.map(|share: f64| share + 0.0).ok_or("give a number from 0 to 1")
}

/// A budget as a share of the costs.
pub(crate) fn alpha(text: &str) -> Result<Alpha, &'static str> {
    let alpha = text.parse().ok().and_then(|share| Alpha::new(share).ok());
    alpha.ok_or("give a number above 0 and at most 1")
}

/// A budget of a resource.
pub(crate) fn cap(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|cap| (0.0..=1e100).contains(cap))
        .ok_or("give a number from 0 to 1e100")
}

/// Caps with commas between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caps {
    pub(crate) values: Vec<f64>,
    /// Whether they may be one number with commas at thousands, as 1,200.
    pub(crate) may_be_one: bool,
}

/// Caps.
pub(crate) fn caps(text: &str) -> Result<Caps, &'static str> {
    let values: Vec<f64> = text.split(',').map(cap).collect::<Result<_, _>>()?;
    let mut groups = text.split(',');
    let is_short = groups.next().is_some_and(|first| first.len() < 3);
    let are_thousands = groups.all(|group| group.len() == 3 && !group.contains('.'));
    Ok(Caps { may_be_one: values.len() > 1 && is_short && are_thousands, values })
}

/// A coverage.
pub(crate) fn level(text: &str) -> Result<Level, &'static str> {
    let level = text.parse().ok().and_then(|share| Level::new(share).ok());
    level.ok_or("give a number between 0 and 1")
}

/// A number.
pub(crate) fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "give a number")
}

/// The ways of calibrating.
pub(crate) fn calibration() -> impl TypedValueParser<Value = Calibration> {
    let all = [Calibration::None, Calibration::Platt, Calibration::Isotonic];
    one_of(["none", "platt", "isotonic"].into_iter().zip(all))
}

/// The option that chooses the runs that calibration is fitted on.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FittedOn {
    /// The runs that calibration is fitted on: complete, or cut-off-as-failures, which adds the runs that were cut off as
    /// failures, so that forecasts become chances of being complete and successful
    #[arg(long, value_name = "RUNS", default_value = "complete", requires = "calibrate", value_parser = one_of([("complete", CalibrationRuns::Complete), ("cut-off-as-failures", CalibrationRuns::CutOffAsFailures)]))]
    pub(crate) calibrate_on: CalibrationRuns,
}

/// The options that choose what intervals resample as a whole.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Clustering {
    /// What intervals resample: whole tasks, or runs where all of them are of one task or name none (task);
    /// or runs in any case (run), for tasks that are kinds of questions and not the same question again
    #[arg(long, default_value = "task", value_parser = one_of([("task", ClusterBy::Task), ("run", ClusterBy::Run)]))]
    cluster_by: ClusterBy,
    /// Resample tasks only: refuse runs that name no task, and give no intervals for a single task
    #[arg(long, conflicts_with = "cluster_by")]
    cluster_by_task: bool,
}

impl Clustering {
    pub(crate) fn by(self) -> ClusterBy {
        if self.cluster_by_task { ClusterBy::TaskOnly } else { self.cluster_by }
    }
}

/// The name of a resource, with a cap if one is given.
pub(crate) fn capped(text: &str) -> Result<(String, Option<f64>), &'static str> {
    let (name, cap) = text.split_once('=').map_or((text, None), |(name, cap)| (name, Some(cap)));
    if name.is_empty() {
        return Err("give a name, or a name and a cap, as in total_tokens=2500");
    }
    Ok((name.to_owned(), cap.map(self::cap).transpose()?))
}
