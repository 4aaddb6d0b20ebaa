//! Compares triage scores under several variants of a prompt.

use std::error::Error;

use agent_scorecard::{
    Report,
    knapsack_oracle::Alpha,
    triage::{VariantScore, VariantTable},
};
use run_logs::json_lines::{self, InputError};
use serde::Deserialize;

use crate::files::source::Source;

/// The name of the score file in a folder of `run triage`.
pub(crate) const SCORES: &str = "scores.jsonl";

#[derive(Deserialize)]
struct Row {
    model: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    dataset: String,
    #[serde(default)]
    variant: String,
    alpha: f64,
    eta_advisory: Option<f64>,
    eta_enforced: Option<f64>,
}

/// Returns the report on these sources.
///
/// # Errors
///
/// Errors of reading and comparing.
pub fn report(sources: &[Source]) -> Result<Report, Box<dyn Error>> {
    // A folder of `run triage` has its scores in a file.
    let of = |source: &Source| match source.path().is_dir() {
        true => Source::from(source.path().join(SCORES)),
        false => source.clone(),
    };
    let sources: Vec<Source> = sources.iter().map(of).collect();
    let names: Vec<String> = sources.iter().map(Source::name).collect();
    let names = names.join(", ");
    let mut scores = VariantTable::default();
    for source in &sources {
        for line in json_lines::parse::<Row>(&source.name(), &source.bytes()?)? {
            let (file, number) = (source.name(), line.number);
            let at = |field, problem: String| InputError::of_field(&file, number, field, problem);
            let Row { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced } =
                line.value;
            let alpha = Alpha::new(alpha).map_err(|error| at("alpha", error.to_string()))?;
            let score =
                VariantScore { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced };
            scores.insert(score).map_err(|error| at("dataset", error.to_string()))?;
        }
    }
    let block = scores.block().map_err(|it| InputError::of_file(&names, it.to_string()))?;
    Ok(Report {
        title: "Triage under variants of a prompt".to_owned(),
        lead: "efficiency (eta) as means over data sets; a range is the largest of a model's means under the variants minus the smallest"
            .to_owned(),
        ..Report::of_columns(vec![(names, None, block)])
    })
}
