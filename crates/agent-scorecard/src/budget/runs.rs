use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use budget_estimation::{
    AdaptiveConformal, BudgetEstimator, Calibrated, Error, Estimate, Estimator, Level,
    LinearEstimator, MarginUnit, PastQuantiles, ProbeMethod, Reading, Resource, Rollout, Rollouts,
    Sample, Seed, estimator_from_fn,
};

use run_logs::json_lines::RunCounts;

use crate::clusters::ClusterBy;

/// Turns that the linear estimator assumes until a run has succeeded.
const FIRST_TURNS: f64 = 20.0;
/// Relative half-width of its intervals.
const HALF_WIDTH: f64 = 0.5;
/// By how much one prefix moves the level of the calibrated intervals.
const STEP: f64 = 0.002;

/// What a model said after some turns of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The estimate, [`Estimate::NoAnswer`] where the answer could not be read.
    pub estimate: Estimate,
    /// The kind of fault for which the answer could not be read.
    pub problem: Option<String>,
}

/// What was said, by the id of the run and the number of completed turns.
pub type Answers = BTreeMap<String, BTreeMap<usize, Recorded>>;

/// Who estimates.
#[derive(Clone, Debug)]
pub enum By {
    /// Turns to come cost what the past ones did.
    Linear,
    /// Quantiles of past runs.
    Quantile,
    /// Quantiles of past runs, calibrated run by run.
    Conformal,
    /// A quantile regression forest over features and keys ([`BudgetEstimator`]).
    QuantileForest,
    /// A model, whose answers were recorded.
    Recorded {
        /// The file of the answers, or another name for them.
        file: String,
        /// The answers about each resource.
        answers: BTreeMap<String, Answers>,
    },
}

impl By {
    /// The estimators that learn from the runs before. The first is the best on the recorded runs of `docs/findings.md`.
    pub const LEARNING: [Self; 4] =
        [Self::QuantileForest, Self::Conformal, Self::Quantile, Self::Linear];

    /// The estimator of this name among those that learn from the runs before. `default` is an older name of
    /// `quantile-forest`.
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

    /// The name of the estimator, or the file of recorded answers.
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

    /// A new one that has seen no run.
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
                Box::new(Calibrated::new(past(), calibrator, MarginUnit::Midpoint))
            }
            Self::QuantileForest => Box::new(BudgetEstimator::new(coverage)),
            // Read from the file, not asked.
            Self::Recorded { .. } => Box::new(estimator_from_fn(|_| Ok(Estimate::NoAnswer))),
        })
    }
}

/// What is estimated, by whom, and how it is judged.
#[derive(Clone, Debug)]
pub struct Options {
    /// The resource that is estimated; `total_tokens` is the sum of input and output tokens, see [`parts_of`].
    pub resource: String,
    /// Resources that are estimated too. Runs of which one of them is not known are left out.
    pub others: Vec<String>,
    /// The seed of feasibility probes, if the runs are to be labelled by random targets and budgets. The time
    /// is the first resource with `time` in its name.
    pub probes: Option<u64>,
    /// A cap on the resource for every run, at least 0 and in the unit of the resource.
    pub cap: Option<f64>,
    /// Who estimates.
    pub by: By,
    /// What counts as "impossible".
    pub reading: Reading,
    /// The share of the outcomes that the intervals claim to hold.
    pub coverage: Level,
    /// Runs at the start of each file that are learnt from and not scored.
    pub warm_up: usize,
    /// Prefixes that are not scored, by the id of the run and the number of completed turns.
    pub left_out: BTreeSet<(String, usize)>,
    /// What intervals of figures resample as a whole.
    pub cluster_by: ClusterBy,
    /// Whether recorded answers are widened or narrowed, so that they hold what remained as often as `coverage` says: by
    /// runs before in the file, as for [`By::Conformal`]. Intervals that would end above a cap as a whole, and those around 0, stay.
    pub calibrates: bool,
    /// Resamples behind the intervals of 95 %; 0 for none.
    pub resamples: usize,
    /// The seed of the resamples.
    pub seed: u64,
    /// Whether pictures are made.
    pub with_pictures: bool,
    /// The id of the run that is drawn; the longest feasible run if no run has this id.
    pub drawn_run: Option<String>,
}

impl Options {
    /// Options for one resource, by [`Reading::Cap`], without caps, probes, warm-up, intervals and pictures.
    #[must_use]
    pub fn new(resource: impl Into<String>, by: By, coverage: Level) -> Self {
        Self {
            resource: resource.into(),
            others: Vec::new(),
            probes: None,
            cap: None,
            by,
            reading: Reading::Cap,
            coverage,
            warm_up: 0,
            left_out: BTreeSet::new(),
            cluster_by: ClusterBy::default(),
            calibrates: false,
            resamples: 0,
            seed: 1,
            with_pictures: false,
            drawn_run: None,
        }
    }
}

/// Runs of one or more files, in the order in which they are replayed.
#[derive(Clone, Debug)]
pub struct Input {
    /// The runs of one file after the other. Failed runs that a budget ended are marked as cut off
    /// ([`Rollouts::set_censored`]).
    pub rollouts: Rollouts,
    /// The number of runs of each file. Each file has an estimator of its own.
    pub lengths: Vec<usize>,
    /// What each run achieved, NaN if unknown; for [`Options::probes`].
    pub achieved: Vec<f64>,
    /// All runs of the files, including those that were left out before.
    pub counts: RunCounts,
}

/// The runs that are scored, and the estimates on them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Runs {
    /// The runs.
    pub rollouts: Rollouts,
    /// What was estimated.
    pub resource: Resource,
    /// A sample for each prefix after which something remained, by run and turn.
    pub samples: Vec<Sample>,
    /// A sample for each prefix, by run and turn.
    pub every_sample: Vec<Sample>,
    /// The chance of success after each turn, for each run; empty for estimators that state none.
    pub chances: Vec<Vec<f64>>,
    /// Samples of recorded answers before the first turn.
    pub before_first_turn: Vec<Sample>,
    /// Runs left out because a cost that is needed is not known.
    pub left_out: usize,
    /// All runs of the files, including those that were left out before.
    pub counts: RunCounts,
    /// Whether the runs state what each turn of a failed run used.
    pub is_use_stated: bool,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The input without the history that requests repeat.
pub const FRESH: &str = "fresh_input_tokens";

/// The resources of a file that a resource is the sum of: `input_tokens` and `output_tokens` for `total_tokens`,
/// the resource itself otherwise.
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
    let resource = handle(&mut all, &options.resource)?;
    let others: Vec<Resource> =
        options.others.iter().map(|other| handle(&mut all, other)).collect::<Result<_, _>>()?;
    if let Some(cap) = options.cap {
        all.set_cap(resource, cap)?;
    }
    let file_of = lengths.iter().enumerate().flat_map(|(i, &length)| vec![i; length]);
    let file_of: Vec<usize> = file_of.collect();
    if let Some(seed) = options.probes {
        // In the same order whichever of the resources is estimated; the first is the time.
        let mut resources = vec![(&options.resource, resource)];
        resources.extend(options.others.iter().zip(others.iter().copied()));
        resources.sort_by_key(|&(name, _)| (!name.contains("time"), name.to_owned()));
        let resources: Vec<Resource> =
            resources.into_iter().map(|(_, resource)| resource).collect();
        let (time, spent) = resources.split_first().ok_or(scoring_rules::Error::Empty)?;
        let seed = Seed::new(seed);
        all = all.probed(&achieved, *time, spent, ProbeMethod::Described, seed)?.0;
    }
    // A cap may be on another resource than that which is estimated.
    let knows =
        |run: &Rollout<'_>| run.knows(resource) && others.iter().all(|&other| run.knows(other));
    let known: Vec<bool> = all.iter().map(|run| knows(&run) && run.is_feasible().is_ok()).collect();
    let known_runs = all.filter(|run| known[run.index()]);
    let file_of: Vec<usize> =
        file_of.iter().zip(&known).filter(|(_, known)| **known).map(|(file, _)| *file).collect();

    let mut counts = Counts::default();
    let mut estimates: Vec<(Option<Estimate>, Vec<Estimate>)> =
        Vec::with_capacity(known_runs.len());
    let mut scored = Vec::with_capacity(known_runs.len());
    let mut chances = Vec::new();
    for file in 0..lengths.len() {
        let runs = || known_runs.iter().filter(|run| file_of[run.index()] == file);
        let cut_offs = runs().any(|run| run.is_censored());
        counts.cut_off_files += usize::from(cut_offs);
        let mut estimator = options.by.estimator(options.coverage, cut_offs)?;
        let is_forest = matches!(options.by, By::QuantileForest);
        // What a model answered in the current run, as an estimator.
        let answered = RefCell::new(Vec::new());
        let given = estimator_from_fn(|prefix| {
            let answered = answered.borrow();
            Ok(answered
                .get(prefix.turns().saturating_sub(1))
                .copied()
                .unwrap_or(Estimate::NoAnswer))
        });
        let calibrator = AdaptiveConformal::new(options.coverage, STEP)?;
        let mut calibrated =
            options.calibrates.then(|| Calibrated::new(given, calibrator, MarginUnit::Midpoint));
        // A second one, which is asked for the chance of success.
        let mut forest = is_forest.then(|| BudgetEstimator::new(options.coverage));
        for (position, run) in runs().enumerate() {
            let mut own = Vec::with_capacity(run.turns());
            if let Some(forest) = &mut forest {
                let mut stated = Vec::new();
                for prefix in run.replay(resource)? {
                    stated.push(forest.forecast_success(&prefix)?.chance.get());
                }
                forest.learn(&run, resource)?;
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
                let answers = answers.get(&options.resource);
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
                        // What the model did not call impossible is not called so in its name.
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
            estimates.push((first, own));
            scored.push(is_scored);
        }
    }
    let rollouts = known_runs.filter(|run| scored[run.index()]);
    let estimates = estimates.iter().zip(&scored).filter(|(_, scored)| **scored).map(|(e, _)| e);
    let (mut samples, mut every_sample, mut before_first_turn) = (vec![], vec![], vec![]);
    for (run, (first, estimates)) in rollouts.iter().zip(estimates) {
        for (turn, estimate) in (1..).zip(estimates) {
            if run.id().is_some_and(|id| options.left_out.contains(&(id.to_owned(), turn))) {
                continue;
            }
            let sample = Sample::new(&run, resource, turn, *estimate)?;
            let sample = sample.with_reading(options.reading);
            every_sample.push(sample);
            if sample.is_trivial() {
                counts.trivial += 1;
            } else {
                samples.push(sample);
            }
        }
        if let Some(estimate) = *first {
            let sample = Sample::new(&run, resource, 0, estimate)?.with_reading(options.reading);
            before_first_turn.extend((!sample.is_trivial()).then_some(sample));
        }
    }
    counts.warm_up = scored.len() - rollouts.len();
    counts.repeated =
        rollouts.len() - rollouts.iter().map(|run| run.id()).collect::<BTreeSet<_>>().len();
    let left_out = all.len() - known_runs.len();
    let notes = counts.notes(options, left_out);
    Ok(Runs {
        counts: of_files,
        is_use_stated: true,
        rollouts,
        resource,
        samples,
        every_sample,
        chances,
        before_first_turn,
        left_out,
        notes,
    })
}

/// The resource of this name, made of its parts if it is a sum.
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

/// What is worth a note.
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
        let name = &options.resource;
        let runs = |count: usize| many(count, "run", "runs");
        let prefixes = |count: usize| many(count, "prefix", "prefixes");
        note(
            left_out,
            format!("{} left out, as {name} or a cost that has a cap is not known", runs(left_out)),
        );
        let Self { warm_up, trivial, uncalibrated, missing, repeated, .. } = *self;
        note(warm_up, format!("{} learnt from and not scored, as asked for", runs(warm_up)));
        note(trivial, format!("{} left out, as nothing remained to be spent", prefixes(trivial)));
        note(
            uncalibrated,
            format!(
                "{} without a calibrated interval, counted as no answer: too few earlier runs, or too many misses",
                prefixes(uncalibrated)
            ),
        );
        note(missing, format!("{} without an estimate, taken as no answer", prefixes(missing)));
        note(repeated, format!("{} with the id of another one, taken as others", runs(repeated)));
        let unreadable: usize = self.unreadable.values().sum();
        let kinds: Vec<String> =
            self.unreadable.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let answers = many(unreadable, "answer", "answers");
        note(
            unreadable,
            format!("{answers} that could not be read, taken as none: {}", kinds.join(", ")),
        );
        match options.by {
            By::Linear => note(
                1,
                format!(
                    "linear assumes the mean number of turns of past successes, {FIRST_TURNS} before the first, and a relative half-width of {HALF_WIDTH}; its intervals claim no coverage, and their losses are computed as if they claimed it"
                ),
            ),
            By::Quantile | By::Conformal | By::QuantileForest => note(
                self.cut_off_files,
                "runs that a budget ended are learnt from as having needed at least so much"
                    .to_owned(),
            ),
            By::Recorded { .. } => {}
        }
        notes
    }
}

pub(super) fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
