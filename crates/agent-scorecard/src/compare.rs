//! Compares several agents: which one is better, by how much, and whether the difference is beyond noise.
//!
//! Rates and means have intervals from standard errors clustered by task, with Student's t distribution, which is wide
//! enough for few tasks. A difference is the difference between the agents' means over tasks. Each task counts once,
//! however often it was tried, so that more runs of some tasks do not look like a better agent. Shared tasks make the
//! difference more certain. An agent with unshared tasks may have an easier mix: the report states the number of shared
//! tasks, and `--shared` compares only on these. A task that both tried is left out if one agent has no value for it.
//!
//! The tasks of each agent are assumed to be drawn independently from the population of interest. `docs/findings.md`
//! has simulations of equal agents in "Intervals of rates" and "Which of two agents is better".
//!
//! Reference: Miller (2024), Adding error bars to evals, arXiv:2411.00640, sections 2 (clusters), 4 (pairs) and 5
//! (power); Zou and Donner (2008), Construction of confidence limits about effect measures, doi:10.1002/sim.3095; Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
//! Statistics 6, 65-70.

mod changed_tasks;
mod conclusion;
mod difference;
mod groups;
pub(crate) mod measures;
mod settings;
mod side;
mod side_runs;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use conclusion::Limits;
use difference::{Difference, Tasks, holm};
use groups::{Group, TASKS, TOOLS, WORKED};
pub use measures::measures;
use measures::{SCORE, SUCCESS};
use run_logs::json_lines::alike_names;
use scoring_rules::{Level, TiedBlocks};
pub use settings::{CompareOptions, UngradedAs};
pub use side::Side;
pub use side_runs::{SideRun, SideRuns, Used};
use trajectory_metrics::Measure;

use crate::{
    error::Error,
    report::{
        block::{Block, Column, Field, Position, Report},
        picture::{Axis, Mark, Picture, Series},
    },
    traces::pictures,
};

/// Compares the runs of the first agent with the runs of each other agent.
///
/// With one agent, the report covers only this agent.
///
/// # Errors
///
/// [`Error::Options`] without an agent.
///
/// ```
/// use agent_scorecard::compare::{CompareOptions, Side, SideRun, compare};
/// use agent_scorecard::scoring_rules::Level;
///
/// // Both agents try 30 tasks twice. One fails on every tenth run, the other on every third task.
/// let side = |name: &str, fails: fn(usize) -> bool| {
///     let runs = (0..60).map(|run| SideRun {
///         task: format!("task {}", run / 2),
///         grade: Some(f64::from(!fails(run))),
///         ..SideRun::default()
///     });
///     Side { file: name.to_owned(), runs: runs.collect(), ..Side::default() }
/// };
/// let sides = [side("alpha", |run| run % 10 == 0), side("beta", |run| run / 2 % 3 == 0)];
/// let report = compare(sides, CompareOptions::default(), Level::new(0.95)?)?;
/// assert_eq!(
///     report.conclusion[0],
///     "alpha succeeded in 90 % of 60 runs [73, 98], beta in 67 % of 60 runs [48, 81]. \
///      On the 30 tasks that both agents have, alpha is better by 23.3 points [0.3, 44.4], beyond noise."
/// );
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
pub fn compare(
    sides: impl Into<Vec<Side>>,
    options: CompareOptions,
    level: Level,
) -> Result<Report, Error> {
    let mut sides: Vec<Side> = sides.into();
    // Runs that name no model are compared with nobody.
    sides.sort_by_key(Side::is_nobody);
    let limits: Vec<Limits> = sides.iter().map(|side| Limits::of(side, options.ungraded)).collect();
    let leaves_out = options.ungraded == UngradedAs::LeftOut;
    let ungraded = |side: &Side| {
        let runs = side.runs.iter().filter(|run| leaves_out && run.grade.is_none());
        runs.map(|run| run.task.to_owned()).collect::<BTreeSet<String>>()
    };
    let dropped: Vec<BTreeSet<String>> = sides.iter().map(ungraded).collect();
    let sides: Vec<Side> =
        sides.into_iter().map(|side| side.with_ungraded(options.ungraded)).collect();
    let n_compared = sides.iter().filter(|side| !side.is_nobody()).count();
    let sides = sides.as_slice();
    let Some(first) = sides.first() else {
        return Err(Error::Options { options: &["sides"], problem: "there are none".to_owned() });
    };
    let others = sides.get(1..n_compared).unwrap_or_default();
    let is_partial = sides.iter().any(Side::is_partial);
    let columns = sides.iter().map(|side| Column {
        name: side.name.clone(),
        ..(side.file.clone(), side.model.clone(), side.block(is_partial, level)).into()
    });
    let mut report = Report::of_columns(columns.collect::<Vec<_>>());
    report.list = Some("files");
    let names: Vec<String> = report.columns.iter().map(|column| column.name.clone()).collect();
    let pairs = others.iter().enumerate().map(|(at, other)| {
        let dropped = [&dropped[0], &dropped[at + 1]];
        let (names, tasks) =
            ([names[0].as_str(), &names[at + 1]], Tasks { dropped, are_shared: options.shared });
        let difference =
            Difference::new([first, other], names, is_partial, tasks, options.detect, level);
        let tools = Group::tools([first, other], options.shared, level);
        (difference, (Group::all([first, other], names, is_partial, tasks, level), tools))
    });
    let (mut differences, groups): (Vec<Difference<'_>>, Vec<_>) = pairs.unzip();
    let (mut groups, mut tools): (Vec<Vec<Group>>, Vec<Vec<Group>>) = groups.into_iter().unzip();
    holm(&mut differences, level);
    let changes = changed_tasks::changes(&differences, is_partial, level);
    groups::correct_all(&mut groups, level);
    groups::correct_all(&mut tools, level);

    report.title = "Which agent is better?".to_owned();
    report.conclusion =
        conclusion::sentences(sides, &limits, &report.columns, &differences, is_partial, level);
    let of_each = differences.iter().zip(&changes).zip(groups.iter().zip(&tools));
    let told = of_each.flat_map(|((it, tasks), (groups, tools))| {
        let of_groups = groups::sentence(groups, it.names[1], &TASKS);
        let of_tools = groups::sentence(tools, it.names[1], &TOOLS);
        [tasks.sentence(it), of_groups, of_tools].into_iter().flatten()
    });
    report.conclusion.splice(differences.len()..differences.len(), told);
    report.set_accounts(sides.iter().map(|side| side.account.clone()));
    if let Some(account) = &mut report.account {
        let tasks = sides.iter().flat_map(|side| side.runs.iter().map(|run| run.task));
        account.similar_names = alike_names(tasks);
    }
    report.lead = lead(&differences, level);
    if changes.iter().any(|it| it.n_tested() > 0) {
        report.lead.push_str("; each task is tested exactly (Boschloo 1970), with correction for the number of tasks (Benjamini and Hochberg 1995)");
    }
    let title = |name: &str| match others {
        [_] => format!("{name} minus {}", names[0]),
        _ => format!("Differences to {}", names[0]),
    };
    let mut blocks = Vec::new();
    for ((it, changes), (groups, tools)) in
        differences.iter().zip(&changes).zip(groups.iter().zip(&tools))
    {
        let mut block = it.block(title(it.names[1]), level);
        // Notes of parts appear only in the JSON object.
        let of = match others {
            [_] => "difference".to_owned(),
            _ => format!("difference of {}", it.names[1]),
        };
        let notes = block.said(Position::Note).map(|note| format!("{of}: {note}"));
        report.together.say(Position::Note, notes);
        let (fields, note) = changes.fields();
        let fields = fields.into_iter().chain(groups::fields(groups, &TASKS));
        block.fields.extend(fields.chain(groups::fields(tools, &TOOLS)));
        block.say(Position::Note, note);
        blocks.push(block);
    }
    let together = &mut report.together;
    if let ([block], [difference]) = (blocks.as_mut_slice(), differences.as_slice()) {
        let of_side =
            |side: usize, key: &str| report.columns[side].block.figure(key).ok().map(|it| it.value);
        report.decided = difference.decided(of_side);
        let block = std::mem::take(block);
        together.push_json("differences", &BTreeMap::from([(&names[1], &block)]));
        together.fields.push(Field::block("difference", block));
    } else if !blocks.is_empty() {
        let beside = blocks.into_iter().zip(&names[1..]);
        let beside = beside.map(|(it, name)| Field::block(name.clone(), it).labelled(name.clone()));
        together.fields.push(Field::block("differences", Block::of(beside)));
    }
    let reliability = reliability(sides, &names)?;
    let success = if is_partial { SCORE.measure } else { SUCCESS.measure };
    together.fields.extend(groups::rows(&groups, &names, success, &TASKS));
    together.fields.extend(groups::rows(&tools, &names, WORKED, &TOOLS));
    if !is_partial {
        together.fields.push(changed_tasks::rows(sides, &names, &changes, level));
    }
    let pictures =
        [("reliability", reliability), ("success", self::success(&report.columns, success))];
    report.main_pictures = pictures.iter().map(|(name, _)| *name).collect();
    report.together.draw(pictures);
    Ok(report)
}

/// Returns the picture of the success rates with their intervals.
fn success(columns: &[Column], Measure { key, label, .. }: Measure) -> Picture {
    let points = columns.iter().enumerate();
    let points = points.filter_map(|(at, column)| column.block.point(key, at as f64));
    let names = columns.iter().map(|column| column.name.clone());
    Picture {
        title: "Success: how often did each agent succeed?".to_owned(),
        x: Axis::new("agent").with_categories(names.collect()),
        y: Axis::new(label).with_range(0.0, 1.0),
        series: vec![Series::with_intervals(label, Mark::Dots, points)],
        note: "Lines are intervals. To see whether two agents differ, read the interval of their difference, not the overlap of their own intervals.".to_owned(),
    }
}

/// Returns the picture of the success rate by stated confidence, with all agents in one picture.
fn reliability(sides: &[Side], names: &[String]) -> Result<Picture, Error> {
    let blocks = sides.iter().zip(names).filter_map(|(side, name)| Some((name, side.forecasts()?)));
    let blocks: Vec<(&String, TiedBlocks)> = blocks.collect();
    let streams: Vec<(&str, &TiedBlocks)> =
        blocks.iter().map(|(name, blocks)| (name.as_str(), blocks)).collect();
    Ok(pictures::reliability(&streams, "stated confidence", None)?)
}

/// Describes how the figures were computed.
fn lead(differences: &[Difference], level: Level) -> String {
    let mut lead = format!(
        "{percent:.0} % intervals, with the runs of a task as one cluster",
        percent = 100.0 * level.get(),
    );
    let mut pairings: Vec<String> = differences.iter().map(Difference::pairing).collect();
    pairings.dedup();
    if !pairings.is_empty() {
        lead.push_str(&format!("; differences are {}", pairings.join("; ")));
    }
    if differences.len() > 1 {
        let n = differences.len();
        lead.push_str(&format!(
            "; the significance of differences is corrected for {n} comparisons (Holm)"
        ));
    }
    lead
}
