//! The results of a live agent in a benchmark: the tables of [`agent_benchmarks`] as reports, with a column for each
//! setting.
//!
//! The driver of the conversations provides the records. The counts of a setting say which runs its figures are over.

use agent_benchmarks::{
    Figures,
    confidence::ConfidenceRecord,
    costbench::{CostBenchFigures, CostBenchRecord, ReleasedResults},
};
use scoring_rules::Seed;
use tool_graph::LeftOutCounts;
use trajectory_metrics::{Figure, Intervals};

use crate::{
    error::Error,
    options::LEVEL,
    report::{
        block::{Block, Column, Field, Position, Report},
        key,
        picture::{Axis, Mark, Picture, Series},
        sentence::{counted, left_out, percent, with_ends},
    },
};

mod budget;
mod confidence;
mod play;
mod triage;

pub use budget::budget;
pub use confidence::confidence;
pub use play::{Played, play, rooms, runs};
pub use triage::{ReSolved, triage, triage_scores};

/// The model whose records are scored, and the settings of the 95 % intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveOptions {
    /// The model.
    pub model: String,
    /// The number of bootstrap resamples of queries, pools, rollouts or questions; 0 for no intervals.
    pub resamples: usize,
    /// The seed of the resamples.
    pub seed: u64,
}

/// The figures of one setting.
#[derive(Default)]
struct Setting {
    name: String,
    counts: Vec<(&'static str, usize)>,
    figures: Figures,
    conclusion: Vec<String>,
}

impl LiveOptions {
    fn how(&self) -> Intervals {
        let (level, seed) = (LEVEL, Seed(self.seed));
        Intervals { level, resamples: self.resamples, seed }
    }
}

impl Setting {
    /// Returns the counts as rows of a table.
    fn counted(&self) -> impl Iterator<Item = Field> {
        self.counts.iter().map(|&(key, count)| Field::shown(key, key.replace('_', " "), count))
    }

    /// Returns the figures as rows of a table.
    fn measured(&self) -> impl Iterator<Item = Field> {
        self.figures.iter().cloned().map(|(measure, figure)| {
            // Benchmarks report only intervals.
            let plain = |figure| Figure { standard_error: None, ..figure };
            Field::figure(measure, figure.map(plain))
        })
    }
}

/// Scores how well a model solves tool-calling tasks at the lowest cost. The table has a row for each combination of a
/// number of steps and a kind of events. Confidence that the model stated is scored, too.
///
/// # Errors
///
/// Errors of [`CostBenchFigures::of`].
///
/// ```
/// use agent_scorecard::agent_benchmarks::{
///     Reply, Request, converse, costbench::{CostBench, Split, queries},
/// };
/// use agent_scorecard::live::{LiveOptions, costbench};
///
/// let bench = CostBench::new(0)?;
/// let silent = |_: &Request| Ok(Reply::default());
/// let instance = bench.instance(&queries(Split::Test, 42)[0]);
/// let records = [converse(instance.conversation(), silent)?];
/// let options = LiveOptions { model: "silent".to_owned(), resamples: 0, seed: 1 };
/// let report = costbench(&records, &options)?;
/// let json = serde_json::to_value(&report).unwrap();
/// assert_eq!(json["rows"][0]["setting"], "3 steps, events: none");
/// assert_eq!(json["rows"][0]["counts"]["left_out_without_calls"], 1);
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
pub fn costbench(records: &[CostBenchRecord], options: &LiveOptions) -> Result<Report, Error> {
    let how = options.how();
    let rows = CostBenchFigures::of(records, how)?;
    let has_events = rows.iter().any(|row| row.events != "none");
    let mut baseline = CostBenchFigures::of_greedy(records, how)?;
    for row in &mut baseline {
        // It replies nothing that could list plans.
        row.figures.retain(|(measure, _)| !measure.key.starts_with("path_coverage"));
    }
    let greedy = |row: &CostBenchFigures| {
        let of_row =
            |it: &&CostBenchFigures| (it.task_length, &it.events) == (row.task_length, &row.events);
        baseline.iter().find(of_row)?.figure("exact_match_ratio")
    };
    let model = &options.model;
    let own: Vec<_> =
        rows.into_iter().map(|row| (conclusion(model, &row, greedy(&row)), "", row)).collect();
    let baseline = baseline.into_iter().map(|row| (Vec::new(), "greedy policy, ", row));
    let settings = own.into_iter().chain(baseline).map(|(conclusion, whose, row)| Setting {
        conclusion,
        name: format!("{whose}{} steps, events: {}", row.task_length, row.events),
        counts: vec![
            ("runs", row.runs),
            ("left_out_without_events", row.left_out.events_missing),
            ("left_out_event_at_the_end", row.left_out.last_event),
            ("left_out_without_calls", row.left_out.no_calls),
            ("left_out_without_reply", row.without_reply),
            ("calls", row.failures.calls),
            ("wrong_parameters", row.failures.wrong_parameters),
            ("inaccessible", row.failures.inaccessible),
            ("repeated", row.failures.repeated),
            ("after_the_goal", row.failures.extra),
        ],
        figures: row.figures,
    });
    let note = has_events.then(|| NO_GAP_UNDER_EVENTS.to_owned());
    let mut report = report(&options.model, settings, note);
    compare(
        &mut report,
        "How good are the paths?",
        &[
            ("task_completion_ratio", "TCR"),
            ("exact_match_ratio", "EMR"),
            ("normalized_edit_distance", "ANED"),
            ("invalid_tool_use_ratio", "ITUR"),
            ("path_coverage", "coverage"),
        ],
    );
    if let Some(objective) = records.iter().find_map(|record| record.objective) {
        let stated = records.iter().filter_map(|it| Some(it.judged_by(it.objective?).into()));
        let stated: Vec<ConfidenceRecord> = stated.collect();
        let note = format!("Scored against: {}.", objective.name());
        let mut block = confidence::streams(&stated, &note, options)?;
        report.together.pictures.append(&mut block.pictures);
        let notes = block.unsay(Position::Note);
        report.together.say(Position::Note, notes);
        report.together.fields.push(Field::block("streams", block));
    }
    Ok(report)
}

/// Returns the conclusions on the paths of a model, next to the share of exact paths of the greedy policy.
fn conclusion(model: &str, row: &CostBenchFigures, greedy: Option<Figure>) -> Vec<String> {
    let paths = row.figure("task_completion_ratio").zip(row.figure("exact_match_ratio"));
    let paths = paths.map(|(completed, exact)| {
        let greedy = greedy.map_or_else(String::new, |greedy| {
            format!(" (the greedy policy in {})", percent(&greedy))
        });
        let gap = row.figure("cost_gap").map_or_else(String::new, |gap| {
            format!(
                "; runs that reach the goal cost {gap} more than the cheapest plan",
                gap = with_ends(&gap),
            )
        });
        format!(
            "of {runs}, {model} completes {completed} and makes the calls of the best plan in {exact}{greedy}{gap}",
            runs = counted(row.runs, "run"),
            completed = percent(&completed),
            exact = percent(&exact),
        )
    });
    let LeftOutCounts { events_missing, last_event, no_calls, .. } = row.left_out;
    let left_out = left_out([
        (events_missing as u64, "in which not all events occurred"),
        (last_event as u64, "whose last event occurred at their end"),
        (no_calls as u64, "without a call"),
        (row.without_reply as u64, "without a reply"),
    ]);
    paths.into_iter().chain(left_out).collect()
}

/// Returns the table of [`costbench`] for a results file of the released benchmark, after its runs were replayed. In
/// addition, `as_published` has the means that the file itself states.
///
/// # Errors
///
/// Errors of [`CostBenchFigures::of`].
pub fn costbench_results(
    results: &ReleasedResults,
    options: &LiveOptions,
) -> Result<Report, Error> {
    let mut report = costbench(&results.records, options)?;
    let stated = results.as_published.iter();
    let fields = stated.map(|(&key, value)| Field::shown(key, key.replace('_', " "), *value));
    let stated = Block::titled("What the file itself states", fields);
    report.together.fields.push(Field::block("as_published", stated));
    let ignored = results.ignored_replies;
    report.together.fields.push(Field::json("replies_after_the_end", ignored));
    if results.repeats > 0 {
        let runs = counted(results.repeats, "run");
        report.conclusion.push(format!(
            "For {runs}, the file also has an earlier run of the same query; all runs count."
        ));
    }
    if ignored > 0 {
        let note = format!("replies that follow the end of a run and are not replayed: {ignored}");
        report.together.say(Position::Note, [note]);
    }
    Ok(report)
}

const NO_GAP_UNDER_EVENTS: &str = "cost_gap: undefined under events, because plans are optimal only for the costs known when they were made; compare paths instead";

/// Draws measures that are fractions, by key and short name, for all columns of a report side by side.
fn compare(report: &mut Report, title: &str, measures: &[(&str, &str)]) {
    let columns = report.columns.len() as f64;
    let series = report.columns.iter().zip(0..).map(|(column, place)| {
        let beside = 0.6 * ((f64::from(place) + 0.5) / columns - 0.5);
        let points = measures.iter().zip(0..).filter_map(|((key, _), at)| {
            column.block.inner(key::metrics)?.point(key, f64::from(at) + beside)
        });
        Series::with_intervals(column.name.as_str(), Mark::Dots, points)
    });
    let picture = Picture {
        title: title.to_owned(),
        x: Axis::default()
            .with_categories(measures.iter().map(|(_, name)| (*name).to_owned()).collect()),
        y: Axis::new("share").with_range(0.0, 1.0),
        series: series.filter(|series| !series.is_empty()).collect(),
        note: "Lines are 95 % intervals.".to_owned(),
    };
    report.together.draw([("compared", picture)]);
    report.main_pictures.push("compared");
}

/// Returns the report of a column for each setting. Notes on figures name their setting.
fn report(model: &str, settings: impl Iterator<Item = Setting>, note: Option<String>) -> Report {
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut is_empty = true;
    let columns = settings.map(|setting| {
        let mut metrics = Block::titled(format!("How good is {model}?"), setting.measured());
        is_empty &= !metrics.has_figure();
        notes.extend(metrics.take_notes(&setting.name));
        let counts = Block::titled("What was counted", setting.counted());
        let name = setting.name;
        let fields = vec![
            Field::json("setting", name.as_str()),
            Field::block(key::metrics, metrics),
            Field::block("counts", counts),
        ];
        let block = Block::of(fields).saying(Position::Conclusion, setting.conclusion);
        Column { name, block, ..Column::default() }
    });
    let columns = columns.collect();
    if is_empty {
        notes.push("no figure is defined; the counts say why".to_owned());
    }
    let mut report = Report {
        title: "A model in a benchmark".to_owned(),
        together: Block::default().saying(Position::Note, notes),
        columns,
        list: Some("rows"),
        ..Report::default()
    };
    report.conclude();
    report
}
