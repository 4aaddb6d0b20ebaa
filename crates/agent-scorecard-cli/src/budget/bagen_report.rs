//! A report on a file of BAGEN's released estimates: this crate's figures, and the released ones.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use budget_estimation::{
    AnswerMode, Estimate, Level, Rollouts, Sample,
    bagen::{Answer, EstimateFile, Kind, Published, RangeCounts, ReleasedSample},
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    budget::{
        estimate_file::Answers,
        report::{self, Report},
        rollout_file::Spent,
        runs::{By, Runs, Settings},
    },
    files::run_counts::RunCounts,
    output::table::Layout,
    plain,
    values::ClusterBy,
};

/// The format of a file, for the help of the program that reads it.
pub(crate) const FORMAT: &str = r#"
A FILE of BAGEN's released estimates (github.com/mll-lab-nu/BAGEN, run_token_estimation_env.py or
run_money_estimation_env.py) is one JSON object with "results", each with its "ground_truth" and
"prediction". It needs no runs and no --estimator. The report has two columns: the figures of this
crate, and as_published those of the released code.
"#;

/// Figures that are undefined of resources whose use over time is not stated.
const NEED_USE: [&str; 2] = ["saved_token_share", "detection_spent_share"];

/// The released figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct AsPublished {
    /// Samples of the file.
    pub n_samples: usize,
    /// Samples of runs that succeeded, also beyond their caps.
    pub n_success_samples: usize,
    /// Share of hits over prefixes of runs that succeeded; for Warehouse, of joint hits.
    pub hit_rate: Option<f64>,
    /// Mean reward over the same prefixes.
    pub interval_reward: Option<f64>,
    /// Share of right answers on runs that succeeded, without unreadable ones.
    pub accuracy_on_success: Option<f64>,
    /// Share of right answers on runs that failed.
    pub accuracy_on_failure: Option<f64>,
    /// Share of right answers after the first turn.
    pub first_turn_accuracy: Option<f64>,
    /// For Warehouse, the share of joint hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint_hit_rate: Option<f64>,
    /// Intervals that contain what remained, on runs that succeeded; over all resources.
    pub n_hits: usize,
    /// Intervals below what remained.
    pub n_optimistic: usize,
    /// Intervals above what remained.
    pub n_conservative: usize,
    /// Answers "impossible" on runs that can finish.
    pub n_false_aborts: usize,
    /// These as a share of all samples.
    pub false_abort_rate: Option<f64>,
    /// The upper median of the relative error of midpoints.
    pub mre_p50: Option<f64>,
    /// The three counts of intervals for each resource.
    pub ranges: BTreeMap<&'static str, RangeCounts>,
}

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BagenReport {
    /// The file, as named by the caller.
    pub file: String,
    /// This crate's figures on the first resource.
    #[serde(flatten)]
    pub report: Report,
    /// The released figures.
    pub as_published: AsPublished,
    /// For Warehouse, this crate's figures on each resource.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<&'static str, Report>,
}

/// The text of a file of released estimates; `None` for a file of another form.
#[must_use]
pub(crate) fn text_of(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let first = serde_json::Deserializer::from_str(&text).into_iter::<Value>().next()?.ok()?;
    first.get("results")?.is_array().then_some(text)
}

/// Evaluates a file of released estimates.
///
/// # Errors
///
/// An error of the library that says what is wrong with the file.
pub(crate) fn evaluate(
    path: &Path,
    text: &str,
    mode: AnswerMode,
    coverage: Level,
    resamples: usize,
    seed: u64,
) -> Result<BagenReport, Box<dyn Error>> {
    let file = path.display().to_string();
    let at = |error: budget_estimation::Error| format!("{file}: {error}");
    let estimates = EstimateFile::read(text).map_err(at)?;
    let by = By::Recorded { file: "bagen".to_owned(), answers: Answers::new() };
    let settings = Settings {
        keys: Vec::new(),
        spent: Spent::output_tokens(),
        others: Vec::new(),
        probes: None,
        cap: None,
        by,
        coverage,
        warm_up: 0,
        cluster_by: ClusterBy::default(),
    };
    let rollouts = estimates.rollouts().map_err(at)?;
    let mut reports = Vec::new();
    for (position, &name) in estimates.kind().resources().iter().enumerate() {
        let resource = rollouts.resource(name).map_err(at)?;
        let samples = estimates.samples_of(&rollouts, resource, mode).map_err(at)?;
        let all = estimates.samples();
        let rollout_count = all.chunk_by(|a, b| a.rollout == b.rollout).count();
        let left_out = rollout_count - rollouts.len();
        let rollouts = rollouts.clone();
        let mut notes = Vec::new();
        if left_out > 0 {
            notes.push(format!("{left_out} runs left out: what they spent in all is not stated"));
        }
        let differ = read_differently(all, &rollouts, &samples, position);
        if differ > 0 {
            let answers = if differ == 1 { "answer" } else { "answers" };
            let are = if differ == 1 { "is" } else { "are" };
            notes.push(format!(
                "{differ} {answers} about {name} {are} read differently by the released parser, so that the two columns rest on different estimates"
            ));
        }
        let every_sample = samples.clone();
        let samples: Vec<_> = samples.into_iter().filter(|it| it.remaining() > 0.0).collect();
        // The file has no answer before the first turn.
        let before_first_turn = Vec::new();
        let mut counts = RunCounts::default();
        rollouts.iter().for_each(|run| counts.add(Some(run.succeeded()), None));
        let runs = Runs {
            all: counts,
            rollouts,
            resource,
            samples,
            every_sample,
            chances: Vec::new(),
            before_first_turn,
            left_out,
            notes,
        };
        let mut report = report::evaluate(&runs, &settings, resamples, seed).map_err(at)?;
        report.resource = name.to_owned();
        report.cap = all.first().and_then(|sample| sample.amounts.first()?.cap);
        if estimates.kind() == Kind::Warehouse {
            report.cap = None;
            report.notes.push("caps are those of each run".to_owned());
        }
        let unstated = all.iter().any(|sample| sample.amounts.iter().any(|one| one.used.is_none()));
        if unstated && name != "time_weeks" {
            for figure in NEED_USE {
                report.figures.insert(figure, None);
                report.intervals.remove(figure);
                report.notes.push(format!(
                    "{figure}: undefined, as the file does not state what failed runs had used of {name}"
                ));
            }
        }
        reports.push((name, report));
    }
    let resources =
        if reports.len() > 1 { reports.iter().cloned().collect() } else { BTreeMap::new() };
    let mut report = reports.into_iter().next().map(|(_, report)| report).ok_or("no resource")?;
    let published = as_published(estimates.kind(), &estimates.as_published());
    for (name, value) in [
        ("hit_rate", published.hit_rate),
        ("interval_reward", published.interval_reward),
        ("accuracy_on_success", published.accuracy_on_success),
        ("accuracy_on_failure", published.accuracy_on_failure),
        ("first_turn_accuracy", published.first_turn_accuracy),
        ("mre_p50", published.mre_p50),
    ] {
        if value.is_none() {
            report.notes.push(format!("as_published.{name}: undefined, as it counts no sample"));
        }
    }
    Ok(BagenReport { file, report, as_published: published, resources })
}

/// The number of prefixes whose answer the released parser reads as another estimate than ours does.
fn read_differently(
    released: &[ReleasedSample],
    rollouts: &Rollouts,
    samples: &[Sample],
    position: usize,
) -> usize {
    let answer = |sample: &ReleasedSample| match &sample.answer {
        None => Some(Estimate::NoAnswer),
        Some(Answer::Impossible) => Some(Estimate::Impossible),
        Some(Answer::Intervals(all)) => all.get(position).copied().map(Estimate::Interval),
    };
    let known: BTreeMap<(String, usize), Option<Estimate>> = released
        .iter()
        .map(|sample| ((format!("rollout-{}", sample.rollout), sample.turn), answer(sample)))
        .collect();
    let differs = |sample: &&Sample| {
        let id = rollouts.get(sample.rollout()).ok().and_then(|run| run.id().map(str::to_owned));
        id.and_then(|id| known.get(&(id, sample.turn()))) != Some(&Some(sample.estimate()))
    };
    samples.iter().filter(differs).count()
}

fn as_published(kind: Kind, published: &Published) -> AsPublished {
    let sum = |count: fn(&RangeCounts) -> usize| published.ranges.iter().map(count).sum();
    AsPublished {
        n_samples: published.samples,
        n_success_samples: published.success_samples,
        hit_rate: published.hit_rate,
        interval_reward: published.interval_reward,
        accuracy_on_success: published.accuracy_on_success,
        accuracy_on_failure: published.accuracy_on_failure,
        first_turn_accuracy: published.first_turn_accuracy,
        joint_hit_rate: published.joint_hit_rate,
        n_hits: sum(|counts| counts.hits),
        n_optimistic: sum(|counts| counts.optimistic),
        n_conservative: sum(|counts| counts.conservative),
        n_false_aborts: published.false_aborts,
        false_abort_rate: published.false_abort_rate,
        mre_p50: published.mre_p50,
        ranges: kind.resources().iter().copied().zip(published.ranges.iter().copied()).collect(),
    }
}

/// The report as a table with two columns.
#[must_use]
pub(crate) fn table(found: &BagenReport, layout: Layout) -> String {
    let (ours, theirs) = (&found.report, &found.as_published);
    let figure = |name: &str| ours.figures.get(name).copied().flatten();
    let share = |value: Option<f64>| value.map_or("undefined".to_owned(), |x| format!("{x:.3}"));
    let count = |name: &str| ours.counts.get(name).map_or(String::new(), ToString::to_string);
    let mut rows = vec![["", "ours", "as published"].map(str::to_owned).to_vec()];
    let mut row =
        |name: &str, one: String, other: String| rows.push(vec![name.to_owned(), one, other]);
    row("prefixes", count("n_prefixes"), theirs.n_samples.to_string());
    row("prefixes scored for hits", count("n_feasible"), theirs.n_success_samples.to_string());
    for (name, other) in [
        ("hit_rate", theirs.hit_rate),
        ("interval_reward", theirs.interval_reward),
        ("mre_p50", theirs.mre_p50),
        ("false_abort_rate", theirs.false_abort_rate),
    ] {
        row(name, share(figure(name)), share(other));
    }
    row("accuracy_on_success", share(figure("feasible_recall")), share(theirs.accuracy_on_success));
    row("accuracy_on_failure", share(figure("fail_recall")), share(theirs.accuracy_on_failure));
    row("first_turn_accuracy", String::new(), share(theirs.first_turn_accuracy));
    row("macro_f1_all_turns", share(figure("macro_f1_all_turns")), String::new());
    row("macro_f1_of_answers", share(figure("macro_f1_of_answers")), String::new());
    row("n_hits", count("n_hits"), theirs.n_hits.to_string());
    row("n_optimistic", count("n_optimistic"), theirs.n_optimistic.to_string());
    row("n_conservative", count("n_conservative"), theirs.n_conservative.to_string());
    row("n_false_aborts", count("n_false_aborts"), theirs.n_false_aborts.to_string());
    let mut text = format!("BAGEN estimates of {}\n\n{}", ours.resource, layout.table(&rows));
    if !found.resources.is_empty() {
        text.push_str(
            "\nours is about time_weeks; as published are joint hits and all three resources\n",
        );
    }
    for note in &ours.notes {
        text.push('\n');
        text.push_str(plain::note(note).trim_end());
    }
    text + "\n"
}
