//! The figures of a report on budget estimates.

use std::error::Error;

use budget_estimation::{Rollout, Sample};

use crate::{
    budget::{report::Report, runs::Runs},
    report::{
        budget_fan::{FanOfRun, chances, fan},
        figure::Figures,
        files::derived,
    },
};

/// The figures that follow from the report, and those of the run of this id, or of the longest feasible
/// run.
///
/// # Errors
///
/// If no run has this id.
pub(crate) fn figures(
    runs: &Runs,
    id: Option<&str>,
    estimator: &str,
    report: &Report,
) -> Result<Figures, Box<dyn Error>> {
    let mut figures = derived("budget", report)?;
    let Some(run) = chosen(runs, id)? else { return Ok(figures) };
    let samples: Vec<&Sample> =
        runs.samples.iter().filter(|sample| sample.rollout() == run.index()).collect();
    let label = if run.is_feasible()? { "feasible" } else { "not feasible" };
    let name = format!("{}: {} turns, {label}", run.id().unwrap_or_default(), run.turns());
    let drawn = fan(FanOfRun {
        run: &name,
        estimator,
        resource: &report.resource,
        samples: &samples,
        cap: run.cap(runs.resource)?,
    });
    figures.extend(drawn.map(|figure| ("fan".to_owned(), figure)));
    let stated = runs.chances.get(run.index()).and_then(|stated| chances(&name, stated));
    figures.extend(stated.map(|figure| ("chance".to_owned(), figure)));
    Ok(figures)
}

fn chosen<'a>(runs: &'a Runs, id: Option<&str>) -> Result<Option<Rollout<'a>>, Box<dyn Error>> {
    if let Some(id) = id {
        let found = runs.rollouts.iter().find(|run| run.id() == Some(id));
        let found =
            found.ok_or_else(|| format!("--plot-id: no run that is scored is called {id:?}"));
        return Ok(Some(found?));
    }
    let feasible = |run: &Rollout<'_>| run.is_feasible().unwrap_or(false);
    let first_longest =
        |best: Rollout<'a>, run: Rollout<'a>| if run.turns() > best.turns() { run } else { best };
    Ok(runs.rollouts.iter().filter(feasible).reduce(first_longest))
}
