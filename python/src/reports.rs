use std::{collections::BTreeMap, error::Error, path::PathBuf};

use agent_scorecard::{
    Better, Block, PlacedFigure, Value,
    budget::{self, CapOptions},
    calibration::CalibrationOptions,
    costbench::CostbenchOptions,
    run_logs::Format,
    traces::TraceOptions,
};
use agent_scorecard_cli::{
    questions::{self, Beside, Judging, Source, Streamed, With},
    views,
};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyList},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::{
    errors::invalid,
    interruptible::interruptible,
    rows::{Rows, json, worded},
};

type Entry<'py> = Bound<'py, PyDict>;

/// The answer to one question about one or more columns of runs.
#[pyclass(frozen, module = "agent_scorecard._native")]
pub(crate) struct Report {
    report: agent_scorecard::Report,
}

#[pymethods]
impl Report {
    /// The JSON object of the command.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.report).map_err(|error| invalid(error.to_string()))
    }

    /// The table of the command.
    fn text(&self) -> String {
        views::text(&self.report)
    }

    /// The page of the command.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| views::page(&self.report))
    }

    /// The line that says that a condition of `--fail-if` holds, if it holds.
    fn failure(&self, condition: &str) -> PyResult<Option<String>> {
        let figure = |place: &str| self.report.placed(place);
        views::failure(&self.report, condition, figure).map_err(invalid)
    }

    /// The conclusion, the tables and the notes as a part of a page.
    fn part(&self) -> String {
        views::part(&self.report)
    }

    /// All figures of all columns, one dictionary each, and the paths to rows.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Entry<'py>>, Vec<String>)> {
        let figures = self.report.figures();
        let figures = figures.iter().map(|placed| entry(py, placed)).collect::<PyResult<_>>()?;
        let together = ("", &self.report.together);
        let places = self.report.places();
        let blocks = places.iter().map(|place| (&*place.pointer, place.block)).chain([together]);
        let rows = blocks.flat_map(|(pointer, block)| {
            let rows = block
                .fields
                .iter()
                .filter(|it| matches!(it.value, Value::Rows { .. } | Value::Made(_)));
            rows.map(move |field| dotted(&format!("{pointer}/{}", field.key)))
        });
        Ok((figures, rows.collect()))
    }
}

/// A place of the JSON object as conditions name it.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn entry<'py>(py: Python<'py>, placed: &PlacedFigure) -> PyResult<Entry<'py>> {
    let PlacedFigure { measure, figure, .. } = placed;
    let known = figure.as_ref().ok();
    let interval = known.and_then(|figure| figure.interval.ok());
    let better = match measure.better {
        Better::Higher => "higher".into_bound_py_any(py)?,
        Better::Lower => "lower".into_bound_py_any(py)?,
        Better::Near(target) => target.into_bound_py_any(py)?,
        Better::Neither => py.None().into_bound(py),
    };
    let entry = PyDict::new(py);
    entry.set_item("column", &placed.column)?;
    entry.set_item("figure", &placed.name)?;
    entry.set_item("value", known.map_or(f64::NAN, |figure| figure.value))?;
    entry.set_item("ci_low", interval.map_or(f64::NAN, |interval| interval.low()))?;
    entry.set_item("ci_high", interval.map_or(f64::NAN, |interval| interval.high()))?;
    let error = known.and_then(|figure| figure.standard_error);
    entry.set_item("standard_error", error.unwrap_or(f64::NAN))?;
    entry.set_item("better", better)?;
    entry.set_item("undefined", figure.as_ref().err().map(ToString::to_string))?;
    entry.set_item("help", measure.help)?;
    entry.set_item("path", dotted(&placed.pointer))?;
    Ok(entry)
}

/// A path, or the name of rows, the rows, and what their index calls them.
type Given<'py> = (String, String, Option<Bound<'py, PyList>>, Option<Vec<String>>);

/// What a question is asked of.
#[derive(Default)]
struct Asked {
    sources: BTreeMap<String, Vec<Source>>,
    rows: Vec<Rows>,
}

impl Asked {
    fn new(given: BTreeMap<String, Vec<Given<'_>>>) -> PyResult<Self> {
        let mut asked = Self::default();
        for (argument, all) in given {
            let of_argument = asked.sources.entry(argument).or_default();
            for (name, expression, rows, labels) in all {
                of_argument.push(match rows {
                    None => Source::from(PathBuf::from(name)),
                    Some(rows) => {
                        let (source, rows) = Rows::source(name, expression, &rows, labels)?;
                        asked.rows.push(rows);
                        source
                    }
                });
            }
        }
        Ok(asked)
    }

    fn all(&mut self, argument: &str) -> Vec<Source> {
        self.sources.remove(argument).unwrap_or_default()
    }

    fn one(&mut self, argument: &str) -> Option<Source> {
        self.all(argument).pop()
    }
}

/// The options of these names, of which each part of an evaluation takes its own.
struct Options<'py>(Bound<'py, PyDict>);

impl Options<'_> {
    fn read<T: DeserializeOwned>(&self, part: &str) -> PyResult<T> {
        let given = self.0.get_item(part)?;
        let value = given.map_or_else(|| Ok(Json::Object(Map::new())), |given| json(&given))?;
        serde_path_to_error::deserialize(value).map_err(|error| {
            let (path, problem) = (error.path().to_string(), error.inner().to_string());
            let between = if problem.starts_with("is ") { "" } else { ":" };
            invalid(format!("{path}{between} {problem}"))
        })
    }

    /// How the runs of logs are judged, with the facts known in addition.
    fn judging(&self, asked: &mut Asked) -> PyResult<Judging> {
        let mut judging: Judging = self.read("judging")?;
        judging.rules = self.read("rules")?;
        for source in asked.all("outcomes") {
            judging.set_outcomes(&source).map_err(|error| failed(&*error, &asked.rows))?;
        }
        for source in asked.all("prices") {
            judging.set_prices(source.path()).map_err(|error| failed(&*error, &asked.rows))?;
        }
        Ok(judging)
    }

    fn streamed(&self, asked: &mut Asked) -> PyResult<Streamed> {
        let mut read: Streamed = self.read("read")?;
        read.judging = self.judging(asked)?;
        Ok(read)
    }
}

fn failed(error: &(dyn Error + 'static), rows: &[Rows]) -> PyErr {
    invalid(worded(&agent_scorecard::with_causes(error), rows, true))
}

type Question = Box<dyn FnOnce() -> Result<agent_scorecard::Report, Box<dyn Error>> + Send>;

/// Asks a question of runs. `given` has the sources by argument, `options` those of each part of the evaluation.
#[pyfunction]
pub(crate) fn evaluate(
    py: Python<'_>,
    question: &str,
    given: BTreeMap<String, Vec<Given<'_>>>,
    options: Bound<'_, PyDict>,
) -> PyResult<Report> {
    let (mut asked, options) = (Asked::new(given)?, Options(options));
    let sources = asked.all("runs");
    let ask: Question = match question {
        "traces" => {
            let (mut how, judging) =
                (options.read::<TraceOptions>("how")?, options.judging(&mut asked)?);
            how.with_pictures = how.curves || how.resamples > 0;
            Box::new(move || questions::traces(sources, &how, &judging, false))
        }
        "calibration" => {
            let how = CalibrationOptions { with_pictures: true, ..options.read("how")? };
            let read = options.streamed(&mut asked)?;
            Box::new(move || questions::calibration(sources, &how, &read))
        }
        "cut_off" => {
            let (how, read) = (options.read("how")?, options.streamed(&mut asked)?);
            let beside = Beside {
                success_chance: asked.one("success_chance"),
                chance_from: asked.all("chance_from"),
                continuations: asked.one("continuations"),
                curve_groups: asked.one("curve_groups"),
            };
            Box::new(move || questions::cut_off(sources, how, &beside, read))
        }
        "paths" => {
            let (how, judging) = (options.read("how")?, options.judging(&mut asked)?);
            Box::new(move || questions::paths(sources, how, &judging, true))
        }
        "triage" => {
            let how = options.read("how")?;
            let with = With {
                planner: asked.one("planner"),
                capped: asked.one("capped"),
                unsolvable: asked.one("unsolvable"),
            };
            let source = sources.into_iter().next();
            Box::new(move || questions::triage(source, how, &with, true, |_, _, _| Ok(())))
        }
        "triage_variants" => Box::new(move || questions::triage_variants(&sources)),
        "re_solved" => Box::new(move || match &sources[..] {
            [source] => questions::re_solved(source),
            _ => Err("runs: give one file or one table".into()),
        }),
        "budget" => {
            let mut how: budget::Options = options.read("how")?;
            how.with_pictures = how.others().is_empty();
            let (estimator, judging) = (asked.one("estimator"), options.judging(&mut asked)?);
            Box::new(move || questions::budget(sources, how, estimator, &judging, false))
        }
        "caps" => {
            let how = CapOptions { with_pictures: true, ..options.read("how")? };
            let judging = options.judging(&mut asked)?;
            Box::new(move || questions::caps(sources, &how, &judging))
        }
        "costbench" => {
            let how = CostbenchOptions { world: options.read("world")?, ..options.read("how")? };
            let queries = asked.one("queries");
            match (asked.one("results"), asked.one("checkout")) {
                (Some(file), Some(checkout)) => Box::new(move || {
                    questions::costbench_results(file.path(), checkout.path(), &how)
                }),
                _ => Box::new(move || questions::costbench(queries.as_ref(), &how, true)),
            }
        }
        "compare" => {
            let (how, judging) = (options.read("how")?, options.judging(&mut asked)?);
            Box::new(move || questions::compare(sources, how, &judging))
        }
        "logs" => {
            let LogOptions { format } = options.read("how")?;
            let mut judging = options.judging(&mut asked)?;
            judging.rules.is_lenient = true;
            Box::new(move || questions::logs(sources, format, &judging))
        }
        _ => return Err(invalid(format!("there is no question {question}"))),
    };
    let found =
        interruptible(py, move || ask().map_err(|error| agent_scorecard::with_causes(&*error)))?;
    let rows = &asked.rows;
    let mut report = found.map_err(|problem| invalid(worded(&problem, rows, true)))?;
    let reword = |text: &mut String| *text = worded(text, rows, false);
    report.conclusion.iter_mut().for_each(reword);
    if let Some(account) = &mut report.account {
        let columns = account.columns.iter_mut().map(|column| &mut column.name);
        columns.chain([&mut account.name]).for_each(reword);
    }
    for column in &mut report.columns {
        for text in [&mut column.file, &mut column.name] {
            reword(text);
        }
        if column.file.is_empty() && !rows.is_empty() {
            column.file = "runs".to_owned();
        }
        of_block(&mut column.block, &reword);
        column.parts.1.iter_mut().for_each(|(_, block)| of_block(block, &reword));
    }
    of_block(&mut report.together, &reword);
    Ok(Report { report })
}

/// Rewords what a block says to people.
fn of_block(block: &mut Block, reword: &impl Fn(&mut String)) {
    block.sentences.iter_mut().for_each(|(_, sentence)| reword(sentence));
    for picture in block.pictures.values_mut() {
        let categories = picture.x.categories.iter_mut().chain(&mut picture.y.categories);
        let names = picture.series.iter_mut().map(|series| &mut series.name);
        categories.chain(names).for_each(reword);
    }
    for field in &mut block.fields {
        match &mut field.value {
            Value::Block(inner) => of_block(inner, reword),
            Value::Rows { rows, .. } => rows.iter_mut().for_each(|row| of_block(row, reword)),
            Value::Json(Json::String(text)) => reword(text),
            _ => {}
        }
    }
}

/// The format of logs.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct LogOptions {
    #[serde(default, deserialize_with = "agent_scorecard::options::read::name")]
    format: Format,
}
