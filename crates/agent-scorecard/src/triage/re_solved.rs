use std::{cmp::Ordering, collections::BTreeMap, iter::repeat_n, ops::Range};

use knapsack_oracle::{BudgetAware, ReSolve};
use run_logs::json_lines::{self, InputError, yes_or_no};
use serde::Deserialize;
use trajectory_metrics::{
    Arm, Figure, Measure, Metric,
    estimates::{self, Difference, SHARE},
};

use crate::{
    metrics::metrics,
    options::LEVEL,
    report::{
        block::{Block, Field, Position},
        sentence::{counted, percent, points, side_of},
    },
    triage::undefined,
};

/// The maximum number of problems for which counts get intervals, which take memory for each problem.
const MOST_PROBLEMS: u64 = 1 << 23;

/// For each model and data set, the counts of problems that were attempted again after the model was told their
/// allocations.
pub type ReSolvedCounts = BTreeMap<String, BTreeMap<String, BudgetAware>>;

#[derive(Deserialize)]
struct Tried {
    #[serde(default)]
    model: String,
    #[serde(default)]
    dataset: String,
    allocation: u64,
    output_tokens: u64,
    #[serde(deserialize_with = "yes_or_no")]
    solved_before: bool,
    #[serde(deserialize_with = "yes_or_no")]
    solved_after: bool,
}

/// Reads problems that were attempted again, as JSON Lines with the fields `allocation`, `output_tokens`,
/// `solved_before`, `solved_after`, and optionally `model` and `dataset`. `file` names the source in errors.
///
/// # Errors
///
/// [`InputError`] with the line and the field, also for an allocation of 0.
///
/// ```
/// use agent_scorecard::triage::read_re_solved;
///
/// let line = br#"{"allocation": 9, "output_tokens": 8, "solved_before": false, "solved_after": true}"#;
/// assert_eq!(read_re_solved("again.jsonl", line)?[""][""].newly_correct, 1);
/// # Ok::<(), agent_scorecard::InputError>(())
/// ```
pub fn read_re_solved(file: &str, bytes: &[u8]) -> Result<ReSolvedCounts, InputError> {
    let mut counts = ReSolvedCounts::new();
    for line in json_lines::parse::<Tried>(file, bytes)? {
        let Tried { model, dataset, allocation, output_tokens: cost, solved_before, solved_after } =
            line.value;
        let counts: &mut BudgetAware = counts.entry(model).or_default().entry(dataset).or_default();
        let item = ReSolve { allocation, cost, solved_before, solved_after };
        counts.update(item).map_err(|_| {
            let problem = "is 0; it must be at least 1, because a problem with allocation 0 gets no second attempt";
            InputError::of_field(file, line.number, "allocation", problem)
        })?;
    }
    Ok(counts)
}

/// The effects of telling a model its allocations.
pub(crate) const RE_SOLVING: [Metric<BudgetAware>; 4] = metrics! { BudgetAware;
    "baseline_accuracy", "baseline", Higher,
        "Share of problems solved without a disclosed budget.",
        |counts| counts.baseline_accuracy().map_err(undefined), .share();
    "budget_aware_accuracy", "budget-aware", Higher,
        "Share of problems solved with a disclosed budget.",
        |counts| counts.budget_aware_accuracy().map_err(undefined), .share();
    "accuracy_change", "change", Higher, in [-1.0, 1.0],
        "Share of problems solved with a disclosed budget minus the share solved without one.",
        |counts| {
            counts.baseline_accuracy().map_err(undefined)?;
            let change = counts.newly_correct as f64 - counts.lost_correct as f64;
            Ok(change / counts.items() as f64)
        };
    "compliance_rate", "compliance", Higher,
        "Share of the attempts with a disclosed budget that cost at most their allocation.",
        |counts| counts.compliance_rate().map_err(undefined), .share();
};
const CHANGE: &Metric<BudgetAware> = &RE_SOLVING[2];

/// Returns the effects of telling models their allocations, as in figures 7 and 8 of TRIAGE. Each model has its counts
/// for each data set and for all data sets together.
#[must_use]
pub fn re_solved(counts: &ReSolvedCounts) -> Block {
    let (mut conclusion, mut notes) = (Vec::new(), Vec::new());
    let mut noted = |key, label, name: &str, counts: &BudgetAware| {
        let mut row = row(key, label, name, counts);
        notes.extend(row.take_notes(&format!("{label} {name:?}")));
        row
    };
    let models = counts.iter().map(|(model, datasets)| {
        let mut all = BudgetAware::default();
        datasets.values().for_each(|counts| all.merge(counts));
        let mut row = noted("model", "model", model, &all);
        conclusion.extend(clause(model, all.items(), &row));
        let datasets = datasets.iter();
        let datasets = datasets.map(|(name, counts)| noted("dataset", "data set", name, counts));
        let datasets: Vec<Block> = datasets.collect();
        let title = format!("Data sets of model {model}");
        row.fields.push(Field::rows("datasets", title, datasets));
        row
    });
    let models = Field::rows("models", "Models, over all data sets", models.collect());
    Block::of([models]).saying(Position::Conclusion, conclusion).saying(Position::Note, notes)
}

/// Returns the effect of disclosed budgets for a model, from its [`RE_SOLVING`] figures over `n` problems.
pub(crate) fn clause(model: &str, n: u64, figures: &Block) -> Option<String> {
    let [before, after, change, kept] =
        RE_SOLVING.map(|metric| figures.figure(metric.measure.key).ok());
    let (change, points) = (change?, points(&change?));
    let verdict = match side_of(&change, 0.0) {
        Some(Ordering::Greater) => format!("the gain of {points} is beyond noise"),
        Some(Ordering::Less) => format!("the loss of {points} is beyond noise"),
        Some(Ordering::Equal) => format!("the difference of {points} may be noise"),
        None => format!(
            "without an interval, it is not known whether the difference of {points} is noise"
        ),
    };
    let model = if model.is_empty() { "the model" } else { model };
    Some(format!(
        "of {problems}, {model} solved {before} without a disclosed budget and {after} with one; {verdict}; {kept} of the attempts with a disclosed budget stayed within it",
        problems = counted(n, "problem"),
        before = percent(&before?),
        after = percent(&after?),
        kept = percent(&kept?),
    ))
}

fn row(key: &'static str, label: &'static str, name: &str, counts: &BudgetAware) -> Block {
    let mut row = Block::default();
    row.fields.push(Field::shown(key, label, name));
    row.fields.push(Field::shown("n", "problems", counts.items()));
    row.push_metrics(&RE_SOLVING, counts, |measure, value| figure(counts, measure, value));
    for (key, label, count) in [
        ("newly_correct", "newly correct", counts.newly_correct),
        ("lost_correct", "lost correct", counts.lost_correct),
        ("kept_correct", "kept correct", counts.kept_correct),
        ("still_wrong", "still wrong", counts.still_wrong),
    ] {
        row.fields.push(Field::shown(key, label, count));
    }
    row
}

/// Returns a figure of [`RE_SOLVING`] with its 95 % interval, which treats problems as independent.
fn figure(counts: &BudgetAware, measure: &Measure, value: f64) -> Figure {
    let n = counts.items();
    if n > MOST_PROBLEMS {
        return value.into();
    }
    let problems: Vec<u64> = (0..n).collect();
    let rows = |solved: Range<u64>| problems.iter().map(move |at| f64::from(solved.contains(at)));
    let found = if measure.key == CHANGE.measure.key {
        let BudgetAware { lost_correct, newly_correct, kept_correct, .. } = *counts;
        let both = lost_correct + kept_correct;
        let outcomes: Vec<f64> =
            rows(0..both).chain(rows(lost_correct..both + newly_correct)).collect();
        let arms = [Arm::First, Arm::Second].into_iter().flat_map(|arm| repeat_n(arm, n as usize));
        let twice = [&problems[..], &problems].concat();
        Difference::new(&outcomes, &arms.collect::<Vec<_>>(), &twice, SHARE)
            .map(|found| found.figure(LEVEL))
    } else {
        let solved = (value * n as f64).round() as u64;
        let solved: Vec<f64> = rows(0..solved).collect();
        estimates::mean(&solved, None, &problems, SHARE, LEVEL)
    };
    Figure { value, ..found.unwrap_or(value.into()) }
}
