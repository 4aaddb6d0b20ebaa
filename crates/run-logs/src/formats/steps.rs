use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    io::{Cursor, Read},
};

use serde::{Deserialize, de::IgnoredAny};

use crate::json_lines::{
    bare::{AnyNumber, replace_bare},
    csv::{Columns, CsvRows, csv_rows, header},
    fields::{Name, YesOrNo},
    parsing::{InputError, bytes, parse_line},
};

/// The names of the column of forecasts.
const FORECASTS: [&str; 3] = ["forecast", "confidence", "probability"];

/// The names of the column of outcomes, of which the first that there is counts.
const OUTCOMES: [&str; 7] =
    ["outcome", "correct", "is_correct", "success", "passed", "score", "label"];

const TEXTS: [&str; 4] = ["id", "task", "model", "stop"];
const VALUES: [&str; 4] = ["trial", "step", "horizon", "success_chance"];

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
    #[serde(alias = "confidence", alias = "probability")]
    forecast: Option<AnyNumber>,
    #[serde(
        alias = "correct",
        alias = "is_correct",
        alias = "success",
        alias = "passed",
        alias = "score",
        alias = "label"
    )]
    outcome: Option<YesOrNo>,
    stop: Option<String>,
    horizon: Option<u64>,
    success_chance: Option<f64>,
}

/// The steps of a run, and what its rows say of all of it.
#[derive(Default)]
struct Steps {
    /// The line of the first row.
    line: usize,
    /// The number of the step, the line of the row, and the forecast as JSON.
    steps: Vec<(Option<f64>, usize, String)>,
    outcome: Option<bool>,
    /// The other fields as JSON.
    fields: BTreeMap<&'static str, String>,
}

/// Traces that are read line by line: those of a file, or those of one model of a table that has several.
pub struct TraceSource<'a> {
    /// The model, if the table has several.
    pub model: Option<String>,
    /// What to know about how the table was read.
    pub(crate) notes: Vec<String>,
    pub(crate) lines: Box<dyn Read + 'a>,
}

impl fmt::Debug for TraceSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, notes, .. } = self;
        f.debug_struct("TraceSource").field("model", model).field("notes", notes).finish()
    }
}

impl<'a> TraceSource<'a> {
    /// The traces of a file, which may be a table with a row per step, as [`TraceFile::read`](crate::TraceFile::read)
    /// describes; those of each model of a table that has several, in the order of their names.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a source that cannot be read and for a table that is not one of steps.
    pub fn all(file: &str, mut source: impl Read + 'a) -> Result<Vec<Self>, InputError> {
        let mut start = Vec::new();
        let read = source.by_ref().take(START).read_to_end(&mut start);
        read.map_err(|error| InputError::of_file(file, error.to_string()))?;
        let found = Form::of(file, &start);
        let all = Cursor::new(start).chain(source);
        let (outcome, lines) = match found {
            Form::Traces => {
                return Ok(vec![Self { model: None, notes: Vec::new(), lines: Box::new(all) }]);
            }
            Form::Rows(names) => {
                let outcome = check_columns(file, &names)?;
                let others = |name: &&str| *name != outcome && names.iter().any(|it| it == name);
                let others = Vec::from_iter(OUTCOMES.into_iter().filter(others));
                (outcome, without(&others, bytes(file, all)?))
            }
            Form::Csv(names) => {
                let outcome = OUTCOMES.into_iter().find(|name| names.iter().any(|it| it == name));
                let values = [&VALUES[..], &FORECASTS, outcome.as_slice()].concat();
                let columns = Columns { texts: &TEXTS, values: &values };
                let CsvRows { header, lines } = csv_rows(file, &bytes(file, all)?, columns)?;
                (check_columns(file, &header)?, lines)
            }
        };
        let notes = match outcome {
            "outcome" => Vec::new(),
            other => vec![format!("outcomes are those of the column {other}")],
        };
        put_together(file, &lines, &notes)
    }
}

/// The form of a file of traces.
enum Form {
    /// A run per line.
    Traces,
    /// JSON Lines of steps, with the keys of the first one.
    Rows(Vec<String>),
    /// A table with these columns.
    Csv(Vec<String>),
}

impl Form {
    /// The form by how a file starts; a name that ends in .csv, .tsv or .parquet says that it is a table.
    fn of(file: &str, start: &[u8]) -> Self {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let file = file.to_ascii_lowercase();
        let is_one_of = |names: &[String]| names.iter().any(|it| FORECASTS.contains(&it.as_str()));
        if line.starts_with(b"{") {
            let text = String::from_utf8_lossy(line);
            let keys = serde_json::from_str(&replace_bare(&text, |_| "0".to_owned()));
            let keys: BTreeMap<String, IgnoredAny> = keys.unwrap_or_default();
            let is_run = keys.contains_key("forecasts") || keys.contains_key("left_out");
            let keys = Vec::from_iter(keys.into_keys());
            let is_table = file.ends_with(".parquet") && !keys.is_empty();
            return if !is_run && (is_table || is_one_of(&keys)) {
                Self::Rows(keys)
            } else {
                Self::Traces
            };
        }
        let is_csv = [".csv", ".tsv"].iter().any(|ending| file.ends_with(ending));
        let (names, _) = header(line);
        if !line.is_empty() && (is_csv || is_one_of(&names)) {
            Self::Csv(names)
        } else {
            Self::Traces
        }
    }
}

/// The name of the column of outcomes among these, of which one has to be that of forecasts.
fn check_columns(file: &str, names: &[String]) -> Result<&'static str, InputError> {
    let has = |name: &&str| names.iter().any(|it| it == name);
    let lacks = |field, known: &[&str]| {
        let (known, names) = (known.join(", "), names.join(", "));
        let problem = format!("no column has one of the names {known}; there are {names}");
        InputError::of_field(file, 1, field, problem)
    };
    let forecasts = Vec::from_iter(FORECASTS.into_iter().filter(has));
    if let [first, _, ..] = forecasts[..] {
        let all = forecasts.join(", ");
        let problem = format!("the columns {all} are all forecasts; keep one of them");
        return Err(InputError::of_field(file, 1, first, problem));
    }
    if forecasts.is_empty() {
        return Err(lacks("confidence", &FORECASTS));
    }
    OUTCOMES.into_iter().find(has).ok_or_else(|| lacks("outcome", &OUTCOMES))
}

/// JSON Lines without these fields of their objects.
fn without(fields: &[&str], lines: Vec<u8>) -> Vec<u8> {
    if fields.is_empty() {
        return lines;
    }
    let changed = lines.split(|&byte| byte == b'\n').map(|line| {
        let text = String::from_utf8_lossy(line);
        let object = serde_json::from_str(&replace_bare(&text, |_| "null".to_owned()));
        object.map_or_else(
            |_| line.to_vec(),
            |mut object: serde_json::Map<String, serde_json::Value>| {
                fields.iter().for_each(|field| drop(object.remove(*field)));
                serde_json::Value::Object(object).to_string().into_bytes()
            },
        )
    });
    changed.collect::<Vec<_>>().join(&b'\n')
}

/// The runs of a table with a row per step, one a line, which is that of their first row, model by model if there are
/// several. A row without an id is a run.
fn put_together(
    file: &str,
    lines: &[u8],
    notes: &[String],
) -> Result<Vec<TraceSource<'static>>, InputError> {
    let mut models: BTreeMap<Option<String>, Vec<Steps>> = BTreeMap::new();
    let mut places: HashMap<(Option<String>, String, Option<u64>), usize> = HashMap::new();
    for (line, text) in (1..).zip(lines.split(|&byte| byte == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let row = parse_row(file, line, text)?;
        let model = row.model.as_ref().map(|Name(model)| model.clone());
        let runs = models.entry(model.clone()).or_default();
        let place = match &row.id {
            None => runs.len(),
            Some(Name(id)) => *places.entry((model, id.clone(), row.trial)).or_insert(runs.len()),
        };
        if place == runs.len() {
            runs.push(Steps { line, ..Steps::default() });
        }
        runs[place].add(file, line, row)?;
    }
    let is_one = models.len() <= 1;
    let made = models.into_iter().map(|(model, runs)| {
        let (mut made, mut line) = (Vec::new(), 1);
        for run in runs {
            made.resize(made.len() + run.line - line, b'\n');
            line = run.line;
            made.extend_from_slice(run.into_line(file)?.as_bytes());
        }
        let model = (!is_one).then(|| model.unwrap_or_else(|| "unknown model".to_owned()));
        Ok(TraceSource { model, notes: notes.to_vec(), lines: Box::new(Cursor::new(made)) })
    });
    made.collect()
}

fn parse_row(file: &str, line: usize, text: &[u8]) -> Result<Row, InputError> {
    parse_line(file, line, text).or_else(|refused| {
        let Ok(text) = str::from_utf8(text) else { return Err(refused) };
        let lists = replace_bare(text, |bare| format!(r#"["{bare}"]"#));
        parse_line(file, line, lists.as_bytes()).map_err(|_| refused)
    })
}

impl Steps {
    fn add(&mut self, file: &str, line: usize, row: Row) -> Result<(), InputError> {
        let differs = |field: &str| {
            let problem = format!(
                "differs from that of an earlier row of this run, from line {}; give each run an id of its own, or number the runs of an id in a column trial",
                self.line
            );
            InputError::of_field(file, line, field, problem)
        };
        let text = |text: String| serde_json::Value::from(text).to_string();
        let id = match (row.id, row.trial) {
            (None, _) => format!("row-{line}"),
            (Some(Name(id)), None) => id,
            (Some(Name(id)), Some(trial)) => format!("{id}#{trial}"),
        };
        let fields = [
            ("id", Some(text(id))),
            ("task", row.task.map(|Name(task)| text(task))),
            ("stop", row.stop.map(text)),
            ("horizon", row.horizon.map(|horizon| horizon.to_string())),
            ("success_chance", row.success_chance.map(|chance| format!("{chance:?}"))),
        ];
        for (field, value) in fields {
            let Some(value) = value else { continue };
            if self.fields.get(field).is_some_and(|known| *known != value) {
                return Err(differs(field));
            }
            self.fields.insert(field, value);
        }
        if let Some(YesOrNo(outcome)) = row.outcome {
            if self.outcome.is_some_and(|known| known != outcome) {
                return Err(differs("outcome"));
            }
            self.outcome = Some(outcome);
        }
        if self.steps.last().is_some_and(|(step, ..)| step.is_some() != row.step.is_some()) {
            let problem = "some rows of this run have a step and some have none";
            return Err(InputError::of_field(file, line, "step", problem));
        }
        let forecast = match row.forecast {
            None | Some(AnyNumber::Finite(None)) => "null".to_owned(),
            Some(AnyNumber::Finite(Some(value))) => format!("{value:?}"),
            Some(AnyNumber::Bare([bare])) => bare,
        };
        self.steps.push((row.step, line, forecast));
        Ok(())
    }

    fn into_line(mut self, file: &str) -> Result<String, InputError> {
        let number = |step: &Option<f64>| step.unwrap_or(0.0);
        // Rows without a step stay as they are.
        self.steps.sort_by(|(a, ..), (b, ..)| number(a).total_cmp(&number(b)));
        for pair in self.steps.windows(2) {
            if let [(Some(first), ..), (Some(second), line, _)] = pair
                && first == second
            {
                let problem = format!("{second} stands twice in this run");
                return Err(InputError::of_field(file, *line, "step", problem));
            }
        }
        let forecasts = Vec::from_iter(self.steps.into_iter().map(|(.., forecast)| forecast));
        self.fields.insert("forecasts", format!("[{}]", forecasts.join(",")));
        let outcome = self.outcome.map_or("null".to_owned(), |outcome| outcome.to_string());
        self.fields.insert("outcome", outcome);
        let fields = self.fields.iter().map(|(key, value)| format!("\"{key}\":{value}"));
        Ok(format!("{{{}}}", Vec::from_iter(fields).join(",")))
    }
}
