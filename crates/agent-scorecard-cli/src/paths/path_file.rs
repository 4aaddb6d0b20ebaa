//! Files of tool calls, read with all threads. A line is a [`PathRun`].

use std::{collections::BTreeMap, error::Error, path::Path};

use agent_scorecard::paths::{PathRun, PathTally};
use run_logs::json_lines::{RunCounts, fold, parse_line};

use crate::files::json_lines;

/// The runs of a part of a file by model, and those that were left out before.
#[derive(Default)]
struct Models {
    models: BTreeMap<Option<String>, PathTally>,
    left_out: RunCounts,
}

/// The runs of each model; of a single model, which is not named.
pub(crate) type ByModel = Vec<(Option<String>, PathTally)>;

/// Reads the runs of a file with all threads, model by model; a single model is not named.
///
/// # Errors
///
/// The error of the first invalid line, with file, line and field.
pub(crate) fn read(path: &Path, ignore_arguments: bool) -> Result<ByModel, Box<dyn Error>> {
    let (mut models, mut left_out) = (BTreeMap::<_, PathTally>::new(), RunCounts::default());
    let file = path.display().to_string();
    fold(
        &file,
        json_lines::open(path)?,
        |part: &mut Models, number, line| {
            if part.left_out.take_left_out(&file, number, line)? {
                return Ok(());
            }
            let run: PathRun = parse_line(&file, number, line)?;
            let tally = part.models.entry(run.model.clone()).or_default();
            Ok(tally.update(&run, ignore_arguments)?)
        },
        Ok,
        |part: Models| {
            left_out.append(&part.left_out);
            for (model, tally) in part.models {
                models.entry(model).or_default().append(&tally);
            }
        },
    )
    .map_err(|error: Box<dyn Error + Send + Sync>| -> Box<dyn Error> { error })?;
    // The line of a run that was left out names no model.
    let is_one = models.len() <= 1;
    if models.is_empty() || !is_one && left_out != RunCounts::default() {
        models.entry(None).or_default();
    }
    if let Some(first) = models.values_mut().next() {
        first.runs_mut().append(&left_out);
    }
    let named = models.into_iter().map(|(model, tally)| match is_one {
        true => (None, tally),
        false => (Some(model.unwrap_or_else(|| "unknown model".to_owned())), tally),
    });
    Ok(named.collect())
}
