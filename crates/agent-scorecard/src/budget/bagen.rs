//! BAGEN's released estimates, scored by the metrics of this crate and by those of the released code.
//!
//! The released code (commit 58bef4c of [mll-lab-nu/BAGEN](https://github.com/mll-lab-nu/BAGEN), and table 1 as deleted
//! in b3ccaed) differs from the paper, and from this workspace, in what a mean is taken over:
//!
//! | | released code | this workspace |
//! |---|---|---|
//! | hit rate, reward | over prefixes of runs that succeeded, also beyond their cap | over prefixes of runs that succeeded within their cap |
//! | "impossible" for a run that succeeded beyond its cap | reward 1 | no reward; a correct alarm |
//! | reward of Warehouse | mean of the correct feasibility and the three hits | one interval reward per resource |
//! | unreadable answers | left out of the accuracy | count as wrong |
//! | false aborts (table 4) | share of all prefixes | share of feasible prefixes |
//! | median | upper median | interpolated |

mod published;

use std::collections::BTreeMap;

use budget_estimation::{AnswerMode, Estimate, Rollouts, Sample};
use run_logs::{
    bagen::{Answer, EstimateFile, Kind, ReleasedSample},
    json_lines::RunCounts,
};
use trajectory_metrics::{Figure, Metric, Undefined};

use crate::{
    budget::{
        JOINT_HIT_RATE, block,
        metrics::METRICS,
        runs::Runs,
        settings::{By, Options},
    },
    error::Error,
    metrics::metrics,
    report::{
        block::{Block, Column, Field, Position, Report},
        sentence,
    },
};

pub use published::{Published, RangeCounts, SampleMetrics, as_published, training_reward};

/// The metrics that BAGEN's released code computes.
pub const PUBLISHED: [Metric<Published>; 7] = metrics! { Published;
    "hit_rate", "hit rate", Higher, in [0.0, 1.0],
        "Share of the prefixes of successful runs whose interval contains the remaining cost; for Warehouse, the intervals of all resources must contain it.",
        |found| counted(found.hit_rate);
    "interval_reward", "interval reward", Higher, in [0.0, 1.0],
        "Mean reward over prefixes of runs that succeeded.", |found| counted(found.interval_reward);
    "accuracy_on_success", "right answers on runs that succeeded", Higher, in [0.0, 1.0],
        "Share of right answers among the readable answers about runs that succeeded.",
        |found| counted(found.accuracy_on_success);
    "accuracy_on_failure", "right answers on runs that failed", Higher, in [0.0, 1.0],
        "Share of right answers among the readable answers about runs that failed.",
        |found| counted(found.accuracy_on_failure);
    "first_turn_accuracy", "right answers after the first turn", Higher, in [0.0, 1.0],
        "Share of right answers among the readable answers after the first turn.",
        |found| counted(found.first_turn_accuracy);
    "false_abort_rate", "false aborts", Lower, in [0.0, 1.0],
        "Number of answers \"impossible\" about runs that succeeded within their caps, divided by the number of all samples.",
        |found| counted(found.false_abort_rate);
    "mre_p50", "median relative error of the midpoint", Lower, in [0.0, f64::INFINITY],
        "Upper median of the relative error of the interval's midpoint, over samples of runs that succeeded within their caps.",
        |found| counted(found.mre_p50);
};

fn counted(value: Option<f64>) -> Result<f64, Undefined> {
    value.ok_or(Undefined::new("no sample counts for this figure"))
}

/// Returns the report on a file of estimates that BAGEN released. The report has the metrics of the first resource, and
/// its part `as_published` has the metrics as BAGEN's released code computes them. For the environment Warehouse, its
/// part `resources` has the metrics of each resource. Of `options`, only the coverage, the
/// [`Reading`](budget_estimation::Reading) and the settings of the bootstrap are used.
///
/// # Errors
///
/// An error of budget-estimation that describes the fault of the file.
pub fn report(
    file: &str,
    estimates: &EstimateFile,
    mode: AnswerMode,
    options: &Options,
) -> Result<Report, Error> {
    let by = By::Recorded { file: "bagen".to_owned(), answers: BTreeMap::new() };
    let options = Options { by, with_pictures: false, ..options.clone() };
    let (rollouts, all) = (estimates.rollouts()?, estimates.samples());
    let is_warehouse = estimates.kind() == Kind::Warehouse;
    let unstated = all.iter().any(|sample| sample.amounts.iter().any(|one| one.used.is_none()));
    let cap = all.first().and_then(|sample| sample.amounts.first()?.cap);
    let mut counts = RunCounts::default();
    rollouts.iter().for_each(|run| counts.add(Some(run.succeeded()), None));
    let left_out = all.chunk_by(|a, b| a.rollout == b.rollout).count() - rollouts.len();
    let mut blocks = Vec::new();
    for (position, &name) in estimates.kind().resources().iter().enumerate() {
        let resource = rollouts.resource(name)?;
        let every_sample = estimates.samples_of(&rollouts, resource, mode)?;
        let mut notes = Vec::new();
        if left_out > 0 {
            notes.push(format!(
                "{left_out} runs left out because their total spending is not stated"
            ));
        }
        let differ = read_differently(all, &rollouts, &every_sample, position);
        if differ > 0 {
            let answers = sentence::counted(differ, "answer");
            notes.push(format!(
                "the released parser and ours read {answers} about {name} differently, so the two columns use different estimates there"
            ));
        }
        if is_warehouse {
            notes.push("each run has its own cap".to_owned());
        }
        let (samples, trivial) = every_sample.into_iter().partition(|it| it.remaining() > 0.0);
        let runs = Runs {
            rollouts: rollouts.clone(),
            resource,
            samples,
            trivial,
            chances: Vec::new(),
            // The file has no answer before the first turn.
            before_first_turn: Vec::new(),
            left_out,
            counts: counts.clone(),
            is_use_stated: !unstated || name == "time_weeks",
            notes,
        };
        let cap = cap.filter(|_| !is_warehouse);
        let own = Options { resources: vec![name.to_owned()], cap, ..options.clone() };
        blocks.push((name, block(&runs, &own, &METRICS)?));
    }
    let resources: BTreeMap<&str, Block> =
        if blocks.len() > 1 { blocks.iter().cloned().collect() } else { BTreeMap::new() };
    let first = blocks.into_iter().next();
    let (name, mut block) = first.ok_or(scoring_rules::Error::Empty)?;
    block.say(Position::Explanation, ["accuracy_on_success and accuracy_on_failure of the released code correspond to feasible_recall and fail_recall.".to_owned()]);
    if !resources.is_empty() {
        block.push_json("resources", &resources);
        block.say(
            Position::Explanation,
            [format!(
                " The column \"ours\" covers only {name}. The column \"as published\" covers all resources together; for a hit, every interval must contain the remaining cost."
            )],
        );
    }
    let mut published = published_block(estimates.kind(), &as_published(all));
    let notes = published.unsay(Position::Note).into_iter();
    block.say(Position::Note, notes.map(|note| format!("as_published.{note}")));
    block.fields.push(Field::block("as_published", published).labelled("as published"));
    let options =
        Options { resources: vec![name.to_owned()], cap: cap.filter(|_| !is_warehouse), ..options };
    let column = Column { block, ..Column::default() };
    let mut report = super::report(vec![(file.to_owned(), column)], &options);
    report.title = "BAGEN's released estimates".to_owned();
    report.columns.iter_mut().for_each(|column| column.name = "ours".to_owned());
    Ok(report)
}

/// Returns the number of prefixes at which the released parser and ours read different estimates from the answer.
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

fn published_block(kind: Kind, published: &Published) -> Block {
    let sum = |count: fn(&RangeCounts) -> usize| published.ranges.iter().map(count).sum::<usize>();
    let mut block = Block::default();
    block.push_metrics(&PUBLISHED, published, |_, value| Figure::from(value));
    if let Some(joint) = published.joint_hit_rate {
        block.fields.push(Field::figure(JOINT_HIT_RATE.measure, Ok(joint.into())));
    }
    block.fields.push(Field::shown("n_samples", "samples", published.samples));
    let label = "samples of runs that succeeded";
    block.fields.push(Field::shown("n_success_samples", label, published.success_samples));
    // Shown in the rows of the other column.
    block.push_json("n_hits", &sum(|counts| counts.hits));
    block.push_json("n_optimistic", &sum(|counts| counts.optimistic));
    block.push_json("n_conservative", &sum(|counts| counts.conservative));
    block.push_json("n_false_aborts", &published.false_aborts);
    let ranges = kind.resources().iter().copied().zip(&published.ranges);
    block.push_json("ranges", &ranges.collect::<BTreeMap<&str, &RangeCounts>>());
    block
}
