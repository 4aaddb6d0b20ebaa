//! Files of problems that were attempted again with their allocation disclosed, and the counts of
//! figures 7 and 8 of TRIAGE.

use std::{collections::BTreeMap, error::Error, path::Path};

use knapsack_oracle::{BudgetAware, ReSolve};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    files::json_lines::{self, InputError},
    output::table::Layout,
    triage::pool_file::yes_or_no,
};

#[derive(Deserialize)]
struct Row {
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

/// The counts of each model: over all data sets, and by data set.
pub(crate) type Counts = BTreeMap<String, (BudgetAware, BTreeMap<String, BudgetAware>)>;

/// Reads a file and counts. The counts of a model are the merged counts of its data sets.
///
/// # Errors
///
/// [`InputError`] for a file that cannot be read or has an invalid line.
pub(crate) fn read(path: &Path) -> Result<Counts, InputError> {
    let mut counts = Counts::new();
    for line in json_lines::read::<Row>(path)? {
        let row = line.value;
        let item = ReSolve {
            allocation: row.allocation,
            cost: row.output_tokens,
            solved_before: row.solved_before,
            solved_after: row.solved_after,
        };
        let mut one = BudgetAware::default();
        one.update(item).map_err(|_| InputError {
            file: path.display().to_string(),
            line: Some(line.number),
            field: Some("allocation".to_owned()),
            problem: "is 0; it must be at least 1, because a problem without an allocation is not \
                      attempted again"
                .to_owned(),
        })?;
        let (all, by_dataset) = counts.entry(row.model).or_default();
        all.merge(&one);
        by_dataset.entry(row.dataset).or_default().merge(&one);
    }
    Ok(counts)
}

fn object(counts: &BudgetAware) -> Result<Value, knapsack_oracle::Error> {
    Ok(json!({
        "n": counts.items(),
        "baseline_accuracy": counts.baseline_accuracy()?,
        "budget_aware_accuracy": counts.budget_aware_accuracy()?,
        "compliance_rate": counts.compliance_rate()?,
        "newly_correct": counts.newly_correct,
        "lost_correct": counts.lost_correct,
        "kept_correct": counts.kept_correct,
        "still_wrong": counts.still_wrong,
    }))
}

/// The counts as JSON.
///
/// # Errors
///
/// The errors of the crates.
pub(crate) fn to_json(counts: &Counts) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut models = Vec::with_capacity(counts.len());
    for (model, (all, by_dataset)) in counts {
        let mut datasets = Vec::with_capacity(by_dataset.len());
        for (dataset, of_dataset) in by_dataset {
            let mut object = object(of_dataset)?;
            object["dataset"] = json!(dataset);
            datasets.push(object);
        }
        let mut object = object(all)?;
        object["model"] = json!(model);
        object["datasets"] = json!(datasets);
        models.push(object);
    }
    Ok(models)
}

/// The counts as text.
///
/// # Errors
///
/// The errors of the crates.
pub(crate) fn to_text(counts: &Counts, layout: Layout) -> Result<String, Box<dyn Error>> {
    let header = [
        "model",
        "data set",
        "n",
        "baseline",
        "budget-aware",
        "compliance",
        "newly correct",
        "lost correct",
        "kept correct",
        "still wrong",
    ];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    for (model, (all, by_dataset)) in counts {
        let by_dataset = by_dataset.iter().map(|(name, counts)| (name.as_str(), counts));
        for (dataset, counts) in [("all", all)].into_iter().chain(by_dataset) {
            table.push(vec![
                model.clone(),
                dataset.to_owned(),
                counts.items().to_string(),
                format!("{:.3}", counts.baseline_accuracy()?),
                format!("{:.3}", counts.budget_aware_accuracy()?),
                format!("{:.3}", counts.compliance_rate()?),
                counts.newly_correct.to_string(),
                counts.lost_correct.to_string(),
                counts.kept_correct.to_string(),
                counts.still_wrong.to_string(),
            ]);
        }
    }
    Ok(layout.table(&table))
}
