use std::collections::{BTreeMap, BTreeSet};

use agent_benchmarks::budget::{BudgetRecord, Rollouts};
use budget_estimation::{Estimate, Level, Reading, Sample};
use run_logs::json_lines::RunCounts;
use trajectory_metrics::{Figure, Metric};

use crate::{
    budget::{
        JOINT_HIT_RATE, block, joint_counts,
        metrics::{Known, known},
        runs::{Input, Runs, replay},
        settings::{Answers, By, Options, Recorded},
        stopping,
    },
    error::Error,
    live::{LiveOptions, Setting, compare},
    metrics::metrics,
    report::{
        block::{Block, Report, Value},
        key,
        sentence::{counted, percent},
    },
};

/// The estimators with rows next to a model; they learn from earlier runs.
const ESTIMATORS: [By; 3] = [By::Linear, By::Quantile, By::Conformal];

/// The figures of a row after the first two, in the order of the paper's tables 1 and 4.
const SHOWN: [&Metric<Known>; 18] = [
    known("macro_f1_first_turn"),
    known("macro_f1_all_turns"),
    known("fail_f1"),
    HIT_RATE,
    known("interval_reward"),
    known("coverage"),
    known("optimistic"),
    known("conservative"),
    known("mean_relative_width"),
    known("mre_p50"),
    known("mre_p90"),
    known("linear_reference_reduction"),
    known("false_abort_rate"),
    known("saved_token_share"),
    known("detected_share"),
    known("detection_turn_share"),
    known("success_rate_lost"),
    known("format_rate"),
];

const HIT_RATE: &Metric<Known> = known("hit_rate");

/// The measures of runs, which do not depend on the estimator.
const OF_RUNS: [Metric<Known>; 2] = metrics! { Known;
    "success_rate", "runs that succeeded", Neither, in [0.0, 1.0],
        "Share of the runs that succeeded, including successes beyond a cap.", |it| Ok(it.success_rate);
    "mean_turns", "turns of a run", Neither, in [0.0, f64::INFINITY],
        "Mean number of turns per run.", |it| Ok(it.mean_turns);
};

/// The counts of a row, each with its key in the report on runs.
const COUNTS: [(&str, &str); 8] = [
    ("samples", key::n_prefixes),
    ("runs", key::n_rollouts),
    ("samples_feasible", key::n_feasible),
    ("samples_without_answer", key::n_unanswered),
    ("hits", key::n_hits),
    ("false_aborts", key::n_false_aborts),
    ("runs_failed", key::n_failed_rollouts),
    ("runs_failed_and_stopped", key::n_stopped_failed_rollouts),
];

/// Scores a model's estimates of the remaining cost of runs for each resource, and the estimators `linear`, `quantile`
/// and `conformal` at the same prefixes.
///
/// The rows of the model and of each estimator read every interval as feasible, as the paper does. If there are caps,
/// further rows are [by the cap](Reading::Cap). The records are of these rollouts; `counts` has all runs of the log,
/// including those that are not rollouts.
///
/// # Errors
///
/// An error of budget-estimation, such as for an interval that is too large to be compared in numbers.
pub fn budget(
    records: &[BudgetRecord],
    rollouts: &Rollouts,
    counts: &RunCounts,
    options: &LiveOptions,
) -> Result<Report, Error> {
    let names = records.first().map_or(&[][..], |record| &record.resources);
    let samples = records.iter().flat_map(|record| {
        let of_resource =
            move |(place, name)| record.samples(place).iter().map(move |it| (name, it));
        names.iter().enumerate().flat_map(of_resource)
    });
    let answers =
        samples.map(|(name, it)| (name, it.rollout().to_string(), it.turn(), it.estimate()));
    let unfinished = records.iter().filter(|record| record.record.run.error.is_some()).count();
    let left_out = records
        .iter()
        .enumerate()
        .flat_map(|(run, record)| record.left_out.iter().map(move |turn| (run.to_string(), *turn)));
    let model = Answered::new(answers, unfinished, left_out.collect());
    table(Some(model), names, rollouts, counts, options)
}

/// The answers of a model about runs, by the positions of the runs.
pub(super) struct Answered {
    pub(super) answers: BTreeMap<String, Answers>,
    unfinished: usize,
    /// The prefixes without a question to the model.
    left_out: BTreeSet<(String, usize)>,
}

impl Answered {
    /// Collects estimates by resource, position of the run, and turn.
    pub(super) fn new<'a>(
        estimates: impl Iterator<Item = (&'a String, String, usize, Estimate)>,
        unfinished: usize,
        left_out: BTreeSet<(String, usize)>,
    ) -> Self {
        let mut answers: BTreeMap<String, Answers> = BTreeMap::new();
        for (resource, run, turn, estimate) in estimates {
            let problem = (estimate == Estimate::NoAnswer).then(|| "unreadable".to_owned());
            let of_run = answers.entry(resource.clone()).or_default().entry(run).or_default();
            of_run.insert(turn, Recorded { estimate, problem });
        }
        Self { answers, unfinished, left_out }
    }
}

/// Returns the table of a model, if one has answered, and of estimators.
pub(super) fn table(
    model: Option<Answered>,
    names: &[String],
    rollouts: &Rollouts,
    counts: &RunCounts,
    options: &LiveOptions,
) -> Result<Report, Error> {
    let (unfinished, left_out) =
        model.as_ref().map_or_else(Default::default, |it| (it.unfinished, it.left_out.clone()));
    let recorded = |answers| By::Recorded { file: options.model.clone(), answers };
    let model = model.map(|model| recorded(model.answers));
    // Ids of a log may be missing or repeated; positions are not.
    let mut rollouts = rollouts.clone();
    for run in 0..rollouts.len() {
        rollouts.set_id(run, run.to_string())?;
    }
    let is_capped = rollouts.iter().any(|run| {
        rollouts.resources().any(|(resource, _)| run.cap(resource).is_ok_and(|cap| cap.is_some()))
    });
    let (lengths, counts) = (vec![rollouts.len()], counts.clone());
    let input = Input { rollouts, lengths, achieved: Vec::new(), counts };
    let readings = [Reading::Answers, Reading::Cap];
    let (mut settings, mut unchanged) = (Vec::new(), BTreeSet::new());
    let shown: Vec<Metric<Known>> = OF_RUNS.iter().chain(SHOWN).cloned().collect();
    for &reading in readings.iter().take(1 + usize::from(is_capped)) {
        for by in model.iter().chain(&ESTIMATORS) {
            let is_model = matches!(by, By::Recorded { .. });
            let named = |resource: &str| {
                let by = if is_model { String::new() } else { format!(", {}", by.name()) };
                let cap = if reading == Reading::Cap { ", by the cap" } else { "" };
                format!("{resource}{by}{cap}")
            };
            let (mut joint, mut is_new) = (Vec::new(), false);
            for name in names {
                let others = names.iter().filter(|other| *other != name);
                let own = Options {
                    resources: [name].into_iter().chain(others).cloned().collect(),
                    reading,
                    left_out: left_out.clone(),
                    resamples: options.resamples,
                    seed: options.seed,
                    ..Options::new(name, by.clone(), Level::new(0.8)?)
                };
                let runs = replay(input.clone(), &own)?;
                let as_said = |it: &Sample| it.with_reading(Reading::Answers).predicts_impossible();
                let is_as_said = |it: &Sample| it.predicts_impossible() == as_said(it);
                if reading == Reading::Cap && runs.samples.iter().all(is_as_said) {
                    unchanged.insert(by.name());
                } else {
                    is_new = true;
                    let found = block(&runs, &own, &shown)?;
                    let unfinished = is_model.then_some(unfinished);
                    let mut setting = setting(named(name), &found, &runs, unfinished)?;
                    if is_model {
                        setting.conclusion = conclusion(&options.model, name, &found);
                    }
                    settings.push(setting);
                }
                joint.push(runs);
            }
            if joint.len() > 1 && is_new {
                settings.push(joint_setting(named("all resources"), &joint)?);
            }
        }
    }
    let mut note = is_capped.then(|| BY_CAP.to_owned());
    if let Some(note) = note.as_mut().filter(|_| !unchanged.is_empty()) {
        let estimators = Vec::from_iter(unchanged).join(", ");
        *note += &format!(
            "; rows that would be equal in both ways of counting are shown only once: {estimators}"
        );
    }
    let mut report = super::report(&options.model, settings.into_iter(), note);
    compare(
        &mut report,
        "How good are the estimates?",
        &[
            (known("macro_f1_first_turn").measure.key, "F1@1"),
            (known("macro_f1_all_turns").measure.key, "F1@All"),
            (known("fail_f1").measure.key, "Fail-F1"),
            (HIT_RATE.measure.key, "hit rate"),
            (known("coverage").measure.key, "coverage"),
        ],
    );
    Ok(report)
}

const BY_CAP: &str = "in the rows \"by the cap\", an interval above the amount left under the cap counts as \"impossible\"; the other rows count every interval as feasible, as the paper does";

fn setting(
    name: String,
    found: &Block,
    runs: &Runs,
    unfinished: Option<usize>,
) -> Result<Setting, Error> {
    let missing = |name| scoring_rules::checks::undefined(name, "the report lacks it");
    let count = |key| found.number(key).map(|count| count as usize).ok_or_else(|| missing(key));
    let counts = COUNTS.iter().map(|&(key, of_runs)| Ok::<_, Error>((key, count(of_runs)?)));
    let mut counts: Vec<_> = counts.collect::<Result<_, _>>()?;
    counts.push(("samples_left_out", runs.trivial.len()));
    counts.extend(unfinished.map(|count| ("runs_unfinished", count)));
    let figures = found.fields.iter().filter_map(|field| match &field.value {
        Value::Figure(measure, figure) => Some((*measure, figure.clone())),
        _ => None,
    });
    Ok(Setting { name, counts, figures: figures.collect(), ..Setting::default() })
}

/// Returns the conclusions on a model's intervals and warnings. The model was asked for no coverage, so the intervals
/// have no nominal coverage.
fn conclusion(model: &str, resource: &str, found: &Block) -> Vec<String> {
    let held = found.figure(HIT_RATE.measure.key).ok().map(|rate| {
        format!(
            "in runs that can succeed, the intervals of {model} contain the remaining cost ({resource}) after {share} of {turns}",
            resource = resource.replace('_', " "),
            share = percent(&rate),
            turns = counted(found.count(key::n_feasible), "turn"),
        )
    });
    held.into_iter().chain(stopping(found)).collect()
}

fn joint_setting(name: String, runs: &[Runs]) -> Result<Setting, Error> {
    let samples: Vec<Vec<Sample>> = runs.iter().map(Runs::every_sample).collect();
    let counts = joint_counts(&samples)?;
    let rate = JOINT_HIT_RATE.value(&counts).map(Figure::from);
    let figures = vec![(JOINT_HIT_RATE.measure, rate)];
    let counts = vec![("joint_hits", counts[0]), ("samples_feasible", counts[1])];
    Ok(Setting { name, counts, figures, ..Setting::default() })
}
