use std::{
    collections::{BTreeMap, HashMap, HashSet, hash_map::Entry},
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    io::{Cursor, Read},
};

use censoring::StopReason;
use memchr::memmem;
use serde::Deserialize;
use trajectory_metrics::ForecastPolicy;

use crate::{
    formats::{
        models::{OF_MODEL, lines_by_model},
        trace_line::Line,
        trace_rules::TraceRules,
    },
    json_lines::{
        alike::alike_names,
        bare::AnyNumber,
        columns::{
            Column, FORECAST, HORIZON, Header, ID, MODEL, OUTCOME, STEP, STOP, SUCCESS_CHANCE,
            TASK, TRIAL,
        },
        fields::{Given, Name},
        parsing::{InputError, bytes},
        table::{Place, Table, csv_header, keys, refuse_utf16},
    },
    rules::Repeats,
    values::confidence_scale::SeenConfidences,
};

/// The columns of a table of traces.
const KNOWN: [&Column; 10] =
    [ID, TASK, MODEL, TRIAL, STEP, FORECAST, OUTCOME, STOP, HORIZON, SUCCESS_CHANCE];

/// Bytes at the start of a file by which its form is known.
const START: u64 = 1 << 16;

/// A step of a run.
#[derive(Deserialize)]
struct Row {
    id: Option<Name>,
    task: Option<Name>,
    model: Option<Name>,
    trial: Option<u64>,
    step: Option<f64>,
    forecast: Option<AnyNumber>,
    outcome: Option<Given>,
    stop: Option<StopReason>,
    horizon: Option<usize>,
    success_chance: Option<f64>,
}

/// The steps of a run, and what its rows say of all of it. Tables have a row per run mostly, so that its size matters.
#[derive(Debug, Default)]
struct Steps {
    /// The line of the first row.
    line: usize,
    id: Box<str>,
    trial: Option<u64>,
    /// Whether the rows name the run.
    is_named: bool,
    steps: Vec<Step>,
    task: Option<Box<str>>,
    outcome: Option<Given>,
    rest: Option<Box<Rest>>,
}

/// What few tables have.
#[derive(Debug, Default)]
struct Rest {
    stop: Option<StopReason>,
    horizon: Option<usize>,
    success_chance: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    number: Option<f64>,
    place: Place,
    forecast: Option<f64>,
}

/// The runs of one model of a table.
#[derive(Debug)]
pub(crate) struct TableRuns {
    runs: Vec<Steps>,
    /// The column of forecasts as the table names it; `None` if it has none.
    forecast: Option<String>,
}

/// A run of a table with the lines of its steps.
pub(crate) struct TableRun {
    pub(crate) line: Line,
    pub(crate) number: usize,
    pub(crate) steps: Vec<usize>,
}

/// Traces that are read line by line: those of a file, or those of one model of a table that has several.
pub struct TraceSource<'a> {
    /// The model, if the table has several.
    pub model: Option<String>,
    pub(crate) rules: TraceRules,
    /// What to know about how the table was read.
    pub(crate) notes: Vec<String>,
    /// The columns of the table that are not read.
    pub(crate) not_read: Vec<String>,
    /// Tasks of the table whose names look alike.
    pub(crate) alike: Vec<String>,
    pub(crate) runs: Source<'a>,
}

/// Where runs come from.
pub(crate) enum Source<'a> {
    /// A run per line.
    Lines(Box<dyn Read + 'a>),
    Table(TableRuns),
}

impl fmt::Debug for TraceSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, rules, notes, .. } = self;
        let mut shown = f.debug_struct("TraceSource");
        shown.field("model", model).field("rules", rules).field("notes", notes).finish()
    }
}

impl<'a> TraceSource<'a> {
    /// The traces of a file, which may be a table with a row per step, as [`TraceFile::read`](crate::TraceFile::read)
    /// describes; those of each model of a table that has several, in the order of their names.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a source that cannot be read, for a table that is not one of steps, and for the confidences of a
    /// table whose scale is in doubt ([`ConfidenceScale`](crate::ConfidenceScale)).
    pub fn all(
        file: &str,
        mut source: impl Read + 'a,
        rules: impl Into<TraceRules>,
    ) -> Result<Vec<Self>, InputError> {
        let rules = rules.into();
        let mut start = Vec::new();
        let read = source.by_ref().take(START).read_to_end(&mut start);
        read.map_err(|error| InputError::of_file(file, error.to_string()))?;
        let is_table = is_table(file, &start)?;
        let has_models = memmem::find(&start, format!("\"{OF_MODEL}\"").as_bytes()).is_some();
        let all = Cursor::new(start).chain(source);
        if !is_table {
            let of = |model, lines| {
                let (notes, not_read, alike) = Default::default();
                Self { model, rules, notes, not_read, alike, runs: Source::Lines(lines) }
            };
            if !has_models {
                return Ok(vec![of(None, Box::new(all))]);
            }
            let models = lines_by_model(&bytes(file, all)?).into_iter();
            let models = models.map(|(model, lines)| of(model, Box::new(Cursor::new(lines))));
            return Ok(models.collect());
        }
        let bytes = bytes(file, all)?;
        let table = Table::new(file, &bytes, &KNOWN)?;
        check_columns(file, &table.header, rules)?;
        put_together(file, &table, rules)
    }
}

/// Whether a file is a table by how it starts; a name that ends in .csv, .tsv or .parquet says that it is one.
fn is_table(file: &str, start: &[u8]) -> Result<bool, InputError> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    refuse_utf16(file, start)?;
    let file = file.to_ascii_lowercase();
    let has = |names: &[&str], column: &Column| {
        names.iter().any(|name| column.names.contains(&name.to_lowercase().as_str()))
    };
    if start.starts_with(b"{") {
        let keys = keys(start);
        let names = Vec::from_iter(keys.iter().map(String::as_str));
        let is_run = names.iter().any(|name| ["forecasts", "left_out"].contains(name));
        let is_rows = has(&names, FORECAST) || (has(&names, OUTCOME) && has(&names, ID));
        return Ok(!is_run && (is_rows || (file.ends_with(".parquet") && !names.is_empty())));
    }
    if start.is_empty() || [".csv", ".tsv"].iter().any(|ending| file.ends_with(ending)) {
        return Ok(!start.is_empty());
    }
    let header = csv_header(&file, start, &KNOWN);
    Ok(header.is_ok_and(|(header, _)| header.name(FORECAST).is_some()))
}

/// Checks that a table has one column of forecasts and one of outcomes. What reads only outcomes, which skips what has no
/// forecast, needs no forecasts.
fn check_columns(file: &str, header: &Header, rules: TraceRules) -> Result<(), InputError> {
    let lacks = |field, column: &Column| Err(header.lacks(file, field, column));
    let forecasts =
        header.names.iter().filter(|name| FORECAST.names.contains(&name.to_lowercase().as_str()));
    let forecasts = Vec::from_iter(forecasts.map(String::as_str));
    if let [first, _, ..] = forecasts[..] {
        let all = forecasts.join(", ");
        let problem = format!("the columns {all} are all forecasts; keep one of them");
        return Err(InputError::of_field(file, 1, first, problem));
    }
    if forecasts.is_empty() && rules.missing != ForecastPolicy::Skip {
        return lacks("confidence", FORECAST);
    }
    if header.name(OUTCOME).is_none() { lacks("outcome", OUTCOME) } else { Ok(()) }
}

/// The runs of a model, and where they stand in the list, by a hash of id and trial.
#[derive(Default)]
struct OfModel {
    runs: Vec<Steps>,
    places: HashMap<u64, usize>,
}

impl OfModel {
    /// Where the run of this id and trial stands, or will stand if there is none yet.
    fn place(&mut self, id: &str, trial: Option<u64>) -> usize {
        let mut hasher = DefaultHasher::new();
        (id, trial).hash(&mut hasher);
        let mut hash = hasher.finish();
        loop {
            match self.places.entry(hash) {
                Entry::Vacant(place) => return *place.insert(self.runs.len()),
                Entry::Occupied(place) => match self.runs.get(*place.get()) {
                    Some(run) if *run.id != *id || run.trial != trial => {}
                    _ => return *place.get(),
                },
            }
            // Another run has this hash.
            hash = hash.wrapping_add(1);
        }
    }
}

/// The runs of a table with a row per step, model by model if there are several. A row without an id is a run.
fn put_together(
    file: &str,
    table: &Table<'_>,
    rules: TraceRules,
) -> Result<Vec<TraceSource<'static>>, InputError> {
    let mut models: BTreeMap<Option<String>, OfModel> = BTreeMap::new();
    let column = table.header.name(FORECAST);
    let mut seen = SeenConfidences::default();
    table.rows(|place: Place, mut row: Row| {
        let model = models.entry(row.model.take().map(|Name(model)| model)).or_default();
        let at = match &row.id {
            None => model.runs.len(),
            Some(Name(id)) => model.place(id, row.trial),
        };
        if at == model.runs.len() {
            model.runs.push(Steps::new(place.line, &mut row));
        }
        let forecast = row.forecast.as_ref().and_then(AnyNumber::get);
        seen.add(forecast, || (place.line, column.unwrap_or_default().to_owned()));
        model.runs[at].add(file, place, row, forecast)
    })?;
    let models = models.into_iter().map(|(model, OfModel { runs, .. })| (model, runs));
    let mut models: BTreeMap<Option<String>, Vec<Steps>> = models.collect();
    rules.check_scale(file, &seen)?;
    let mut repeated = 0;
    for run in models.values_mut().flatten() {
        repeated += run.finish(file, rules.repeats)?;
    }
    let mut notes = table.header.notes();
    let mut numberless = models.values().flatten().filter_map(Steps::unnumbered);
    if let Some((id, line)) = numberless.next() {
        let others = match numberless.count() {
            0 => String::new(),
            others => format!(", and of {others} more"),
        };
        notes.push(format!(
            "no step or trial tells the rows of id {id} (line {line}){others} apart: they are the steps of one run, in their order"
        ));
    }
    let is_step = |run: &Steps| !run.is_named && run.steps.iter().any(|it| it.number.is_some());
    if models.values().flatten().any(is_step) {
        notes.push("rows with a step and without an id: each is a run of its own".to_owned());
    }
    if repeated > 0 {
        let rows = if repeated == 1 { "row repeats" } else { "rows repeat" };
        notes.push(format!(
            "{repeated} {rows} an earlier row of the same id, step and trial, which counts once; --repeats keep keeps all"
        ));
    }
    notes.extend(rules.scale.note(&seen));
    let tasks = models.values().flatten().filter_map(|run| run.task.as_deref());
    let alike = alike_names(tasks);
    let not_read: Vec<String> = table.header.not_read().collect();
    let is_one = models.len() <= 1;
    let mut sources = Vec::new();
    for (model, runs) in models {
        let model = (!is_one).then(|| model.unwrap_or_else(|| "unknown model".to_owned()));
        let runs = Source::Table(TableRuns { runs, forecast: column.map(str::to_owned) });
        let (notes, not_read, alike) = (notes.clone(), not_read.clone(), alike.clone());
        sources.push(TraceSource { model, rules, notes, not_read, alike, runs });
    }
    Ok(sources)
}

impl Steps {
    fn new(line: usize, row: &mut Row) -> Self {
        let id = row.id.take().map(|Name(id)| id);
        let is_named = id.is_some();
        let id = id.unwrap_or_else(|| format!("row-{line}")).into();
        Self { line, id, trial: row.trial, is_named, ..Self::default() }
    }

    fn add(
        &mut self,
        file: &str,
        place: Place,
        row: Row,
        forecast: Option<f64>,
    ) -> Result<(), InputError> {
        let line = place.line;
        let differs = |field: &str| {
            let problem = format!(
                "differs from that of an earlier row of this run, from line {}; give each run an id of its own, or number the runs of an id in a column trial",
                self.line
            );
            Err(InputError::of_field(file, line, field, problem))
        };
        if let Some(step) = self.steps.last()
            && step.number.is_some() != row.step.is_some()
        {
            let problem = "some rows of this run have a step and some have none";
            return Err(InputError::of_field(file, line, "step", problem));
        }
        macro_rules! once {
            ($of:expr, $field:ident, $value:expr) => {
                if let Some(value) = $value {
                    if $of.$field.as_ref().is_some_and(|known| *known != value) {
                        return differs(stringify!($field));
                    }
                    $of.$field = Some(value);
                }
            };
        }
        let Row { task, outcome, stop, horizon, success_chance, .. } = row;
        once!(self, task, task.map(|Name(task)| Box::from(task)));
        if stop.is_some() || horizon.is_some() || success_chance.is_some() {
            let rest = self.rest.get_or_insert_default();
            once!(rest, stop, stop);
            once!(rest, horizon, horizon);
            once!(rest, success_chance, success_chance);
        }
        once!(self, outcome, outcome);
        // A vector takes four in place of one if it is not told.
        self.steps.reserve_exact(usize::from(self.steps.is_empty()));
        self.steps.push(Step { number: row.step, place, forecast });
        Ok(())
    }

    /// Puts the steps in order, and says how many rows repeat an earlier one and are left out.
    fn finish(&mut self, file: &str, repeats: Repeats) -> Result<usize, InputError> {
        let number = |step: &Step| step.number.unwrap_or(0.0);
        // Rows without a step stay as they are.
        self.steps.sort_by(|a, b| number(a).total_cmp(&number(b)));
        let given = self.steps.len();
        if !self.is_named || repeats == Repeats::Keep {
            return Ok(0);
        }
        let mut seen = HashSet::new();
        self.steps.retain(|step| {
            // Rows without a number may be steps that look alike in what is read of them.
            seen.insert(match step.number {
                None => (0, step.place.hash),
                Some(number) => (number.to_bits(), step.forecast.map_or(u64::MAX, f64::to_bits)),
            })
        });
        for pair in self.steps.windows(2) {
            if let [Step { number: Some(first), .. }, Step { number: Some(second), place, .. }] =
                pair
                && first == second
            {
                let problem = format!(
                    "{second} stands twice in this run with different forecasts; --repeats keep takes both"
                );
                return Err(InputError::of_field(file, place.line, "step", problem));
            }
        }
        Ok(given - self.steps.len())
    }
}

impl TableRuns {
    pub(crate) fn column(&self) -> Option<&str> {
        self.forecast.as_deref()
    }

    /// The runs in the order of their first rows; a part is freed when it was taken.
    pub(crate) fn into_parts(mut self, size: usize) -> impl Iterator<Item = Vec<TableRun>> {
        let mut parts = Vec::new();
        while !self.runs.is_empty() {
            parts.push(self.runs.split_off((self.runs.len() - 1) / size * size));
            self.runs.shrink_to_fit();
        }
        parts.into_iter().rev().map(|part| part.into_iter().map(Steps::into_run).collect())
    }
}

impl Steps {
    /// The id and the line of the second row of a run of several rows that nothing tells apart.
    fn unnumbered(&self) -> Option<(&str, usize)> {
        let second = self.steps.get(1).filter(|step| step.number.is_none())?;
        self.trial.is_none().then_some((&self.id, second.place.line))
    }

    fn into_run(self) -> TableRun {
        let Self { line: number, id, trial, steps, task, outcome, rest, .. } = self;
        let Rest { stop, horizon, success_chance } = rest.map_or_else(Rest::default, |rest| *rest);
        // A run without a task is a task of its own, with its trials.
        let task = task.or_else(|| trial.map(|_| id.clone())).map(String::from);
        let id = match trial {
            Some(trial) => format!("{id}#{trial}"),
            None => id.into(),
        };
        let forecasts = steps.iter().map(|step| step.forecast).collect();
        let steps = steps.iter().map(|step| step.place.line).collect();
        let grade = None;
        let line = Line { id, task, forecasts, outcome, grade, stop, horizon, success_chance };
        TableRun { line, number, steps }
    }
}
