use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap, HashSet, hash_map::Entry},
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    io::{Cursor, Read},
    num::NonZeroU32,
};

use censoring::StopReason;
use serde::Deserialize;
use trajectory_metrics::ForecastPolicy;

use crate::{
    fact_rules::Repeats,
    formats::{
        models::{ModelLines, lines_by_model, model_of},
        trace_line::Line,
        trace_rules::TraceRules,
    },
    json_lines::{
        alike::alike_names,
        columns::{
            Column, FORECAST, HORIZON, Header, ID, MODEL, OUTCOME, STEP, STOP, SUCCESS_CHANCE,
            TASK, TRIAL,
        },
        fields::{Given, Name},
        parsing::{AnyNumber, InputError, bytes},
        parts::LONGEST_LINE,
        run_counts::RunCounts,
        table::{Place, Table, csv_header, keys, refuse_utf16},
    },
    values::confidence_scale::SeenConfidences,
};

/// The columns of a table of traces.
const KNOWN: [&Column; 10] =
    [ID, TASK, MODEL, TRIAL, STEP, FORECAST, OUTCOME, STOP, HORIZON, SUCCESS_CHANCE];

/// The number of bytes at the start of a file that determine its form.
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

/// The facts about a whole run in its rows. Most tables have one row per run, so that the size of this struct and of [`Step`]
/// matters.
#[derive(Debug)]
struct Run {
    /// The line of the first row.
    line: u32,
    /// The name, if the rows have one.
    id: Option<Text>,
    task: Option<Text>,
    /// The score; 0 and 1 for failure and success.
    score: f64,
    rest: Option<Box<Rest>>,
    given: OfOutcome,
    /// Whether each row has the number of a step.
    is_numbered: bool,
}

/// The kind of a run's outcome, apart from its number, which then takes half the memory.
#[derive(Clone, Copy, Debug)]
enum OfOutcome {
    None,
    Outcome,
    Score,
}

/// Fields that only few tables have.
#[derive(Clone, Debug, Default)]
struct Rest {
    stop: Option<StopReason>,
    horizon: Option<usize>,
    success_chance: Option<f64>,
}

/// A row.
#[derive(Clone, Copy, Debug)]
struct Step {
    run: u32,
    line: u32,
    /// [`MISSING`] without a forecast.
    forecast: f64,
    /// The bits of the step's number. In a run without step numbers, rows that are equal in all cells have equal keys.
    key: u64,
}

/// A value that no row can hold: a NaN with other bits than the NaN that parsing returns.
const MISSING: f64 = f64::from_bits(u64::MAX);

impl Step {
    fn forecast(&self) -> Option<f64> {
        (self.forecast.to_bits() != MISSING.to_bits()).then_some(self.forecast)
    }

    const fn number(&self) -> f64 {
        f64::from_bits(self.key)
    }

    /// Returns whether the other row belongs to the same run.
    const fn is_beside(&self, other: &Self) -> bool {
        self.run == other.run
    }
}

/// Consecutive texts in one allocation, because separate allocations would need twice the memory. A file has at most 1 GiB, and a
/// name at most four times the bytes of its cell, as with `1e14`.
#[derive(Debug, Default)]
struct Texts(String);

/// The start of a text, and the byte behind its end, from 1.
#[derive(Clone, Copy, Debug)]
struct Text(u32, NonZeroU32);

impl Texts {
    fn add(&mut self, text: &str) -> Text {
        let start = self.0.len() as u32;
        self.0.push_str(text);
        Text(start, NonZeroU32::MIN.saturating_add(self.0.len() as u32))
    }

    fn get(&self, Text(start, past): Text) -> &str {
        &self.0[start as usize..past.get() as usize - 1]
    }
}

/// The runs of one model of a table.
#[derive(Debug, Default)]
pub(crate) struct TableRuns {
    runs: Vec<Run>,
    /// One for each run, up to the last that has a trial.
    trials: Vec<Option<u64>>,
    /// The rows; after reading, they are in the order of the runs and of their steps.
    steps: Vec<Step>,
    texts: Texts,
    /// The positions of runs in the list, by a hash of id and trial.
    places: HashMap<u32, u32>,
    /// The column of forecasts as the table names it; `None` if it has none.
    forecast: Option<String>,
    /// The number of runs that were taken. The others are then in reversed order.
    n_taken: usize,
}

/// A run of a table with the lines of its steps.
pub(crate) struct TableRun {
    pub(crate) line: Line,
    pub(crate) number: usize,
    pub(crate) steps: Vec<usize>,
}

/// Traces that are read line by line, from a whole file or from the rows of one model in a table.
pub struct TraceSource<'a> {
    /// The model, if the table has several.
    pub model: Option<String>,
    pub(crate) rules: TraceRules,
    /// Notes about how the table was read.
    pub(crate) notes: Vec<String>,
    /// The columns of the table that are not read.
    pub(crate) not_read: Vec<String>,
    /// Tasks of the table whose names look alike.
    pub(crate) alike: Vec<String>,
    pub(crate) runs: Source<'a>,
}

/// The source of the runs.
pub(crate) enum Source<'a> {
    /// A run per line, with the number of each line in the file if the lines were split by the models that they name.
    Lines(Box<dyn Read + 'a>, Option<Vec<usize>>),
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
    /// Returns the traces of a file, which may be a table with a row per step; see
    /// [`TraceFile::read`](crate::TraceFile::read). For a table with several models, returns one source per model,
    /// sorted by name.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a source that cannot be read, for a table without steps, and for the confidences of a table whose scale
    /// is in doubt ([`ConfidenceScale`](crate::ConfidenceScale)).
    pub fn all(
        file: &str,
        mut source: impl Read + 'a,
        rules: impl Into<TraceRules>,
    ) -> Result<Vec<Self>, InputError> {
        let rules = rules.into();
        let mut start = Vec::new();
        let mut read = |start: &mut Vec<u8>| {
            let read = source.by_ref().take(START.max(start.len() as u64)).read_to_end(start);
            read.map_err(|error| InputError::of_file(file, error.to_string()))
        };
        // The line of a run may be long. Each step reads as much again.
        let mut read_until = |is_enough: &dyn Fn(&[u8]) -> bool, start: &mut Vec<u8>| {
            while !is_enough(start) && start.len() <= LONGEST_LINE {
                if read(start)? == 0 {
                    break;
                }
            }
            Ok::<_, InputError>(())
        };
        read_until(&|start| start.len() as u64 >= START && has_line(start), &mut start)?;
        let is_table = is_table(file, &start)?;
        if is_table {
            return put_together(file, bytes(file, Cursor::new(start).chain(source))?, rules);
        }
        // The start of the file, up to a run that was not left out, says whether lines name models.
        read_until(&has_run, &mut start)?;
        let names_model = |line: &[u8]| !matches!(model_of(file, 1, line), Ok(None));
        let lines = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        let has_models = lines.split(|&byte| byte == b'\n').any(names_model);
        let all = Cursor::new(start).chain(source);
        let of = |model, lines, numbers| {
            let (notes, not_read, alike) = Default::default();
            let runs = Source::Lines(lines, numbers);
            Self { model, rules, notes, not_read, alike, runs }
        };
        if !has_models {
            return Ok(vec![of(None, Box::new(all), None)]);
        }
        let models = lines_by_model(file, &bytes(file, all)?)?.into_iter();
        let models = models.map(|(model, ModelLines { lines, numbers })| {
            of(model, Box::new(Cursor::new(lines)), Some(numbers))
        });
        Ok(models.collect())
    }
}

/// Returns the complete lines at the start of a file, without blank lines.
fn whole_lines(start: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = start.split_inclusive(|&byte| byte == b'\n').filter(|it| it.ends_with(b"\n"));
    lines.filter(|line| !line.trim_ascii().is_empty())
}

fn has_line(start: &[u8]) -> bool {
    whole_lines(start).next().is_some()
}

/// Returns whether the start of a file holds the whole line of a run that was not left out.
fn has_run(start: &[u8]) -> bool {
    let is_left_out = |line| RunCounts::default().take_left_out("", 0, line);
    whole_lines(start).any(|line| !matches!(is_left_out(line), Ok(true)))
}

/// Returns whether a file is a table, judged by its start. A name that ends in .csv or .tsv marks a table.
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
        return Ok(!is_run && is_rows);
    }
    if start.is_empty() || [".csv", ".tsv"].iter().any(|ending| file.ends_with(ending)) {
        return Ok(!start.is_empty());
    }
    let header = csv_header(&file, start, &KNOWN);
    Ok(header.is_ok_and(|(header, _)| header.name(FORECAST).is_some()))
}

/// Checks that a table has one column of forecasts and one of outcomes. Forecasts are not needed by a reader that reads only
/// outcomes and skips everything without a forecast.
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

/// Assembles the runs of a table with a row per step, model by model if there are several. A row without an id is a run.
fn put_together(
    file: &str,
    bytes: Vec<u8>,
    rules: TraceRules,
) -> Result<Vec<TraceSource<'static>>, InputError> {
    let table = Table::new(file, &bytes, &KNOWN)?;
    let header = table.header.clone();
    check_columns(file, &header, rules)?;
    let mut models: BTreeMap<Option<String>, TableRuns> = BTreeMap::new();
    let column = header.name(FORECAST);
    let mut seen = SeenConfidences::default();
    table.rows(|place: Place, mut row: Row| {
        let model = models.entry(row.model.take().map(|Name(model)| model)).or_default();
        let forecast = row.forecast.as_ref().and_then(AnyNumber::get);
        seen.add(forecast, || (place.line, column.unwrap_or_default().to_owned()));
        model.add(file, place, row, forecast)
    })?;
    drop(bytes);
    rules.check_scale(file, &seen)?;
    let mut repeated = 0;
    for model in models.values_mut() {
        repeated += model.finish(file, rules.repeats)?;
    }
    let mut notes = header.notes();
    let numberless = || models.values().flat_map(TableRuns::unnumbered);
    if let Some((id, line)) = numberless().next() {
        let others = match numberless().count() {
            1 => String::new(),
            all => format!(", and of {} more", all - 1),
        };
        notes.push(format!(
            "the rows of id {id} (line {line}){others} have no step or trial: they are read as the steps of one run, in their order"
        ));
    }
    let mut runs = models.values().flat_map(|model| &model.runs);
    if runs.any(|run| run.id.is_none() && run.is_numbered) {
        notes.push("rows with a step and without an id: each is read as a separate run".to_owned());
    }
    if repeated > 0 {
        let rows = if repeated == 1 { "row repeats" } else { "rows repeat" };
        notes.push(format!(
            "{repeated} {rows} an earlier row of the same id, step and trial, which counts once; --repeats keep keeps all"
        ));
    }
    notes.extend(rules.scale.note(&seen));
    let tasks = models.values().flat_map(|TableRuns { runs, texts, .. }| {
        runs.iter().filter_map(|run| Some(texts.get(run.task?)))
    });
    let alike = alike_names(tasks);
    let not_read: Vec<String> = header.not_read().collect();
    let is_one = models.len() <= 1;
    let mut sources = Vec::new();
    for (model, runs) in models {
        let model = (!is_one).then(|| model.unwrap_or_else(|| "unknown model".to_owned()));
        let runs = Source::Table(TableRuns { forecast: column.map(str::to_owned), ..runs });
        let (notes, not_read, alike) = (notes.clone(), not_read.clone(), alike.clone());
        sources.push(TraceSource { model, rules, notes, not_read, alike, runs });
    }
    Ok(sources)
}

impl TableRuns {
    /// Returns the position of the run with this id and trial, or the position that a new run will have.
    fn place(&mut self, id: &str, trial: Option<u64>) -> usize {
        let mut hasher = DefaultHasher::new();
        (id, trial).hash(&mut hasher);
        let mut hash = hasher.finish() as u32;
        loop {
            match self.places.entry(hash) {
                Entry::Vacant(place) => return *place.insert(self.runs.len() as u32) as usize,
                Entry::Occupied(place) => match self.runs.get(*place.get() as usize) {
                    Some(run)
                        if run.id.is_none_or(|own| self.texts.get(own) != id)
                            || self.trials.get(*place.get() as usize).copied().flatten()
                                != trial => {}
                    _ => return *place.get() as usize,
                },
            }
            // Another run has this hash.
            hash = hash.wrapping_add(1);
        }
    }

    fn add(
        &mut self,
        file: &str,
        place: Place,
        row: Row,
        forecast: Option<f64>,
    ) -> Result<(), InputError> {
        let Row { id, task, trial, step, outcome, stop, horizon, success_chance, .. } = row;
        let at = match &id {
            None => self.runs.len(),
            Some(Name(id)) => self.place(id, trial),
        };
        if at == self.runs.len() {
            self.runs.push(Run {
                line: place.line as u32,
                id: id.map(|Name(id)| self.texts.add(&id)),
                task: None,
                score: 0.0,
                rest: None,
                given: OfOutcome::None,
                is_numbered: step.is_some(),
            });
            if trial.is_some() {
                self.trials.resize(at, None);
                self.trials.push(trial);
            }
        }
        let (run, texts) = (&mut self.runs[at], &mut self.texts);
        let first = run.line;
        let differs = |field: &str| {
            let problem = format!(
                "differs from that of an earlier row of this run, from line {first}; give each run an id of its own, or number the runs of an id in a column trial"
            );
            Err(InputError::of_field(file, place.line, field, problem))
        };
        if run.is_numbered != step.is_some() {
            let problem = "some rows of this run have a step and some have none";
            return Err(InputError::of_field(file, place.line, "step", problem));
        }
        macro_rules! once {
            ($of:expr, $field:ident) => {
                if let Some(value) = $field {
                    if $of.$field.as_ref().is_some_and(|known| *known != value) {
                        return differs(stringify!($field));
                    }
                    $of.$field = Some(value);
                }
            };
        }
        if let Some(Name(task)) = task {
            let known = *run.task.get_or_insert_with(|| texts.add(&task));
            if texts.get(known) != task {
                return differs("task");
            }
        }
        if stop.is_some() || horizon.is_some() || success_chance.is_some() {
            let rest = run.rest.get_or_insert_default();
            once!(rest, stop);
            once!(rest, horizon);
            once!(rest, success_chance);
        }
        if let Some(outcome) = outcome {
            if run.outcome().is_some_and(|known| known != outcome) {
                return differs("outcome");
            }
            (run.given, run.score) = match outcome {
                Given::Outcome(outcome) => (OfOutcome::Outcome, f64::from(outcome)),
                Given::Score(score) => (OfOutcome::Score, score),
            };
        }
        let (line, key) = (place.line as u32, step.map_or(place.hash, f64::to_bits));
        let forecast = forecast.unwrap_or(MISSING);
        self.steps.push(Step { run: at as u32, line, forecast, key });
        Ok(())
    }

    /// Puts the steps in order, and returns the number of rows that repeat an earlier one and are left out.
    fn finish(&mut self, file: &str, repeats: Repeats) -> Result<usize, InputError> {
        let Self { runs, steps, places, .. } = self;
        *places = HashMap::new();
        // Rows without a step keep their order.
        let order = |a: &Step, b: &Step| {
            a.run.cmp(&b.run).then_with(|| match runs[a.run as usize].is_numbered {
                true => a.number().total_cmp(&b.number()),
                false => Ordering::Equal,
            })
        };
        // Sorting takes as much memory as the steps.
        if !steps.is_sorted_by(|a, b| order(a, b).is_le()) {
            steps.sort_by(order);
        }
        if repeats == Repeats::Keep {
            return Ok(0);
        }
        let mut is_kept = Vec::with_capacity(steps.len());
        for of_run in steps.chunk_by(Step::is_beside) {
            if let [_] = of_run {
                is_kept.push(true);
                continue;
            }
            let is_numbered = runs[of_run[0].run as usize].is_numbered;
            let (mut seen, mut last) = (HashSet::new(), None);
            for step in of_run {
                // Rows without a number may be steps with equal values in all cells that are read.
                let forecast = step.forecast().filter(|_| is_numbered).map(f64::to_bits);
                let is_new = seen.insert((step.key, forecast));
                is_kept.push(is_new);
                let before = last.replace(step.number()).filter(|_| is_new && is_numbered);
                if before == Some(step.number()) {
                    let problem = format!(
                        "{} occurs twice in this run with different forecasts; --repeats keep keeps both",
                        step.number()
                    );
                    return Err(InputError::of_field(file, step.line as usize, "step", problem));
                }
            }
        }
        let given = steps.len();
        let mut is_kept = is_kept.into_iter();
        steps.retain(|_| is_kept.next() == Some(true));
        Ok(given - steps.len())
    }

    /// Returns the id and the line of the second row of each run whose several rows are indistinguishable.
    fn unnumbered(&self) -> impl Iterator<Item = (&str, u32)> {
        self.steps.chunk_by(Step::is_beside).filter_map(|steps| {
            let run = &self.runs[steps[0].run as usize];
            let is_unnumbered = !run.is_numbered && self.trial(steps[0].run as usize).is_none();
            Some((self.texts.get(run.id?), steps.get(1).filter(|_| is_unnumbered)?.line))
        })
    }

    pub(crate) fn column(&self) -> Option<&str> {
        self.forecast.as_deref()
    }

    fn trial(&self, run: usize) -> Option<u64> {
        self.trials.get(run).copied().flatten()
    }

    /// Takes the next runs, at most this many, in the order of their first rows. Their memory is free once the part is, so that
    /// a table and what is made of it are never both in memory as a whole.
    pub(crate) fn take(&mut self, most: usize) -> Part {
        if self.n_taken == 0 {
            // Only the end of a list can be freed.
            self.runs.reverse();
            self.steps.reverse();
        }
        let first = self.n_taken;
        let mut runs = split_off(&mut self.runs, |rest| rest.len().saturating_sub(most));
        self.n_taken += runs.len();
        let next = self.n_taken;
        let mut steps = split_off(&mut self.steps, |rest| {
            rest.partition_point(|step| step.run as usize >= next)
        });
        runs.reverse();
        steps.reverse();
        Part { first, runs, steps }
    }

    /// Returns the runs of a part from a position in it on.
    pub(crate) fn runs_from(&self, part: &Part, at: usize) -> impl Iterator<Item = TableRun> {
        let first = part.first + at;
        let of_first = part.steps.partition_point(|step| (step.run as usize) < first);
        let runs = part.runs[at..].iter().zip(part.steps[of_first..].chunk_by(Step::is_beside));
        let runs = (first..).zip(runs);
        runs.map(|(at, (run, steps))| run.with_steps(&self.texts, self.trial(at), steps))
    }
}

/// Some consecutive runs of a table.
pub(crate) struct Part {
    /// The position of the first run in the table.
    first: usize,
    runs: Vec<Run>,
    steps: Vec<Step>,
}

impl Part {
    pub(crate) const fn len(&self) -> usize {
        self.runs.len()
    }
}

/// Splits a list, and frees its spare capacity at times: a copy of it may be needed.
fn split_off<T>(list: &mut Vec<T>, at: impl Fn(&[T]) -> usize) -> Vec<T> {
    let taken = list.split_off(at(list));
    if list.len() < list.capacity() / 8 * 7 {
        list.shrink_to_fit();
    }
    taken
}

impl Run {
    fn outcome(&self) -> Option<Given> {
        match self.given {
            OfOutcome::None => None,
            OfOutcome::Outcome => Some(Given::Outcome(self.score == 1.0)),
            OfOutcome::Score => Some(Given::Score(self.score)),
        }
    }

    fn with_steps(&self, texts: &Texts, trial: Option<u64>, steps: &[Step]) -> TableRun {
        let Self { line, id, task, ref rest, .. } = *self;
        let outcome = self.outcome();
        let Rest { stop, horizon, success_chance } = rest.as_deref().cloned().unwrap_or_default();
        let id = id.map_or_else(|| format!("row-{line}"), |id| texts.get(id).to_owned());
        // A run without a task is a separate task, with its trials.
        let task = task.map(|task| texts.get(task).to_owned());
        let task = task.or_else(|| trial.map(|_| id.clone()));
        let id = match trial {
            Some(trial) => format!("{id}#{trial}"),
            None => id,
        };
        let forecasts = steps.iter().map(Step::forecast).collect();
        let (number, steps) =
            (line as usize, steps.iter().map(|step| step.line as usize).collect());
        let grade = None;
        let line = Line { id, task, forecasts, outcome, grade, stop, horizon, success_chance };
        TableRun { line, number, steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_table_is_small() {
        // A row of 22 bytes is a run and a step.
        assert!(size_of::<Run>() + size_of::<Step>() <= 64);
    }
}
