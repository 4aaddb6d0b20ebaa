use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use budget_estimation::{
    AbortLimit, AdaptiveConformal, AnswerMode, BudgetEstimator, Calibrated, Error, Estimate,
    Estimator, Level, LinearEstimator, PastQuantiles, Reading, Resource, Rollout, Rollouts, Sample,
    Seed, SuccessForecaster, bagen::ProbeMethod, estimator_from_fn,
};

use run_logs::json_lines::RunCounts;
use serde::Deserialize;
use trajectory_metrics::Bootstrap;

use crate::{clusters::ClusterBy, error, options, report::sentence::counted};

/// The number of turns that the linear estimator assumes until a run has succeeded.
const FIRST_TURNS: f64 = 20.0;
/// The relative half-width of the linear estimator's intervals.
const HALF_WIDTH: f64 = 0.5;
/// The step size by which each prefix moves the level of the calibrated intervals.
const STEP: f64 = 0.002;

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

    /// Returns the resource that is estimated; `total_tokens` is the sum of input and output tokens, see [`parts_of`].
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
                (&["cap"], "give the caps of several resources in the files".to_owned())
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

/// Runs of one or more files, in the order in which they are replayed.
#[derive(Clone, Debug)]
pub struct Input {
    /// The runs of all files, file by file. Failed runs that a budget ended are marked as cut off
    /// ([`Rollouts::set_censored`]).
    pub rollouts: Rollouts,
    /// The number of runs of each file. Each file has a separate estimator.
    pub lengths: Vec<usize>,
    /// The result that each run achieved, which [`Options::probes`] uses; NaN if it is unknown.
    pub achieved: Vec<f64>,
    /// The counts of all runs of the files, including runs that an earlier command left out.
    pub counts: RunCounts,
}

/// The runs that are scored, and the estimates on them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Runs {
    /// The runs.
    pub rollouts: Rollouts,
    /// The estimated resource.
    pub resource: Resource,
    /// A sample for each prefix with a remaining cost, in the order of runs and turns.
    pub samples: Vec<Sample>,
    /// The samples of the other prefixes.
    pub trivial: Vec<Sample>,
    /// The probability of success after each turn, for each run; empty for estimators that state none.
    pub chances: Vec<Vec<f64>>,
    /// Samples of recorded answers that were given before the first turn.
    pub before_first_turn: Vec<Sample>,
    /// The number of runs that were left out because a required cost is unknown.
    pub left_out: usize,
    /// The counts of all runs of the files, including runs that an earlier command left out.
    pub counts: RunCounts,
    /// Whether the runs that failed state the cost of each turn.
    pub is_use_stated: bool,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl Runs {
    /// Returns a sample for each prefix, sorted by run and turn.
    #[must_use]
    pub fn every_sample(&self) -> Vec<Sample> {
        let mut all = [self.samples.as_slice(), &self.trivial].concat();
        all.sort_by_key(|sample| (sample.rollout(), sample.turn()));
        all
    }
}

/// The name of the resource that counts input tokens excluding repeated history.
pub const FRESH: &str = "fresh_input_tokens";

/// Returns the resources in files that add up to this resource: `input_tokens` and `output_tokens` for `total_tokens`,
/// otherwise the resource itself.
#[must_use]
pub fn parts_of(resource: &str) -> Vec<&str> {
    match resource {
        "total_tokens" => vec!["input_tokens", "output_tokens"],
        _ => vec![resource],
    }
}

/// Replays runs: the estimator sees each prefix of a run, and learns from the run when it has ended.
///
/// # Errors
///
/// An error of budget-estimation, such as for a negative cap or a resource that the runs do not have.
pub fn replay(input: Input, options: &Options) -> Result<Runs, Error> {
    let Input { rollouts: mut all, lengths, achieved, counts: of_files } = input;
    let resource = handle(&mut all, options.resource())?;
    let others: Vec<Resource> =
        options.others().iter().map(|other| handle(&mut all, other)).collect::<Result<_, _>>()?;
    if let Some(cap) = options.cap {
        all.set_cap(resource, cap)?;
    }
    let file_of = lengths.iter().enumerate().flat_map(|(i, &length)| vec![i; length]);
    let file_of: Vec<usize> = file_of.collect();
    if let Some(seed) = options.probes {
        // In the same order whichever of the resources is estimated; the first is the time.
        let mut resources = vec![(options.resource(), resource)];
        let names = options.others().iter().map(String::as_str);
        resources.extend(names.zip(others.iter().copied()));
        resources.sort_by_key(|&(name, _)| (!name.contains("time"), name.to_owned()));
        let resources: Vec<Resource> =
            resources.into_iter().map(|(_, resource)| resource).collect();
        let (time, spent) = resources.split_first().ok_or(scoring_rules::Error::Empty)?;
        let seed = Seed(seed);
        all = all.probed(&achieved, *time, spent, ProbeMethod::Described, seed)?.0;
    }
    // A cap may be on a resource other than the estimated one.
    let knows = |run: &Rollout<'_>| {
        run.usage(resource).is_ok() && others.iter().all(|&other| run.usage(other).is_ok())
    };
    let known: Vec<bool> = all.iter().map(|run| knows(&run) && run.is_feasible().is_ok()).collect();
    let known_runs = chosen(all, &known);
    let file_of: Vec<usize> =
        file_of.iter().zip(&known).filter(|(_, known)| **known).map(|(file, _)| *file).collect();

    let mut counts = Counts::default();
    // Of the scored runs: the estimates after each turn but the last, and before the first turn.
    let (mut estimates, mut firsts) = (Vec::new(), Vec::new());
    let mut scored = Vec::with_capacity(known_runs.len());
    let mut chances = Vec::new();
    for file in 0..lengths.len() {
        let runs = || known_runs.iter().filter(|run| file_of[run.index()] == file);
        let cut_offs = runs().any(|run| run.is_censored());
        counts.cut_off_files += usize::from(cut_offs);
        let mut estimator = options.by.estimator(options.coverage, cut_offs)?;
        let is_forest = matches!(options.by, By::QuantileForest);
        // The model's answers in the current run, as an estimator.
        let answered = RefCell::new(Vec::new());
        let given = estimator_from_fn(|prefix| {
            let answered = answered.borrow();
            Ok(answered
                .get(prefix.turns().saturating_sub(1))
                .copied()
                .unwrap_or(Estimate::NoAnswer))
        });
        let calibrator = AdaptiveConformal::new(options.coverage, STEP)?;
        let mut calibrated = options.calibrates.then(|| Calibrated::new(given, calibrator));
        // The probability of success, as the estimator of intervals forecasts it.
        let mut success = is_forest.then(|| SuccessForecaster::new(AbortLimit::default()));
        for (position, run) in runs().enumerate() {
            let mut own = Vec::with_capacity(run.turns());
            if let Some(success) = &mut success {
                let mut stated = Vec::new();
                for prefix in run.replay(resource)? {
                    stated.push(success.forecast(&prefix)?.chance.get());
                }
                success.learn(&run, resource)?;
                if position >= options.warm_up {
                    chances.push(stated);
                }
            }
            run.score(resource, &mut *estimator, |sample| {
                own.push(sample.estimate());
                Ok(())
            })?;
            let is_scored = position >= options.warm_up;
            let mut first = None;
            if let By::Recorded { answers, .. } = &options.by {
                let answers = answers.get(options.resource());
                let answers = answers.and_then(|answers| answers.get(run.id()?));
                first = answers.and_then(|answers| answers.get(&0)).map(|it| it.estimate);
                for (turn, estimate) in (1..).zip(&mut own) {
                    match answers.and_then(|answers| answers.get(&turn)) {
                        Some(recorded) => {
                            *estimate = recorded.estimate;
                            if let Some(problem) = recorded.problem.clone().filter(|_| is_scored) {
                                *counts.unreadable.entry(problem).or_default() += 1;
                            }
                        }
                        None => {
                            let id = run.id().unwrap_or_default().to_owned();
                            let is_asked = !options.left_out.contains(&(id, turn));
                            counts.missing += usize::from(is_scored && is_asked);
                        }
                    }
                }
                if let Some(calibrated) = &mut calibrated {
                    // An interval around 0 cannot be widened by a share of its midpoint, and stays.
                    let is_moved = |it: &Estimate| it.ends().is_some_and(|it| it.high() > 0.0);
                    let moved = |it: &Estimate| if is_moved(it) { *it } else { Estimate::NoAnswer };
                    answered.replace(own.iter().map(moved).collect());
                    for (prefix, estimate) in run.replay(resource)?.zip(&mut own) {
                        let moved = calibrated.estimate(&prefix)?;
                        // An answer that the model did not predict impossible is not changed to impossible.
                        if is_moved(estimate) && moved != Estimate::Impossible {
                            *estimate = moved;
                            let is_lost = is_scored && moved == Estimate::NoAnswer;
                            counts.uncalibrated += usize::from(is_lost);
                        }
                    }
                    calibrated.learn(&run, resource)?;
                }
            }
            if matches!(options.by, By::Conformal) && is_scored {
                counts.uncalibrated += own.iter().filter(|it| **it == Estimate::NoAnswer).count();
            }
            if is_scored {
                estimates.extend(own);
                firsts.push(first);
            }
            scored.push(is_scored);
        }
    }
    let left_out = known.len() - known_runs.len();
    let rollouts = chosen(known_runs, &scored);
    let mut samples = Vec::with_capacity(estimates.len());
    let (mut trivial, mut before_first_turn) = (Vec::new(), Vec::new());
    let mut estimates = estimates.into_iter();
    for (run, first) in rollouts.iter().zip(firsts) {
        for (turn, estimate) in (1..run.turns()).zip(estimates.by_ref()) {
            if run.id().is_some_and(|id| options.left_out.contains(&(id.to_owned(), turn))) {
                continue;
            }
            let sample = Sample::new(&run, resource, turn, estimate)?;
            let sample = sample.with_reading(options.reading);
            if sample.is_trivial() { &mut trivial } else { &mut samples }.push(sample);
        }
        if let Some(estimate) = first {
            let sample = Sample::new(&run, resource, 0, estimate)?.with_reading(options.reading);
            before_first_turn.extend((!sample.is_trivial()).then_some(sample));
        }
    }
    counts.trivial = trivial.len();
    counts.warm_up = scored.len() - rollouts.len();
    counts.repeated =
        rollouts.len() - rollouts.iter().map(|run| run.id()).collect::<BTreeSet<_>>().len();
    let notes = counts.notes(options, left_out);
    Ok(Runs {
        counts: of_files,
        is_use_stated: true,
        rollouts,
        resource,
        samples,
        trivial,
        chances,
        before_first_turn,
        left_out,
        notes,
    })
}

/// Returns the chosen runs, without a copy if they are all of them.
pub(super) fn chosen(all: Rollouts, is_chosen: &[bool]) -> Rollouts {
    if is_chosen.contains(&false) { all.filter(|run| is_chosen[run.index()]) } else { all }
}

/// Returns the resource of this name, computed from its parts if it is a sum.
pub(super) fn handle(all: &mut Rollouts, resource: &str) -> Result<Resource, Error> {
    if let Ok(known) = all.resource(resource) {
        return Ok(known);
    }
    let parts = parts_of(resource);
    if let [one] = parts[..] {
        return all.resource(one);
    }
    // A token that is sent again is counted once where the files say which are new.
    let has_fresh = all.resource(FRESH).is_ok();
    let new = parts.iter().map(|&part| match part {
        "input_tokens" if has_fresh => FRESH,
        part => part,
    });
    let parts: Vec<Resource> = new.map(|part| all.resource(part)).collect::<Result<_, _>>()?;
    all.add_sum(resource, &parts)
}

/// The counts that notes report.
#[derive(Default)]
struct Counts {
    cut_off_files: usize,
    warm_up: usize,
    trivial: usize,
    uncalibrated: usize,
    missing: usize,
    repeated: usize,
    unreadable: BTreeMap<String, usize>,
}

impl Counts {
    fn notes(&self, options: &Options, left_out: usize) -> Vec<String> {
        let mut notes = Vec::new();
        let mut note = |count: usize, text: String| {
            if count > 0 {
                notes.push(text);
            }
        };
        let name = options.resource();
        let runs = |count: usize| counted(count, "run");
        let prefixes = |count: usize| counted(count, "prefix");
        note(
            left_out,
            format!(
                "{} left out because {name} or another cost with a cap is not known",
                runs(left_out)
            ),
        );
        let Self { warm_up, trivial, uncalibrated, missing, repeated, .. } = *self;
        note(
            warm_up,
            format!("{} used only for learning and not scored (--warm-up)", runs(warm_up)),
        );
        note(
            trivial,
            format!("{} left out because nothing remained to be spent", prefixes(trivial)),
        );
        note(
            uncalibrated,
            format!(
                "{} without a calibrated interval, counted as no answer, because there are too few earlier runs or too many misses",
                prefixes(uncalibrated)
            ),
        );
        note(missing, format!("{} without an estimate, counted as no answer", prefixes(missing)));
        note(
            repeated,
            format!(
                "{} with the id of an earlier run, each treated as a separate run",
                runs(repeated)
            ),
        );
        let unreadable: usize = self.unreadable.values().sum();
        let kinds: Vec<String> =
            self.unreadable.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let answers = counted(unreadable, "answer");
        note(
            unreadable,
            format!("{answers} that could not be read, counted as no answer: {}", kinds.join(", ")),
        );
        match options.by {
            By::Linear => note(
                1,
                format!(
                    "linear assumes the mean number of turns of past successes ({FIRST_TURNS} turns until a run has succeeded) and a relative half-width of {HALF_WIDTH}; its intervals have no nominal coverage, so their losses are computed with the coverage of the report"
                ),
            ),
            By::Quantile | By::Conformal | By::QuantileForest => note(
                self.cut_off_files,
                "from a run that a budget ended, the estimator learns only that the run needed at least what it had spent"
                    .to_owned(),
            ),
            By::Recorded { .. } => {}
        }
        notes
    }
}
