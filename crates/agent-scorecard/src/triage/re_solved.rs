use std::collections::BTreeMap;

use knapsack_oracle::BudgetAware;
use trajectory_metrics::{Better, Figure, Metric};

use crate::{
    report::block::{Block, Field, Shape},
    triage::undefined,
};

/// The counts of problems that were attempted again with their allocation disclosed, by model and data set.
pub type ReSolvedCounts = BTreeMap<String, BTreeMap<String, BudgetAware>>;

/// What changes if a model knows its allocations.
pub(crate) const RE_SOLVING: [Metric<BudgetAware>; 3] = [
    Metric::new(
        "baseline_accuracy",
        "baseline",
        Better::Higher,
        "Share of problems solved without a disclosed budget.",
        |counts: &BudgetAware| counts.baseline_accuracy().map_err(undefined),
    )
    .share(),
    Metric::new(
        "budget_aware_accuracy",
        "budget-aware",
        Better::Higher,
        "Share of problems solved with a disclosed budget.",
        |counts: &BudgetAware| counts.budget_aware_accuracy().map_err(undefined),
    )
    .share(),
    Metric::new(
        "compliance_rate",
        "compliance",
        Better::Higher,
        "Share of the attempts with a disclosed budget that cost at most their allocation.",
        |counts: &BudgetAware| counts.compliance_rate().map_err(undefined),
    )
    .share(),
];

/// What changes if models know their allocations: figures 7 and 8 of TRIAGE. Each model has the merged counts
/// of its data sets, and those of each data set.
#[must_use]
pub fn re_solved(counts: &ReSolvedCounts) -> Block {
    let models = counts.iter().map(|(model, datasets)| {
        let mut all = BudgetAware::default();
        datasets.values().for_each(|counts| all.merge(counts));
        let mut row = row("model", "model", model, &all);
        let datasets = datasets.iter();
        let datasets =
            datasets.map(|(name, counts)| self::row("dataset", "data set", name, counts));
        let title = format!("Data sets of model {model}");
        row.fields.push(Field::rows("datasets", title, datasets.collect()));
        row
    });
    let models = Field::rows("models", "Models, over all data sets", models.collect());
    Block { fields: vec![models], ..Block::default() }
}

fn row(key: &'static str, label: &'static str, name: &str, counts: &BudgetAware) -> Block {
    let mut row = Block { shape: Shape::Plain, ..Block::default() };
    row.fields.push(Field::shown(key, label, name));
    row.fields.push(Field::shown("n", "problems", counts.items()));
    row.push_metrics(&RE_SOLVING, counts, |_, value| Figure::from(value));
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
