//! The page of each subcommand, made of its JSON output.

mod budget;
pub(crate) mod common;
mod costbench;
mod logs;
mod paths;
mod run;
mod traces;
mod triage;

use crate::report::{figure::Figures, page::Page, table::Output};

/// The figures that follow from the numbers of an output; none of a subcommand whose figures come with its
/// output.
pub(crate) fn figures(subcommand: &str, output: Output<'_>) -> Figures {
    match subcommand {
        "cut-off" => traces::cut_off_figures(output),
        "paths" => paths::figures(output),
        "costbench" => costbench::figures(output),
        "triage" => triage::figures(output),
        "budget" => budget::figures(output),
        "logs" => logs::figures(output),
        _ => Figures::new(),
    }
}

/// The page of a subcommand.
///
/// # Errors
///
/// For a subcommand without a page.
pub(crate) fn page(subcommand: &str, output: Output<'_>) -> Result<Page, String> {
    Ok(match subcommand {
        "traces" => traces::page(output),
        "calibration" => traces::calibration_page(output),
        "cut-off" => traces::cut_off_page(output),
        "paths" => paths::page(output),
        "costbench" => costbench::page(output),
        "triage" => triage::page(output),
        "budget" => budget::page(output),
        "run" => run::page(output),
        "logs" => logs::page(output),
        _ => return Err(format!("--html: {subcommand} has no page")),
    })
}
