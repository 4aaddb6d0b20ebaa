//! JSON Lines of any program, one run per line, whose fields are named by the caller.

use std::{collections::BTreeMap, io::Read};

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::{reader::Json, writing::to_json},
    error::{Error, Place, Problem},
    format::{About, Format, ReadOptions, named},
    formats::log_reader::{Opened, Reader, documents},
    json_lines::columns::{ID, MODEL, STOP, TASK, TRIAL},
    values::run::{Reply, Run, Score, Turn, number_of},
};

/// The reader, which no file shows: the caller names the fields.
pub(crate) const READER: Reader = Reader {
    recognizes: |_| false,
    open: |_| {
        let what = "a file in the format `lines` without the names of its fields (--field)";
        Err(Error::invalid(Place::default(), Problem::Unsupported { what }))
    },
    about: About {
        source: "JSON Lines of any program, one run per line: `--field outcome=metadata.result`; `logs --suggest` proposes the fields",
        reads: "what the named fields hold: id, task, trial, model, outcome, stop, reply, tokens, cost, seconds",
        lacks: "calls and turns: not available; outcome, if no field has it: `--outcomes`",
    },
};

macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident $name:literal $others:expr;)+) => {
        /// A fact about a run that can be read from a field of a JSON line.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum LineFact { $($(#[$doc])* $fact,)+ }

        /// The facts with their names, and the names of fields that usually hold them.
        const FACTS: &[(LineFact, &str, &[&str])] = &[$((LineFact::$fact, $name, $others),)+];
    };
}

facts! {
    /// The name of the run.
    Id "id" ID.names;
    /// The task.
    Task "task" TASK.names;
    /// The repetition of the task, a whole number.
    Trial "trial" TRIAL.names;
    /// The model.
    Model "model" MODEL.names;
    /// True, false, or a number, which is a score of the name `outcome`.
    Outcome "outcome" &["outcome", "correct", "is_correct", "success", "passed", "solved", "resolved", "result", "score", "reward", "label"];
    /// The reason why the run ended.
    Stop "stop" STOP.names;
    /// The text of the last reply, from which a stated confidence is read.
    Reply "reply" &["reply", "response", "output", "answer", "completion", "final_answer"];
    /// The tokens of all prompts, including cached ones.
    InputTokens "input_tokens" &["input_tokens", "prompt_tokens", "total_input_tokens", "n_input_tokens"];
    /// The tokens of all replies.
    OutputTokens "output_tokens" &["output_tokens", "completion_tokens", "total_output_tokens", "n_output_tokens"];
    /// The cost in US dollars.
    CostUsd "cost_usd" &["cost_usd", "cost", "total_cost", "total_cost_usd", "price"];
    /// The wall time in seconds.
    Seconds "seconds" &["seconds", "duration", "duration_s", "duration_seconds", "elapsed", "wall_time", "latency"];
}

/// The lines and the depth that [`LineFields::suggest`] looks at.
const MOST_LINES: usize = 200;
const MOST_DEPTH: usize = 5;

/// The fields that state the facts about a run in a program's JSON Lines.
///
/// A field is a path of keys with dots between them, such as `metadata.result`; a number selects an element of a list.
///
/// ```
/// use run_logs::{Error, LineFact, LineFields, ReadOptions};
///
/// let fields = LineFields::new(["outcome=metadata.result", "task=item"])?;
/// let lines = br#"
///     {"item": "sums", "metadata": {"result": true}}
///     {"item": "products", "metadata": {"result": null}}"#;
/// let runs = fields.read(&lines[..], &ReadOptions::default())?;
/// let runs = runs.collect::<Result<Vec<_>, Error>>()?;
/// assert_eq!((runs[0].outcome, runs[1].outcome), (Some(true), None));
/// assert_eq!(runs[1].task.as_deref(), Some("products"));
///
/// let proposed = LineFields::suggest(&lines[..])?;
/// assert_eq!((proposed[0].fact, proposed[0].path.as_str()), (LineFact::Outcome, "metadata.result"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineFields {
    paths: BTreeMap<LineFact, String>,
}

/// A field that [`LineFields::suggest`] proposes for a fact about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuggestedField {
    /// The fact.
    pub fact: LineFact,
    /// The path of the field.
    pub path: String,
    /// The number of lines in which the field has a value.
    pub n_lines: usize,
    /// The first value, shortened.
    pub example: String,
}

impl LineFact {
    /// Returns the name of the fact.
    #[must_use]
    pub fn name(self) -> &'static str {
        FACTS.iter().find(|(fact, ..)| *fact == self).map_or("", |(_, name, _)| name)
    }
}

impl LineFields {
    /// Creates the fields from texts such as `outcome=metadata.result`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a text of another form, an unknown fact, and a fact that is named twice.
    pub fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let mut fields = Self::default();
        for text in texts {
            let text = text.as_ref();
            let wrong = |problem| {
                let place = Place { field: "field".to_owned(), ..Place::default() };
                Error::invalid(place, problem)
            };
            let Some((fact, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty())
            else {
                let value = text.chars().take(80).collect();
                let expected = "a fact and the path of its field, such as outcome=metadata.result";
                return Err(wrong(Problem::Value { value, expected }));
            };
            let all = FACTS.iter().map(|(fact, name, _)| (*name, *fact));
            let fact = named(fact, "field", EXPECTED, all)?;
            if fields.paths.insert(fact, path.to_owned()).is_some() {
                return Err(wrong(Problem::DuplicateKey { key: fact.name().to_owned() }));
            }
        }
        Ok(fields)
    }

    /// Returns whether no field is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Reads the runs of a source. See [`read_path_by`](crate::read_path_by) for files and folders.
    ///
    /// # Errors
    ///
    /// An error of the start of the source; the iterator returns the errors of lines: invalid JSON, and a field with a value of
    /// another type than its fact; and at its end, [`Error::Invalid`] for a field that no line has.
    pub fn read<'a>(
        &self,
        source: impl Read + 'a,
        options: &ReadOptions,
    ) -> Result<impl Iterator<Item = Result<Run, Error>> + 'a, Error> {
        let (fields, mut absent) = (self.clone(), self.paths.clone());
        let mut lines =
            documents(source, options, move |json, number, _| fields.run(json, number))?;
        let mut n_lines = 0_u64;
        let mut is_over = false;
        Ok(std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            match lines.next() {
                Some(Ok((run, present))) => {
                    n_lines += 1;
                    present.iter().for_each(|fact| _ = absent.remove(fact));
                    Some(Ok(run))
                }
                Some(Err(error)) => Some(Err(error)),
                None => {
                    is_over = true;
                    // A name that no line has is a mistake, and not a fact that is unknown.
                    let (fact, path) = absent.first_key_value().filter(|_| n_lines > 0)?;
                    let place = Place { field: path.clone(), ..Place::default() };
                    let value = format!("{}={path}", fact.name());
                    let expected = "a field that some line of the file has";
                    Some(Err(Error::invalid(place, Problem::Value { value, expected })))
                }
            }
        }))
    }

    pub(crate) fn open<'a>(
        &self,
        source: impl Read + 'a,
        options: &ReadOptions,
    ) -> Result<Opened<'a>, Error> {
        Ok(Opened::new(Format::Lines, self.read(source, options)?))
    }

    /// Reads a line: the run, and the facts whose fields the line has, even if they are null.
    fn run(&self, json: &mut Json<'_>, number: u64) -> Result<(Run, Vec<LineFact>), Error> {
        let line = json.value()?;
        let mut run = Run::new(number.to_string());
        run.is_numbered = true;
        let (mut reply, mut present) = (None, Vec::new());
        for (fact, path) in &self.paths {
            let Some(value) = at(&line, path) else { continue };
            present.push(*fact);
            if *value == Value::Null {
                continue;
            }
            let wrong = |expected| {
                let value = to_json(value).chars().take(40).collect();
                json.error_at(path, Problem::Value { value, expected })
            };
            let text = || match value {
                Value::Text(text) => Ok(text.clone()),
                Value::Integer(number) => Ok(number.to_string()),
                _ => Err(wrong("a text or a whole number")),
            };
            let amount = || {
                let found = number_of(value).filter(|it| it.is_finite() && *it >= 0.0);
                found.ok_or_else(|| wrong("a number of at least 0"))
            };
            let count = || {
                let whole = amount()?;
                if whole.fract() == 0.0 && whole < 9_007_199_254_740_992.0 {
                    Ok(whole as u64)
                } else {
                    Err(wrong("a whole number of at least 0"))
                }
            };
            match fact {
                LineFact::Id => (run.id, run.is_numbered) = (text()?, false),
                LineFact::Task => run.task = Some(text()?),
                LineFact::Trial => run.trial = Some(count()?),
                LineFact::Model => run.model = Some(text()?),
                LineFact::Outcome => match (value, number_of(value)) {
                    (Value::Bool(outcome), _) => run.outcome = Some(*outcome),
                    (_, Some(_)) | (Value::Text(_), _) => {
                        let score = Score { value: value.clone(), ..Score::default() };
                        run.scores.insert("outcome".to_owned(), score);
                    }
                    _ => return Err(wrong("true, false, a number or a word such as C or yes")),
                },
                LineFact::Stop => run.stop = Some(text()?.into()),
                LineFact::Reply => reply = Some(text()?),
                LineFact::InputTokens => run.usage.input_tokens = Some(count()?),
                LineFact::OutputTokens => run.usage.output_tokens = Some(count()?),
                LineFact::CostUsd => run.usage.cost_usd = Some(amount()?),
                LineFact::Seconds => run.seconds = Some(amount()?),
            }
        }
        if let Some(text) = reply {
            // The tokens are those of the run, which may have had more calls.
            let reply = Some(Reply { text, ..Reply::default() });
            run.turns.push(Turn { model: run.model.clone(), reply, ..Turn::default() });
        }
        Ok((run, present))
    }

    /// Proposes fields by their names and the types of their values in the first 200 lines: for each fact, the fields
    /// that may state it, the most frequent first.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a line that is not JSON.
    pub fn suggest(source: impl Read) -> Result<Vec<SuggestedField>, Error> {
        let mut found: BTreeMap<(LineFact, usize, String), (usize, String)> = BTreeMap::new();
        let lines = documents(source, &ReadOptions::default(), |json, _, _| json.value())?;
        for line in lines.take(MOST_LINES) {
            let line = line?;
            leaves(&line, &mut String::new(), 0, &mut |path, value| {
                let key = path.rsplit('.').next().unwrap_or_default().to_lowercase();
                for (fact, _, names) in FACTS {
                    let Some(rank) = names.iter().position(|name| *name == key) else { continue };
                    if fits(*fact, value) {
                        let example = || to_json(value).chars().take(40).collect();
                        let entry = found.entry((*fact, rank, path.to_owned()));
                        entry.or_insert_with(|| (0, example())).0 += 1;
                    }
                }
            });
        }
        let mut fields: Vec<(usize, SuggestedField)> = found
            .into_iter()
            .map(|((fact, rank, path), (n_lines, example))| {
                (rank, SuggestedField { fact, path, n_lines, example })
            })
            .collect();
        fields.sort_by_key(|(rank, it)| {
            (it.fact, std::cmp::Reverse(it.n_lines), *rank, it.path.matches('.').count())
        });
        Ok(fields.into_iter().map(|(_, field)| field).collect())
    }
}

const EXPECTED: &str = "id, task, trial, model, outcome, stop, reply, input_tokens, output_tokens, cost_usd or seconds";

/// Returns the value at a path.
fn at<'a>(line: &'a Value, path: &str) -> Option<&'a Value> {
    // A key may have a dot in it.
    if let (Value::Map(fields), true) = (line, !path.is_empty())
        && let Some(value) = fields.get(path)
    {
        return Some(value);
    }
    let (key, rest) = path.split_once('.').unwrap_or((path, ""));
    let value = match line {
        Value::Map(fields) => fields.get(key)?,
        Value::List(values) => values.get(key.parse::<usize>().ok()?)?,
        _ => return None,
    };
    if rest.is_empty() { Some(value) } else { at(value, rest) }
}

/// Returns whether a value may hold a fact.
fn fits(fact: LineFact, value: &Value) -> bool {
    match fact {
        LineFact::Id | LineFact::Task => matches!(value, Value::Text(_) | Value::Integer(_)),
        LineFact::Model | LineFact::Stop | LineFact::Reply => matches!(value, Value::Text(_)),
        LineFact::Trial | LineFact::InputTokens | LineFact::OutputTokens => {
            matches!(value, Value::Integer(number) if *number >= 0)
        }
        LineFact::Outcome => {
            matches!(value, Value::Bool(_) | Value::Integer(_) | Value::Real(_) | Value::Text(_))
        }
        LineFact::CostUsd | LineFact::Seconds => {
            matches!(value, Value::Integer(_) | Value::Real(_))
        }
    }
}

/// Calls `see` with each value that is neither an object nor a list, and its path.
fn leaves(value: &Value, path: &mut String, depth: usize, see: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Map(fields) if depth < MOST_DEPTH => {
            // A dot separates keys.
            for (key, value) in fields.iter().filter(|(key, _)| !key.contains('.')) {
                let length = path.len();
                if length > 0 {
                    path.push('.');
                }
                path.push_str(key);
                leaves(value, path, depth + 1, see);
                path.truncate(length);
            }
        }
        Value::Map(_) | Value::List(_) | Value::Null => {}
        value => see(path, value),
    }
}
