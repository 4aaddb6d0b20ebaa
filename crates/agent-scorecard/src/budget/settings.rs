use std::collections::{BTreeMap, BTreeSet};

use budget_estimation::{
    AdaptiveConformal, AnswerMode, BudgetEstimator, Calibrated, Error, Estimate, Estimator, Level,
    LinearEstimator, PastQuantiles, Reading, estimator_from_fn,
};
use serde::Deserialize;
use trajectory_metrics::Bootstrap;

use crate::{clusters::ClusterBy, error, options};

/// The number of turns that the linear estimator assumes until a run has succeeded.
pub(super) const FIRST_TURNS: f64 = 20.0;
/// The relative half-width of the linear estimator's intervals.
pub(super) const HALF_WIDTH: f64 = 0.5;
/// The step size by which each prefix moves the level of the calibrated intervals.
pub(super) const STEP: f64 = 0.002;

/// A model's answer after some turns of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The estimate, [`Estimate::NoAnswer`] where the answer could not be read.
    pub estimate: Estimate,
    /// The reason why the answer could not be read, as one word.
    pub problem: Option<String>,
}

/// A model's answers, by the id of the run and the number of completed turns.
pub type Answers = BTreeMap<String, BTreeMap<usize, Recorded>>;

/// The source of the estimates: an estimator, or a model's recorded answers.
#[derive(Clone, Debug)]
pub enum By {
    /// Linear extrapolation: remaining turns cost as much as the past ones.
    Linear,
    /// Quantiles of the costs of past runs.
    Quantile,
    /// Quantiles of the costs of past runs, calibrated run by run.
    Conformal,
    /// A quantile regression forest over features and keys ([`BudgetEstimator`]).
    QuantileForest,
    /// The recorded answers of a model.
    Recorded {
        /// The file of the answers, or another name for it.
        file: String,
        /// The answers about each resource.
        answers: BTreeMap<String, Answers>,
    },
}

impl By {
    /// The estimators that learn from earlier runs. The first one is the best on the recorded runs of
    /// `docs/findings.md`.
    pub const LEARNING: [Self; 4] =
        [Self::QuantileForest, Self::Conformal, Self::Quantile, Self::Linear];

    /// Returns the estimator of this name that learns from earlier runs. `default` is an older name of `quantile-forest`.
    ///
    /// ```
    /// use agent_scorecard::budget::By;
    ///
    /// for by in By::LEARNING {
    ///     assert_eq!(By::named(by.name()).unwrap().name(), by.name());
    /// }
    /// assert_eq!(By::named("default").unwrap().name(), "quantile-forest");
    /// assert!(By::named("answers.jsonl").is_none());
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "default" { "quantile-forest" } else { name };
        Self::LEARNING.into_iter().find(|by| by.name() == name)
    }

    /// Returns the name of the estimator, or for recorded answers the name of their file.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Linear => "linear",
            Self::Quantile => "quantile",
            Self::Conformal => "conformal",
            Self::QuantileForest => "quantile-forest",
            Self::Recorded { file, .. } => file,
        }
    }

    /// Creates a new estimator that has seen no run.
    pub(crate) fn estimator(
        &self,
        coverage: Level,
        cut_offs: bool,
    ) -> Result<Box<dyn Estimator>, Error> {
        let past = || {
            if cut_offs {
                PastQuantiles::survival_aware(coverage)
            } else {
                PastQuantiles::new(coverage)
            }
        };
        Ok(match self {
            Self::Linear => Box::new(LinearEstimator::learning(FIRST_TURNS, HALF_WIDTH)?),
            Self::Quantile => Box::new(past()),
            Self::Conformal => {
                let calibrator = AdaptiveConformal::new(coverage, STEP)?;
                Box::new(Calibrated::new(past(), calibrator))
            }
            Self::QuantileForest => Box::new(BudgetEstimator::new(coverage)),
            // Read from the file, not asked.
            Self::Recorded { .. } => Box::new(estimator_from_fn(|_| Ok(Estimate::NoAnswer))),
        })
    }
}

/// The options for evaluating estimates: the resource, the estimator and the scoring. The defaults are those of the
/// command.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Cap on the cost of each run, in units of the resource
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = options::cap))]
    #[serde(deserialize_with = "options::read::cap")]
    pub cap: Option<f64>,
    /// Resource to estimate: output_tokens, fresh_input_tokens (input excluding repeated history), total_tokens (fresh
    /// input and output, or whole requests if the files have no fresh input), input_tokens, cost_usd or any other
    /// resource of the files. Several resources are separated by commas: the report then covers each one and their
    /// joint hit rate, and the files give the caps
    #[cfg_attr(feature = "clap", arg(long = "resource", value_name = "NAME,...", default_value = "output_tokens", value_parser = options::texts))]
    #[serde(rename = "resource", deserialize_with = "options::read::texts")]
    // With its path it is one value for clap, so that errors show all of it.
    pub resources: std::vec::Vec<String>,
    /// Nominal coverage of the estimated intervals, from 0 to 1
    #[cfg_attr(feature = "clap", arg(long, default_value = "0.8", value_parser = options::level))]
    #[serde(deserialize_with = "options::read::level")]
    pub coverage: Level,
    /// Also accept recorded answers that deviate from the required format
    #[cfg_attr(feature = "clap", arg(long, overrides_with = "points"))]
    pub lenient: bool,
    /// Like --lenient, and also read a single number, as an interval of zero width
    #[cfg_attr(feature = "clap", arg(long, overrides_with = "lenient"))]
    pub points: bool,
    /// Widen or narrow the recorded intervals so that they reach --coverage. The change is learned from earlier runs
    #[cfg_attr(feature = "clap", arg(long = "calibrate"))]
    #[serde(rename = "calibrate")]
    pub calibrates: bool,
    /// Which estimates count as predictions of failure: with cap, "impossible" and intervals that lie above the
    /// remaining budget; with answers, only "impossible", as in the paper
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", default_value = "cap", value_parser = options::names::<Reading>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub reading: Reading,
    /// Draw a target and budgets for each run with the field `achieved`, and label the run as feasible if it meets
    /// them, as half of the runs do. SEED is the seed of the draws. The first resource with "time" in its name is the
    /// time
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", value_parser = options::seed))]
    #[serde(deserialize_with = "options::read::some_seed")]
    pub probes: Option<u64>,
    /// Fields of the runs, such as model, that quantile-forest uses in addition to task to find similar runs
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = options::text))]
    #[serde(deserialize_with = "options::read::texts")]
    pub keys: Vec<String>,
    /// Number of runs at the beginning of each file that are not scored; estimators only learn from them
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "0", value_parser = options::count))]
    #[serde(deserialize_with = "options::read::count")]
    pub warm_up: usize,
    /// Number of bootstrap resamples of whole tasks for the 95 % intervals; 0 gives no intervals
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Bootstrap::RESAMPLES, value_parser = options::resamples))]
    #[serde(alias = "n_resamples", deserialize_with = "options::read::resamples")]
    pub resamples: usize,
    /// Seed of the bootstrap
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "1", value_parser = options::seed))]
    #[serde(alias = "random_state", deserialize_with = "options::read::seed")]
    pub seed: u64,
    /// Unit that the bootstrap resamples: task for all runs of a task together, or for single runs if there is only one
    /// task or none is named; task-only for tasks, which every run must name; run for single runs, if tasks are only
    /// categories
    #[cfg_attr(feature = "clap", arg(long, default_value = "task", value_parser = options::names::<ClusterBy>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub cluster_by: ClusterBy,
    /// Also report on the runs of all files together, in the JSON output only
    #[cfg_attr(feature = "clap", arg(long))]
    pub pool: bool,
    /// Id of the run that the picture shows (default: the longest feasible run)
    #[cfg_attr(feature = "clap", arg(long = "plot-id", value_name = "ID"))]
    #[serde(rename = "plot_id")]
    pub drawn_run: Option<String>,
    /// The source of the estimates.
    #[cfg_attr(feature = "clap", arg(skip = By::QuantileForest))]
    #[serde(skip)]
    pub by: By,
    /// Prefixes that are not scored, each given by the id of the run and the number of completed turns.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub left_out: BTreeSet<(String, usize)>,
    /// Whether pictures are made.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub with_pictures: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cap: None,
            resources: vec!["output_tokens".to_owned()],
            coverage: COVERAGE,
            lenient: false,
            points: false,
            calibrates: false,
            reading: Reading::Cap,
            probes: None,
            keys: Vec::new(),
            warm_up: 0,
            resamples: Bootstrap::RESAMPLES,
            seed: 1,
            cluster_by: ClusterBy::default(),
            pool: false,
            drawn_run: None,
            by: By::QuantileForest,
            left_out: BTreeSet::new(),
            with_pictures: false,
        }
    }
}

/// The default coverage of intervals.
const COVERAGE: Level = match Level::new(0.8) {
    Ok(level) => level,
    Err(_) => Level::HALF,
};

impl Options {
    /// Creates the options for one resource: with [`Reading::Cap`], and without caps, probes, warm-up, intervals and
    /// pictures.
    #[must_use]
    pub fn new(resource: impl Into<String>, by: By, coverage: Level) -> Self {
        Self { resources: vec![resource.into()], by, coverage, resamples: 0, ..Self::default() }
    }

    /// Returns the resource that is estimated; `total_tokens` is the sum of input and output tokens, see [`parts_of`](super::parts_of).
    #[must_use]
    pub fn resource(&self) -> &str {
        self.resources.first().map_or("output_tokens", String::as_str)
    }

    /// Returns the estimated resources after the first one. Runs with an unknown amount of one of them are left out.
    #[must_use]
    pub fn others(&self) -> &[String] {
        self.resources.get(1..).unwrap_or_default()
    }

    /// Checks that the options are compatible.
    ///
    /// # Errors
    ///
    /// [`Options`](error::Error::Options) with the names of the incompatible options.
    pub fn check(&self) -> Result<(), error::Error> {
        let is_one = self.others().is_empty();
        let is_repeated = |at: usize| self.resources[..at].contains(&self.resources[at]);
        let (options, problem): (&'static [&'static str], _) = match () {
            () if (1..self.resources.len()).any(is_repeated) => {
                (&["resource"], "give each name once".to_owned())
            }
            () if self.cap.is_some() && !is_one => {
                (&["cap"], "with several resources, give the caps in the files".to_owned())
            }
            () => return Ok(()),
        };
        Err(error::Error::Options { options, problem })
    }

    /// Returns how leniently recorded answers are parsed.
    #[must_use]
    pub fn answer_mode(&self) -> AnswerMode {
        match (self.lenient, self.points) {
            (_, true) => AnswerMode::LenientPoints,
            (true, _) => AnswerMode::Lenient,
            _ => AnswerMode::Strict,
        }
    }
}
