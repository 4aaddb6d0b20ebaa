//! Results of tau2-bench: one file, or `results.json` with a folder `simulations` next to it.

pub(crate) mod conversation;
pub(crate) mod header;
pub(crate) mod messages;
pub(crate) mod results;
pub(crate) mod simulation;

use std::io::Read;

use crate::{
    engines::folder::Folder,
    error::Error,
    format::Format,
    formats::{
        run_iterator::{HeadOf, Opened},
        shape::Shape,
        tau2::results::{Results, SIMULATIONS},
    },
    read_options::ReadOptions,
};

/// Returns whether the first bytes of a file show results, or one simulation.
pub(crate) fn recognizes(shape: &Shape) -> bool {
    let has_info = shape.has_key("info", "num_trials") || shape.has_key("info", "environment_info");
    let has_tasks =
        shape.has_key("tasks", "user_scenario") || shape.has_key("tasks", "evaluation_criteria");
    !shape.is_list
        && ((has_info && (shape.has("tasks") || shape.has("simulations")))
            || (has_tasks && shape.has("info"))
            || shape.has_all(&["info", "tasks", "simulations"])
            || shape.has_key("simulations", "task_id")
            || shape.has("simulation_index")
            || is_simulation(shape))
}

/// Returns whether the file holds one simulation, as the folder form has them.
fn is_simulation(shape: &Shape) -> bool {
    shape.has_all(&["task_id", "termination_reason"])
}

/// Reads the runs of a log. `folder` is the one that contains the file.
pub(crate) fn read<'a>(
    source: impl Read + 'a,
    shape: &Shape,
    folder: Option<Folder>,
    options: &ReadOptions,
) -> Result<Opened<'a>, Error> {
    if is_simulation(shape) {
        let runs = Box::new(simulation::alone(source, *options));
        return Ok(Opened::alone(Format::Tau2, runs));
    }
    let simulations = folder.and_then(|folder| folder.join(SIMULATIONS));
    let owned = simulations.as_ref().map(|folder| folder.path().to_owned());
    let evaluation = HeadOf::default();
    let runs = Results::runs(source, simulations, options, &evaluation)?;
    Ok(Opened { owned, evaluation, ..Opened::alone(Format::Tau2, runs) })
}
