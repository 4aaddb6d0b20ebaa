//! Compares five ways to count runs that were cut off: leave them out, count them as failures, score them by their
//! probability of success, weight the other runs, or bound the result. This is the subcommand `cut-off`.
//!
//! Without a file it takes the bundled runs (made by the example `demo_data`), whose true probability of success is known:
//! it is the forecast of the truthful stream at the stop. Each file is one stream of forecasts; files with the same runs
//! are compared pairwise. Ids are unique within a file.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{
    Report,
    cut_off::{
        CutOffOptions, METRICS, cut_off, read_chances, read_continuations, read_curve_groups,
    },
    traces::TraceFile,
};
use clap::ValueHint::AnyPath;
use run_logs::AtLimit;

use crate::{
    files::{
        logs::{self, OUTCOMES, Streamed},
        source::{Names, Source},
    },
    output::{options::Forms, program::Written, text::rows},
    progress::working,
    traces,
};

/// Compares five ways to score streams of confidence when a budget cut off some of the runs
#[derive(Debug, clap::Args)]
#[command(after_help = [include_str!("help/cut_off_chances.txt"), traces::FORMAT, &rows(&METRICS), logs::HELP, OUTCOMES].concat())]
pub(crate) struct Options {
    /// Trace files, logs or folders of logs. Each file, and each model in a log, has its own column, in which every run
    /// needs a different id. Columns with the same runs are compared in pairs. Without a file, bundled runs with known
    /// probabilities of success are used
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    how: CutOffOptions,
    #[command(flatten)]
    read: Streamed,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    forms: Forms,
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { files, names, how, read, beside, forms } = options;
    forms.show(report(names.of(files)?, how, &beside, read)?)
}

/// Files with additional data on the runs, all optional: probabilities of success, forecasts that are not scored,
/// results of continuations, and groups.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Beside {
    /// File with the probability that each cut-off run would have succeeded without the budget: JSON Lines with the
    /// fields id and success_chance, from 0 to 1. Alternatively, add the field success_chance to the line of the run in
    /// FILE
    #[arg(long, value_name = "FILE", value_hint = AnyPath)]
    pub success_chance: Option<Source>,
    /// Files of forecasts that are not scored. The model that predicts the success of cut-off runs uses them as
    /// features, in addition to turn and task. Each file must contain the same runs as FILE, in the same format
    #[arg(long, value_name = "FILE", value_hint = AnyPath)]
    pub chance_from: Vec<Source>,
    /// File with the results of continuing each cut-off run several times: JSON Lines with the field id and the counts
    /// successes, failures, unresolved (optional) and invalid (optional). The counts give the probability of success of
    /// each run, and a table of the report summarizes them
    #[arg(long, value_name = "FILE", value_hint = AnyPath)]
    pub continuations: Option<Source>,
    /// File that assigns runs to groups, for example by difficulty: JSON Lines with the fields id and group. The
    /// weighted means then estimate a separate probability of being cut off in each group. Without this option, all
    /// runs form one group
    #[arg(long, value_name = "FILE", value_hint = AnyPath)]
    pub curve_groups: Option<Source>,
}

/// Returns the report that compares treatments of cut-off runs.
///
/// # Errors
///
/// Errors of reading and scoring.
pub fn report(
    sources: Vec<Source>,
    how: CutOffOptions,
    beside: &Beside,
    mut read: Streamed,
) -> Result<Report, Box<dyn Error>> {
    // The question is what would be known if a limit hid the outcome.
    read.judging.rules.at_limit.get_or_insert(AtLimit::Unknown);
    let is_bundled = sources.is_empty();
    let names = ["demo_truthful.jsonl", "demo_overconfident.jsonl", "demo_constant.jsonl"];
    let traces = |sources: &[Source]| {
        let mut files = Vec::new();
        for source in sources {
            for file in logs::traces(source, &read)? {
                file.check_ids()?;
                files.push(file);
            }
        }
        Ok::<Vec<TraceFile>, Box<dyn Error>>(files)
    };
    let files = traces(&Source::unless(sources, &names))?;
    let given = beside.success_chance.as_ref().map(|source| source.read_by(read_chances));
    let continued = beside.continuations.as_ref().map(|source| source.read_by(read_continuations));
    let groups = beside.curve_groups.as_ref().map(|source| source.read_by(read_curve_groups));
    let mut how = CutOffOptions {
        given: given.transpose()?.unwrap_or_default(),
        continuations: continued.transpose()?,
        curve_groups: groups.transpose()?,
        teachers: traces(&beside.chance_from)?,
        ..how
    };
    if is_bundled {
        // The world that made these runs is known: it is what the truthful stream, the first one, says at the stop.
        let last = files[0].runs.iter();
        let last = last.filter_map(|run| Some((run.id, *run.forecasts.last()?)));
        let known = how.known.insert(last.collect());
        if how.given.is_empty() && how.continuations.is_none() && how.teachers.is_empty() {
            how.given.clone_from(known);
        }
    }
    let mut report = working("scoring cut-off runs", || cut_off(&files, &how))?;
    read.judging.finish(&mut report);
    Ok(report)
}
