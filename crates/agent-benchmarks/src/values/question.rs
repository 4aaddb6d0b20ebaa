use std::collections::BTreeSet;

use serde_json::{Map, Value};
use trajectory_metrics::distinct_keys::repeated_key;

use crate::{
    error::Error,
    values::checker::{Checker, MAX_OPTIONS, letter},
};

/// A question with the checker of its answers. Made by [`read_questions`] or [`Question::new`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// The id, unique within its list.
    pub id: String,
    /// The text that a model reads.
    pub text: String,
    /// The rule that decides whether an answer is right.
    pub checker: Checker,
    /// The value of a right answer, at least 0.
    pub value: f64,
    /// An attempt that was recorded without a token limit, if there is one.
    pub recorded: Option<Attempted>,
}

/// The result of an attempt at a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// The tokens of the reply.
    pub output_tokens: u64,
    /// Whether the answer was right.
    pub solved: bool,
}

impl Question {
    /// Creates a question that is worth 1 and has no recorded attempt.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>, checker: Checker) -> Self {
        Self { id: id.into(), text: text.into(), checker, value: 1.0, recorded: None }
    }

    /// Sets the recorded attempt.
    #[must_use]
    pub const fn with_recorded(mut self, attempt: Attempted) -> Self {
        self.recorded = Some(attempt);
        self
    }

    /// Returns whether no answer to the question is right.
    #[must_use]
    pub const fn is_unsolvable(&self) -> bool {
        matches!(self.checker, Checker::Unsolvable { .. })
    }

    /// Returns the text with its options and with the requested kind of answer.
    pub(crate) fn prompt(&self) -> String {
        format!("{}\n\n{}", self.block(), self.checker.instruction())
    }

    /// Returns the text with its options.
    pub(crate) fn block(&self) -> String {
        let mut text = self.text.clone();
        let options = self.checker.options().iter().enumerate();
        text.extend(options.map(|(place, option)| format!("\n{}. {option}", letter(place))));
        text
    }
}

/// Reads questions from JSON Lines, one object per line. Empty lines and a byte-order mark in front are skipped.
///
/// | field | meaning |
/// |---|---|
/// | `id` or `problem` | the id |
/// | `text` or `question` | the text |
/// | `answer` | true or false: yes or no; a number: numeric; a text: exact; null: no answer is right |
/// | `options` | a list of texts; the answer is then the position from 0, the letter or the text of one |
/// | `tolerance` | the largest difference from a number, 0 if not given |
/// | `value` | what a right answer is worth, 1 if not given |
/// | `output_tokens`, `solved` | a recorded attempt: both or none |
///
/// Other fields are ignored. A question with `"checker": "outside"`, or with a recorded attempt, needs no `answer`:
/// it is judged elsewhere.
///
/// # Errors
///
/// [`Error::Invalid`] with the line, from 1, if the line is not such an object, or repeats an id or a key.
///
/// ```
/// use agent_benchmarks::{Checker, Error, read_questions};
///
/// let questions = read_questions(
///     "{\"id\": \"q1\", \"question\": \"Is ice lighter than water?\", \"answer\": true}\n\
///      {\"id\": \"q2\", \"text\": \"7 times 6?\", \"answer\": 42, \"output_tokens\": 80, \"solved\": true}\n",
/// )?;
/// assert_eq!(questions[0].checker, Checker::YesNo { answer: true });
/// assert_eq!(questions[1].recorded.map(|attempt| attempt.output_tokens), Some(80));
///
/// let repeated = "{\"id\": 1, \"text\": \"?\", \"answer\": 2}\n".repeat(2);
/// assert!(matches!(read_questions(&repeated), Err(Error::Invalid { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn read_questions(text: &str) -> Result<Vec<Question>, Error> {
    let mut ids = BTreeSet::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let questions = lines.map(|(line, text)| {
        let question = question(text).map_err(|problem| Error::at_line(line, problem))?;
        if !ids.insert(question.id.clone()) {
            let problem = format!("the id {:?} occurs twice; ids must be unique", question.id);
            return Err(Error::at_line(line, problem));
        }
        Ok(question)
    });
    questions.collect()
}

fn question(line: &str) -> Result<Question, String> {
    let Value::Object(fields) = serde_json::from_str(line).map_err(|error| error.to_string())?
    else {
        return Err("the line must be one JSON object".to_owned());
    };
    if let Some((key, _)) = repeated_key(line.as_bytes()) {
        return Err(format!("the key {key} occurs twice; give each key once"));
    }
    let id = match either(&fields, ["id", "problem"])? {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return Err("the id must be a text or a number".to_owned()),
    };
    let Value::String(text) = either(&fields, ["text", "question"])? else {
        return Err("the text must be a text".to_owned());
    };
    let value = at_least_0(&fields, "value")?.unwrap_or(1.0);
    let mut question = Question::new(id, text.clone(), checker(&fields)?);
    question.value = value;
    question.recorded = match (fields.get("output_tokens"), fields.get("solved")) {
        (None, None) => None,
        (Some(tokens), Some(Value::Bool(solved))) => {
            let tokens = tokens.as_u64().ok_or("output_tokens must be a whole number")?;
            Some(Attempted { output_tokens: tokens, solved: *solved })
        }
        _ => return Err("output_tokens and solved (true or false) belong together".to_owned()),
    };
    Ok(question)
}

fn either<'a>(fields: &'a Map<String, Value>, names: [&str; 2]) -> Result<&'a Value, String> {
    let found = names.iter().find_map(|name| fields.get(*name));
    found.ok_or_else(|| format!("{:?} or {:?} is missing", names[0], names[1]))
}

fn at_least_0(fields: &Map<String, Value>, name: &str) -> Result<Option<f64>, String> {
    let Some(value) = fields.get(name) else { return Ok(None) };
    let number = value.as_f64().filter(|value| *value >= 0.0 && value.is_finite());
    number.map(Some).ok_or_else(|| format!("{name} is {value}; it must be a number of at least 0"))
}

fn checker(fields: &Map<String, Value>) -> Result<Checker, String> {
    let is_outside = fields.get("checker").is_some_and(|checker| checker == "outside");
    let Some(answer) = fields.get("answer").filter(|_| !is_outside) else {
        let is_judged = is_outside || fields.contains_key("solved");
        return is_judged
            .then_some(Checker::Outside)
            .ok_or_else(|| "\"answer\" is missing".to_owned());
    };
    if let Some(options) = fields.get("options") {
        return choice(options, answer);
    }
    match answer {
        Value::Null => Ok(Checker::Unsolvable { options: Vec::new() }),
        Value::Bool(answer) => Ok(Checker::YesNo { answer: *answer }),
        Value::Number(number) => {
            let answer = number.as_f64().filter(|number| number.is_finite());
            let answer = answer.ok_or_else(|| format!("the answer {number} is out of range"))?;
            let tolerance = at_least_0(fields, "tolerance")?.unwrap_or(0.0);
            Ok(Checker::Numeric { answer, tolerance })
        }
        Value::String(answer) if !answer.trim().is_empty() => {
            Ok(Checker::Exact { answer: answer.clone() })
        }
        _ => Err("the answer must be a text, a number, true or false".to_owned()),
    }
}

fn choice(options: &Value, answer: &Value) -> Result<Checker, String> {
    let texts = |options: &Vec<Value>| {
        options.iter().map(|option| option.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    let options = options.as_array().and_then(texts).ok_or("options must be a list of texts")?;
    if !(2..=MAX_OPTIONS).contains(&options.len()) {
        return Err(format!("there are {} options; there must be 2 to 26", options.len()));
    }
    let found = match answer {
        Value::Null => return Ok(Checker::Unsolvable { options }),
        Value::Number(place) => place.as_u64().and_then(|place| usize::try_from(place).ok()),
        Value::String(text) => options.iter().position(|option| option == text).or_else(|| {
            let is_letter = |place: &usize| text.trim() == letter(*place).to_string();
            (0..options.len()).find(is_letter)
        }),
        _ => None,
    };
    match found.filter(|place| *place < options.len()) {
        Some(answer) => Ok(Checker::Choice { options, answer }),
        None => Err(format!("the answer {answer} is none of the options")),
    }
}
