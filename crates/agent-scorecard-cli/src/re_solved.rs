//! Reports on problems that were attempted again with their allocation disclosed.

use std::error::Error;

use agent_scorecard::{
    Report,
    knapsack_oracle::{BudgetAware, ReSolve},
    triage::{ReSolvedCounts, re_solved},
};
use run_logs::json_lines::{self, InputError, yes_or_no};
use serde::Deserialize;

use crate::files::source::Source;

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

/// Returns the report on this source.
///
/// # Errors
///
/// Errors of reading.
pub fn report(source: &Source) -> Result<Report, Box<dyn Error>> {
    let (file, mut counts) = (source.name(), ReSolvedCounts::new());
    for line in json_lines::parse::<Row>(&file, &source.bytes()?)? {
        let Row { model, dataset, allocation, output_tokens: cost, solved_before, solved_after } =
            line.value;
        let counts: &mut BudgetAware = counts.entry(model).or_default().entry(dataset).or_default();
        let item = ReSolve { allocation, cost, solved_before, solved_after };
        counts.update(item).map_err(|_| {
            let problem = "is 0; it must be at least 1, because a problem without an allocation is not attempted again";
            InputError::of_field(&file, line.number, "allocation", problem)
        })?;
    }
    Ok(Report {
        title: "Attempts with a disclosed budget".to_owned(),
        lead: "problems attempted without and with a disclosed budget; accuracy is the share of problems solved, compliance that of attempts within their allocation; 95 % intervals take problems as independent"
            .to_owned(),
        ..Report::of_columns(vec![(file, None, re_solved(&counts))])
    })
}
