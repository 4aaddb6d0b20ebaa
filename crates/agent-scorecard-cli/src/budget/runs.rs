//! Recorded runs, replayed before an estimator that learns from each when it has ended.

use std::collections::{BTreeMap, BTreeSet};

use budget_estimation::{
    AdaptiveConformal, BudgetEstimator, Calibrated, Error, Estimate, Estimator, Level,
    LinearEstimator, MarginUnit, PastQuantiles, ProbeMethod, Resource, Rollout, Rollouts, Sample,
    Seed, estimator_from_fn, probed_rollouts, replay as prefixes_of, score_rollout,
};

use crate::{
    budget::{
        estimate_file::Answers,
        rollout_file::{FRESH, RolloutFile, Spent, together},
    },
    files::run_counts::RunCounts,
    values::ClusterBy,
};

/// Turns that the linear estimator assumes until a run has succeeded.
const FIRST_TURNS: f64 = 20.0;
/// Relative half-width of its intervals.
const HALF_WIDTH: f64 = 0.5;
/// By how much one prefix moves the level of the calibrated intervals.
const STEP: f64 = 0.002;

/// Who estimates.
#[derive(Clone, Debug)]
pub enum By {
    /// Turns to come cost what the past ones did.
    Linear,
    /// Quantiles of past runs.
    Quantile,
    /// These, calibrated run by run.
    Conformal,
    /// The library's default, which learns from features and keys.
    Default,
    /// Someone else, who was recorded.
    Recorded {
        /// The file of the answers.
        file: String,
        /// The answers.
        answers: Answers,
    },
}

impl By {
    /// Its name, or the file of recorded answers.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Linear => "linear",
            Self::Quantile => "quantile",
            Self::Conformal => "conformal",
            Self::Default => "default",
            Self::Recorded { file, .. } => file,
        }
    }

    /// A new one that has seen no run.
    fn estimator(&self, coverage: Level, cut_offs: bool) -> Result<Box<dyn Estimator>, Error> {
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
            Self::Default => Box::new(BudgetEstimator::new(coverage)),
            // Read from the file, not asked.
            Self::Recorded { .. } => Box::new(estimator_from_fn(|_| Ok(Estimate::NoAnswer))),
        })
    }
}

/// What the caller may choose of the replay.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is to be estimated.
    pub spent: Spent,
    /// Other resources that are estimated too, which must be known of every run.
    pub others: Vec<Spent>,
    /// The seed of feasibility probes, if the runs are to be labelled by them.
    pub probes: Option<u64>,
    /// A cap on it for every run.
    pub cap: Option<f64>,
    /// Fields of a run that tell runs apart for the default estimator, beside the task.
    pub keys: Vec<String>,
    /// Who estimates.
    pub by: By,
    /// What intervals claim to cover.
    pub coverage: Level,
    /// Runs at the start of each file that are learnt from and not scored.
    pub warm_up: usize,
    /// What intervals of figures resample as a whole.
    pub(crate) cluster_by: ClusterBy,
}

impl Settings {
    /// Settings for one resource, without probes, keys and warm-up.
    #[must_use]
    pub fn new(spent: Spent, by: By, cap: Option<f64>, coverage: Level) -> Self {
        Self {
            spent,
            others: Vec::new(),
            probes: None,
            cap,
            keys: Vec::new(),
            by,
            coverage,
            warm_up: 0,
            cluster_by: ClusterBy::default(),
        }
    }
}

/// The runs that are scored, and the estimates on them.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The runs.
    pub rollouts: Rollouts,
    /// What was estimated.
    pub resource: Resource,
    /// A sample for each prefix, by run and turn, without those of which nothing remained.
    pub samples: Vec<Sample>,
    /// A sample for each prefix, by run and turn.
    pub every_sample: Vec<Sample>,
    /// The chance of success after each turn, for each run; empty for estimators that state none.
    pub chances: Vec<Vec<f64>>,
    /// Samples of recorded answers before the first turn.
    pub before_first_turn: Vec<Sample>,
    /// Runs left out because a cost that is needed is not known.
    pub left_out: usize,
    /// All runs of the files, also those that were left out before.
    pub(crate) all: RunCounts,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Replays the runs of one or more files, each before an estimator of its own.
///
/// # Errors
///
/// An error of the library, as for a cap that is none.
pub fn replay(files: &[&RolloutFile], settings: &Settings) -> Result<Runs, Error> {
    let mut all = together(files, &settings.keys)?;
    let resource = handle(&mut all, &settings.spent)?;
    let others: Vec<Resource> =
        settings.others.iter().map(|other| handle(&mut all, other)).collect::<Result<_, _>>()?;
    if let Some(cap) = settings.cap {
        all.set_cap(resource, cap)?;
    }
    let file_of = files.iter().enumerate().flat_map(|(i, file)| vec![i; file.rows.len()]);
    let file_of: Vec<usize> = file_of.collect();
    if let Some(seed) = settings.probes {
        // In the same order whichever of the resources is estimated; the first is the time.
        let mut resources = vec![(settings.spent.name(), resource)];
        let names = settings.others.iter().map(Spent::name);
        resources.extend(names.zip(others.iter().copied()));
        resources.sort_by_key(|&(name, _)| (!name.contains("time"), name.to_owned()));
        let resources: Vec<Resource> =
            resources.into_iter().map(|(_, resource)| resource).collect();
        let (time, spent) = resources.split_first().ok_or(Error::Empty)?;
        let rows = files.iter().flat_map(|file| &file.rows);
        let achieved: Vec<f64> = rows.map(|row| row.achieved.unwrap_or(f64::NAN)).collect();
        all = probed_rollouts(
            &all,
            &achieved,
            *time,
            spent,
            ProbeMethod::Described,
            Seed::new(seed),
        )?
        .0;
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
    for file in 0..files.len() {
        let runs = || known_runs.iter().filter(|run| file_of[run.index()] == file);
        let cut_offs = runs().any(|run| run.is_censored());
        counts.cut_off_files += usize::from(cut_offs);
        let mut estimator = settings.by.estimator(settings.coverage, cut_offs)?;
        let is_default = matches!(settings.by, By::Default);
        // A second one, which is asked for the chance of success.
        let mut default = is_default.then(|| BudgetEstimator::new(settings.coverage));
        for (position, run) in runs().enumerate() {
            let mut own = Vec::with_capacity(run.turns());
            if let Some(default) = &mut default {
                let mut stated = Vec::new();
                for prefix in prefixes_of(&run, resource)? {
                    stated.push(default.forecast_success(&prefix)?.chance.get());
                }
                default.learn(&run, resource)?;
                if position >= settings.warm_up {
                    chances.push(stated);
                }
            }
            score_rollout(&run, resource, &mut *estimator, |sample| {
                own.push(sample.estimate());
                Ok(())
            })?;
            let is_scored = position >= settings.warm_up;
            let mut first = None;
            if let By::Recorded { answers, .. } = &settings.by {
                let answers = run.id().and_then(|id| answers.get(id));
                first = answers.and_then(|answers| answers.get(&0)).map(|it| it.estimate);
                for (turn, estimate) in (1..).zip(&mut own) {
                    match answers.and_then(|answers| answers.get(&turn)) {
                        Some(recorded) => {
                            *estimate = recorded.estimate;
                            if let Some(problem) = recorded.problem.clone().filter(|_| is_scored) {
                                *counts.unreadable.entry(problem).or_default() += 1;
                            }
                        }
                        None => counts.missing += usize::from(is_scored),
                    }
                }
            } else {
                // An interval that holds everything says nothing.
                let says_nothing = |estimate: &&mut Estimate| {
                    estimate.ends().is_some_and(|ends| ends.high() == f64::MAX)
                };
                for estimate in own.iter_mut().filter(says_nothing) {
                    *estimate = Estimate::NoAnswer;
                    counts.unbounded += usize::from(is_scored);
                }
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
            let sample = Sample::new(&run, resource, turn, *estimate)?;
            every_sample.push(sample);
            if sample.is_trivial() {
                counts.trivial += 1;
            } else {
                samples.push(sample);
            }
        }
        if let Some(estimate) = *first {
            let sample = Sample::new(&run, resource, 0, estimate)?;
            before_first_turn.extend((!sample.is_trivial()).then_some(sample));
        }
    }
    counts.warm_up = scored.len() - rollouts.len();
    counts.repeated =
        rollouts.len() - rollouts.iter().map(|run| run.id()).collect::<BTreeSet<_>>().len();
    let left_out = all.len() - known_runs.len();
    let notes = counts.notes(settings, left_out);
    let mut every = RunCounts::default();
    files.iter().for_each(|file| every.append(&file.runs));
    Ok(Runs {
        all: every,
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
fn handle(all: &mut Rollouts, spent: &Spent) -> Result<Resource, Error> {
    let parts = spent.parts();
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
    all.add_sum(spent.name(), &parts)
}

/// What is worth a note.
#[derive(Default)]
struct Counts {
    cut_off_files: usize,
    warm_up: usize,
    trivial: usize,
    unbounded: usize,
    missing: usize,
    repeated: usize,
    unreadable: BTreeMap<String, usize>,
}

impl Counts {
    fn notes(&self, settings: &Settings, left_out: usize) -> Vec<String> {
        let mut notes = Vec::new();
        let mut note = |count: usize, text: String| {
            if count > 0 {
                notes.push(text);
            }
        };
        let name = settings.spent.name();
        let runs = |count: usize| many(count, "run", "runs");
        let prefixes = |count: usize| many(count, "prefix", "prefixes");
        note(
            left_out,
            format!("{} left out, as {name} or a cost that has a cap is not known", runs(left_out)),
        );
        let Self { warm_up, trivial, unbounded, missing, repeated, .. } = *self;
        note(warm_up, format!("{} learnt from and not scored, as asked for", runs(warm_up)));
        note(trivial, format!("{} left out, as nothing remained to be spent", prefixes(trivial)));
        let intervals = many(unbounded, "interval", "intervals");
        note(
            unbounded,
            format!(
                "{intervals} without an upper end taken as no answer: too few runs to calibrate on, or too many misses"
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
        match settings.by {
            By::Linear => note(
                1,
                format!(
                    "linear assumes the mean number of turns of past successes, {FIRST_TURNS} before the first, and a half-width of {HALF_WIDTH}; it claims no coverage, its losses are those of one that does"
                ),
            ),
            By::Quantile | By::Conformal | By::Default => note(
                self.cut_off_files,
                "runs that a budget ended are learnt from as having needed at least so much"
                    .to_owned(),
            ),
            By::Recorded { .. } => {}
        }
        notes
    }
}

fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
