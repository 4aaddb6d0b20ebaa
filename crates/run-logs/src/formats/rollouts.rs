use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
};

use budget_estimation::{Error, Resource, Rollout, Rollouts};
use censoring::{StopClass, StopReason};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::{
    json_lines::{
        fields::{name, optional_name, yes_or_no},
        parsing::{InputError, Line, parse_line},
        parts::fold,
        run_counts::RunCounts,
    },
    values::account::Account,
};

/// The field of opaque contents.
const CONTENT: &str = "content";

/// The field of the agent's observation before it acted in a turn.
const OBSERVATION: &str = "observation";

/// The field of features that are known before the first turn.
const START: &str = "start";

/// A file of rollouts: JSON Lines with one rollout per line,
/// `{"id"?, "task"?, "content"?, "turns": [{resource: cost or null, "content"?, "observation"?}], "success",
/// "cut_off"?, "stop_reason"?, "achieved"?, "caps"?: {resource: cap}}`.
///
/// `success` is true, false, 1 or 0. `id` and `task` are strings or whole numbers. Domains number their tasks alike, so that the
/// task of a run with a text `domain` is `domain/task`. A run with `cut_off` true, which must be a failed one, is
/// [`Rollouts::set_censored`]; the caller decides the meaning of a stop reason ([`RolloutLine::failed_at_limit`]). `content` is a
/// string, before the first turn or of a turn ([`Rollouts::set_content`]), and `observation` a string of a turn
/// ([`Rollouts::set_observation`]); with a resource of that name it is not read. A cost that is null or missing is unknown. Other
/// fields are keys and features if they are declared, and are ignored otherwise. No object may repeat a key, not even in ignored
/// fields. Lines of runs that were left out are counted ([`RunCounts`]).
///
/// ```
/// use budget_estimation::Rollouts;
/// use run_logs::{Error, RolloutFile};
///
/// let text = r#"{"model": "small", "turns": [{"tokens": 50, "errors": 2}, {"tokens": null}], "success": 1}"#;
/// let rollouts = Rollouts::new(["tokens"])?.with_keys(["model"])?;
/// let mut rollouts = rollouts.with_features(["errors"])?;
/// RolloutFile::read("runs.jsonl", text.as_bytes())?.append_to(&mut rollouts)?;
/// let rollout = rollouts.get(0)?;
/// assert_eq!((rollout.key("model"), rollout.feature(1, "errors")), (Some("small"), Some(2.0)));
/// assert!(rollout.usage(rollouts.resource("tokens")?).is_err());
///
/// let text = r#"{"turns": [{"tokens": "many"}], "success": 1}"#;
/// let wrong = RolloutFile::read("runs.jsonl", text.as_bytes())?;
/// let error = wrong.append_to(&mut rollouts).unwrap_err();
/// assert_eq!(error.to_string(), "runs.jsonl:1: field turns[0].tokens: give a number or null");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RolloutFile {
    file: String,
    lines: Vec<Line<RolloutLine>>,
    /// All runs by model, including runs that were left out.
    counts: BTreeMap<Option<String>, RunCounts>,
    /// The account of the runs of each log and model, if the runs come from logs.
    logs: Vec<(Option<String>, Account)>,
}

/// One line of a [`RolloutFile`].
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RolloutLine {
    /// The name of the run.
    #[serde(default, deserialize_with = "optional_name")]
    pub id: Option<String>,
    /// The name of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "optional_name")]
    pub task: Option<String>,
    /// The costs of each turn, and other fields of the turn.
    pub turns: RolloutTurns,
    /// Whether the run succeeded.
    #[serde(deserialize_with = "yes_or_no")]
    pub success: bool,
    /// Whether a budget ended the run, according to the file itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<bool>,
    /// The reason for the end of the run.
    #[serde(alias = "stop", skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// The result that the run achieved, for tasks that define no success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub achieved: Option<f64>,
    /// Budgets of the run by resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caps: Option<BTreeMap<String, f64>>,
    /// All other fields.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// The fields of the turns of a run, stored flat because a file may have millions of turns.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(from = "Vec<Map<String, Value>>", into = "Vec<Map<String, Value>>")]
pub struct RolloutTurns {
    /// The end of each turn in `fields`.
    ends: Box<[u32]>,
    /// The fields: the position of the name among [`USUAL`] and then `names`, and the value.
    fields: Box<[(u32, Stored)]>,
    /// Other names than the usual ones.
    names: Box<[String]>,
}

/// The value of a field; most are numbers.
#[derive(Clone, Debug)]
enum Stored {
    Number(Number),
    Other(Box<Value>),
}

/// Names of fields that most turns have.
const USUAL: [&str; 5] =
    ["input_tokens", "fresh_input_tokens", "output_tokens", "total_tokens", "cost_usd"];

impl From<Vec<Map<String, Value>>> for RolloutTurns {
    fn from(turns: Vec<Map<String, Value>>) -> Self {
        let n_fields = turns.iter().map(Map::len).sum();
        let (mut ends, mut fields) =
            (Vec::with_capacity(turns.len()), Vec::with_capacity(n_fields));
        let (mut names, mut known) = (Vec::new(), BTreeMap::new());
        for turn in turns {
            for (name, value) in turn {
                let usual = USUAL.iter().position(|usual| *usual == name);
                let at = usual.unwrap_or_else(|| {
                    *known.entry(name).or_insert_with_key(|name| {
                        names.push(name.clone());
                        USUAL.len() + names.len() - 1
                    })
                });
                let value = match value {
                    Value::Number(number) => Stored::Number(number),
                    value => Stored::Other(Box::new(value)),
                };
                fields.push((at as u32, value));
            }
            ends.push(fields.len() as u32);
        }
        Self { ends: ends.into(), fields: fields.into(), names: names.into() }
    }
}

impl From<RolloutTurns> for Vec<Map<String, Value>> {
    fn from(turns: RolloutTurns) -> Self {
        let turn = |turn| {
            turns.fields(turn).map(|(name, value)| (name.to_owned(), value.value())).collect()
        };
        (0..turns.n_turns()).map(turn).collect()
    }
}

impl Stored {
    fn value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(number.clone()),
            Self::Other(value) => (**value).clone(),
        }
    }
}

impl RolloutTurns {
    /// Returns the number of turns.
    #[must_use]
    pub const fn n_turns(&self) -> usize {
        self.ends.len()
    }

    fn fields(&self, turn: usize) -> impl Iterator<Item = (&str, &Stored)> {
        let end = |turn: usize| self.ends.get(turn).map(|end| *end as usize);
        let start = turn.checked_sub(1).map_or(Some(0), end);
        let fields = start.zip(end(turn)).and_then(|(start, end)| self.fields.get(start..end));
        fields.unwrap_or_default().iter().map(|(name, value)| {
            let name = *name as usize;
            (USUAL.get(name).copied().unwrap_or_else(|| &self.names[name - USUAL.len()]), value)
        })
    }

    /// Returns the value of a field in one turn. Turns are counted from 0.
    #[must_use]
    pub fn get(&self, turn: usize, name: &str) -> Option<Value> {
        self.fields(turn).find(|(own, _)| *own == name).map(|(_, value)| value.value())
    }

    /// Returns the names of the fields in one turn. Turns are counted from 0.
    pub fn names(&self, turn: usize) -> impl Iterator<Item = &str> {
        self.fields(turn).map(|(name, _)| name)
    }
}

/// A model's answer about a run: one line of a file of estimates, `{"id", "turn", "answer"}`.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct AnswerLine {
    /// The name of the run.
    #[serde(deserialize_with = "name")]
    pub id: String,
    /// The number of completed turns at the time of the answer.
    pub turn: usize,
    /// The text of the model.
    pub answer: String,
}

/// A field and the problem with it.
type Wrong = (String, String);

impl RolloutFile {
    /// Reads a file of rollouts, except for costs, contents, keys and features, which [`Self::append_to`] reads.
    ///
    /// # Errors
    ///
    /// [`InputError`] with file, line and field of the first problem.
    pub fn read(file: &str, source: impl Read) -> Result<Self, InputError> {
        let mut read = Self::empty(file);
        let add = |part: &mut Option<Self>, number, text: &[u8]| {
            let part = part.get_or_insert_with(|| Self::empty(file));
            let mut left_out = RunCounts::default();
            if left_out.take_left_out(file, number, text)? {
                let fields: Map<String, Value> = parse_line(file, number, text)?;
                let model = checked_model(file, number, fields.get("model"))?;
                part.counts.entry(model).or_default().append(&left_out);
                return Ok(());
            }
            let mut value: RolloutLine = parse_line(file, number, text)?;
            checked_model(file, number, value.others.get("model"))?;
            value.name_task();
            part.push(number, value);
            Ok::<_, InputError>(())
        };
        fold(file, source, add, Ok, |part: Option<Self>| {
            let Some(part) = part else { return };
            read.lines.extend(part.lines);
            for (model, counts) in part.counts {
                read.counts.entry(model).or_default().append(&counts);
            }
        })?;
        Ok(read)
    }

    /// Creates a file without runs.
    pub(crate) fn empty(file: &str) -> Self {
        Self { file: file.to_owned(), lines: Vec::new(), counts: BTreeMap::new(), logs: Vec::new() }
    }

    /// Sets the log of the runs of one model.
    pub(crate) fn add_log(&mut self, model: Option<String>, log: Account) {
        self.logs.push((model, log));
    }

    /// Returns the counts of the runs: found, kept and left out.
    #[must_use]
    pub fn account(&self) -> Account {
        let log = (!self.logs.is_empty()).then(|| {
            let mut account =
                Account::of_columns(self.logs.iter().map(|(_, log)| log.clone()).collect());
            account.columns.clear();
            account
        });
        self.counts().account(log.as_ref())
    }

    /// Adds a run that was read from line `number`; 0 for a run without a line.
    pub(crate) fn push(&mut self, number: usize, value: RolloutLine) {
        // A failure that a budget ended counts as cut off, also if the line does not name the limit.
        let is_cut_off = value.cut_off == Some(true) || value.failed_at_limit();
        let counts = self.counts.entry(value.model()).or_default();
        if is_cut_off {
            counts.add_cut_off();
        } else {
            counts.add(Some(value.success), value.stop_reason.as_ref());
        }
        self.lines.push(Line { number, value });
    }

    /// Counts a run that was left out.
    pub(crate) fn count_left_out(
        &mut self,
        model: Option<String>,
        outcome: Option<bool>,
        stop: Option<&StopReason>,
        reason: &str,
    ) {
        self.counts.entry(model).or_default().add_left_out(outcome, stop, reason);
    }

    /// Returns the number of models. In a file of rollouts, the runs without a model count as one more model, if any of
    /// them was kept. In a log, runs without a model do not count, because they ended before a reply.
    #[must_use]
    pub fn n_models(&self) -> usize {
        let is_model = |(model, counts): &(&Option<String>, &RunCounts)| {
            model.is_some() || (self.logs.is_empty() && !counts.keeps_none())
        };
        self.counts.iter().filter(is_model).count()
    }

    /// Splits the runs by the field `model`, a string or a whole number, in the order of the names; runs without a model come
    /// first.
    #[must_use]
    pub fn by_model(self) -> BTreeMap<Option<String>, Self> {
        let of_model = |(model, counts): (Option<String>, RunCounts)| {
            let counts = BTreeMap::from([(model.clone(), counts)]);
            (model, Self { counts, ..Self::empty(&self.file) })
        };
        let mut models: BTreeMap<_, Self> = self.counts.into_iter().map(of_model).collect();
        for line in self.lines {
            if let Some(of_model) = models.get_mut(&line.value.model()) {
                of_model.lines.push(line);
            }
        }
        for (model, log) in self.logs {
            let of_model = models.entry(model.clone()).or_insert_with(|| Self::empty(&self.file));
            of_model.add_log(model, log);
        }
        models
    }

    /// Returns the file as named by the caller.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the runs in their order, each with the number of its line.
    #[must_use]
    pub fn lines(&self) -> &[Line<RolloutLine>] {
        &self.lines
    }

    /// Returns the counts of all runs, including runs that were left out when the file was made.
    #[must_use]
    pub fn counts(&self) -> RunCounts {
        let mut all = RunCounts::default();
        self.counts.values().for_each(|counts| all.append(counts));
        all
    }

    /// Appends the runs to rollouts, with the resources, keys and features that these rollouts declare. A key is a
    /// field of the line, a string or a whole number. A feature is a number in a field of a turn; features that are
    /// known before the first turn are in the object `start` of the line. Keys and features that are null or missing
    /// are unknown.
    ///
    /// # Errors
    ///
    /// [`InputError`] with the line and the field. The lines before the wrong one have been appended, and possibly a part of the
    /// wrong one.
    pub fn append_to(&self, rollouts: &mut Rollouts) -> Result<(), InputError> {
        let wrong = |line: usize, (field, problem): Wrong| InputError {
            line: Some(line).filter(|line| *line > 0),
            field: Some(field).filter(|field| !field.is_empty()),
            ..InputError::of_file(&self.file, problem)
        };
        let mut lines = self.lines.iter();
        lines.try_for_each(|line| {
            line.value.append_to(rollouts).map_err(|it| wrong(line.number, it))
        })
    }
}

impl RolloutLine {
    /// Returns whether the run failed and a budget ended it, according to its stop reason. The result is false if
    /// `cut_off` is false, as in the rollouts of a log whose grades of runs at a limit are accepted.
    #[must_use]
    pub fn failed_at_limit(&self) -> bool {
        let is_limit = |stop: &StopReason| stop.class() == StopClass::Censored;
        !self.success
            && self.cut_off != Some(false)
            && self.stop_reason.as_ref().is_some_and(is_limit)
    }

    /// Adds the domain to the name of the task, unless it is already there, so that tasks of different domains differ.
    fn name_task(&mut self) {
        if let (Some(task), Some(Value::String(domain))) =
            (&mut self.task, self.others.get("domain"))
            && !task.strip_prefix(domain).is_some_and(|rest| rest.starts_with('/'))
        {
            *task = format!("{domain}/{task}");
        }
    }

    fn model(&self) -> Option<String> {
        self.others.get("model").and_then(name_of)
    }

    fn append_to(&self, rollouts: &mut Rollouts) -> Result<(), Wrong> {
        let resources: Vec<String> =
            rollouts.resources().map(|(_, name)| name.to_owned()).collect();
        // Turn 0 stands for the time before the first turn.
        let given = |turn: usize, name: &str| {
            let value = match turn.checked_sub(1) {
                None => self.others.get(name).cloned(),
                Some(at) => self.turns.get(at, name),
            };
            value.filter(|value| !value.is_null())
        };
        let place = |turn: usize, name: &str| match turn.checked_sub(1) {
            None => name.to_owned(),
            Some(at) => format!("turns[{at}].{name}"),
        };
        let turns = self.turns.n_turns();
        let mut costs = Vec::with_capacity(turns * resources.len());
        for turn in 1..=turns {
            for name in &resources {
                let give = || wrong(place(turn, name), "give a number or null");
                let cost = given(turn, name).map(|cost| cost.as_f64().ok_or_else(give));
                costs.push(cost.transpose()?);
            }
        }
        let index = rollouts.push(&costs, self.success).map_err(|error| match error {
            Error::Cost { turn, resource, value, .. } => wrong(
                format!("turns[{}].{resource}", turn - 1),
                format!("is {value}; give a number from 0 to 1e100"),
            ),
            other => wrong("turns", other.to_string()),
        })?;
        let of = |field: &str| {
            let field = field.to_owned();
            move |error: Error| wrong(field, error.to_string())
        };
        if let Some(id) = &self.id {
            rollouts.set_id(index, id.as_str()).map_err(of("id"))?;
        }
        if self.cut_off == Some(true) {
            rollouts.set_censored(index).map_err(of("cut_off"))?;
        }
        // A cap could not be enforced on a resource that is not read.
        for (name, &cap) in self.caps.iter().flatten() {
            let resource = rollouts.resource(name).map_err(of(&format!("caps.{name}")))?;
            rollouts.set_cap_of(index, resource, cap).map_err(of(&format!("caps.{name}")))?;
        }
        let keys: Vec<String> = rollouts.key_names().map(str::to_owned).collect();
        for name in keys {
            let value = match given(0, &name) {
                _ if name == "task" => self.task.clone(),
                None => None,
                Some(value) => match name_of(&value) {
                    Some(value) => Some(value),
                    None => return Err(wrong(name, "give a string or a whole number")),
                },
            };
            if let Some(value) = value {
                rollouts.set_key(index, &name, value).map_err(of(&name))?;
            }
        }
        let features: Vec<String> = rollouts.feature_names().map(str::to_owned).collect();
        let start = match given(0, START) {
            Some(Value::Object(start)) => start,
            Some(_) if !features.is_empty() => return Err(wrong(START, "give an object")),
            _ => Map::new(),
        };
        for turn in 0..=turns {
            for name in [CONTENT, OBSERVATION] {
                let is_text = resources.iter().all(|resource| resource != name)
                    && (name == CONTENT || turn > 0);
                let set = match if is_text { given(turn, name) } else { None } {
                    None => Ok(()),
                    Some(Value::String(text)) if name == CONTENT => {
                        rollouts.set_content(index, turn, text)
                    }
                    Some(Value::String(text)) => rollouts.set_observation(index, turn, text),
                    Some(_) => return Err(wrong(place(turn, name), "give a string")),
                };
                set.map_err(of(name))?;
            }
            for name in &features {
                let value = match turn {
                    0 => start.get(name).filter(|value| !value.is_null()).cloned(),
                    _ => given(turn, name),
                };
                let Some(value) = value else { continue };
                let set = |value| rollouts.set_feature(index, turn, name, value).ok();
                value.as_f64().and_then(set).ok_or_else(|| {
                    let at_start = format!("{START}.{name}");
                    let field = if turn == 0 { at_start } else { place(turn, name) };
                    wrong(field, "give a number from -1e100 to 1e100, or null")
                })?;
            }
        }
        Ok(())
    }
}

/// Returns the name of a model; `None` for null.
fn checked_model(
    file: &str,
    number: usize,
    model: Option<&Value>,
) -> Result<Option<String>, InputError> {
    let Some(model) = model.filter(|model| !model.is_null()) else { return Ok(None) };
    let problem = "give a string or a whole number";
    let wrong = || InputError::of_field(file, number, "model", problem);
    name_of(model).map(Some).ok_or_else(wrong)
}

/// Returns a string, or a whole number as its digits.
fn name_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        // Data frames convert whole numbers to real numbers if some are missing.
        Value::Number(number) => {
            let whole = number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < 1e15);
            whole.map(|it| format!("{it:.0}"))
        }
        _ => None,
    }
}

fn wrong(field: impl Into<String>, problem: impl Into<String>) -> Wrong {
    (field.into(), problem.into())
}

/// Writes rollouts as JSON Lines. [`RolloutFile`] reads them back to the last bit, if the same keys and
/// features are declared.
///
/// # Errors
///
/// The errors of the writer.
pub fn write_rollouts(rollouts: &Rollouts, mut writer: impl Write) -> io::Result<()> {
    for rollout in rollouts.iter() {
        let mut line = Map::new();
        let texts = [("id", rollout.id()), (CONTENT, rollout.content(0))];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
        line.extend(texts.chain(rollout.keys()).map(|(name, text)| (name.to_owned(), text.into())));
        let start = written_features(rollouts, &rollout, 0);
        if !start.is_empty() {
            line.insert(START.into(), start.into());
        }
        let mut caps = Map::new();
        for (resource, name) in rollouts.resources() {
            // The resource is one of these rollouts.
            if let Ok(Some(cap)) = rollout.cap(resource) {
                caps.insert(name.to_owned(), number(Some(cap)));
            }
        }
        let turn = |turn: usize| -> Value {
            let cost = |(resource, name): (Resource, &str)| {
                (name.to_owned(), number(rollout.cost(resource, turn)))
            };
            let mut object: Map<String, Value> = rollouts.resources().map(cost).collect();
            object.extend(written_features(rollouts, &rollout, turn));
            for (name, text) in
                [(CONTENT, rollout.content(turn)), (OBSERVATION, rollout.observation(turn))]
            {
                if let Some(text) = text {
                    object.entry(name).or_insert_with(|| text.into());
                }
            }
            object.into()
        };
        line.insert("turns".into(), (1..=rollout.turns()).map(turn).collect());
        line.insert("success".into(), rollout.succeeded().into());
        if rollout.is_censored() {
            line.insert("cut_off".into(), true.into());
        }
        if !caps.is_empty() {
            line.insert("caps".into(), caps.into());
        }
        writeln!(writer, "{}", Value::Object(line))?;
    }
    Ok(())
}

fn written_features(rollouts: &Rollouts, rollout: &Rollout<'_>, turn: usize) -> Map<String, Value> {
    let known = |name: &str| Some((name.to_owned(), number(Some(rollout.feature(turn, name)?))));
    rollouts.feature_names().filter_map(known).collect()
}

/// Returns a number as JSON: whole numbers below 2^53 have no fraction, and an unknown cost is null.
fn number(value: Option<f64>) -> Value {
    match value {
        Some(value) if value.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&value) => {
            (value as u64).into()
        }
        value => value.and_then(Number::from_f64).map_or(Value::Null, Value::Number),
    }
}
