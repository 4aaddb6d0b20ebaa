use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use budget_estimation::{
    AbortLimit, AdaptiveConformal, Calibrated, Error, Estimate, Estimator, Resource, Rollout,
    Rollouts, Sample, Seed, SuccessForecaster, bagen::ProbeMethod, estimator_from_fn,
};

use run_logs::json_lines::RunCounts;

use crate::{
    budget::settings::{By, FIRST_TURNS, HALF_WIDTH, Options, STEP},
    report::sentence::counted,
};

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
        let resource = options.resource();
        let runs = |count: usize| counted(count, "run");
        let prefixes = |count: usize| counted(count, "prefix");
        note(
            left_out,
            format!(
                "{runs} left out because {resource} or another cost with a cap is not known",
                runs = runs(left_out),
            ),
        );
        let Self { warm_up, trivial, uncalibrated, missing, repeated, .. } = *self;
        note(
            warm_up,
            format!(
                "{runs} used only for learning and not scored (--warm-up)",
                runs = runs(warm_up),
            ),
        );
        note(
            trivial,
            format!(
                "{prefixes} left out because nothing remained to be spent",
                prefixes = prefixes(trivial),
            ),
        );
        note(
            uncalibrated,
            format!(
                "{prefixes} without a calibrated interval, because there are too few earlier runs or too many misses; counted as no answer",
                prefixes = prefixes(uncalibrated),
            ),
        );
        note(
            missing,
            format!(
                "{prefixes} without an estimate, counted as no answer",
                prefixes = prefixes(missing),
            ),
        );
        note(
            repeated,
            format!(
                "{runs} with the id of an earlier run, counted as separate from it",
                runs = runs(repeated),
            ),
        );
        let unreadable: usize = self.unreadable.values().sum();
        let kinds: Vec<String> =
            self.unreadable.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let answers = counted(unreadable, "answer");
        note(
            unreadable,
            format!(
                "{answers} that could not be read, counted as no answer: {problems}",
                problems = kinds.join(", "),
            ),
        );
        match options.by {
            By::Linear => note(
                1,
                format!(
                    "the estimator linear assumes the mean number of turns of past successes (before the first success, {FIRST_TURNS} turns) and a relative half-width of {HALF_WIDTH}; its intervals have no nominal coverage, so their losses are computed with the nominal coverage of the report"
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
