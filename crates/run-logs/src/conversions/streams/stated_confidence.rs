use std::{borrow::Cow, sync::LazyLock};

use regex_lite::Regex;
use scoring_rules::Probability;
use trajectory_metrics::tool_calls::Value;

use crate::{
    conversions::streams::missing_value::MissingValue,
    error::Error,
    format::ReadLimits,
    values::{
        confidence_scale::ConfidenceScale,
        run::{Arguments, Reply},
    },
};

/// How far a stated confidence may deviate from the requested form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfidenceReading {
    /// One element `<confidence>…</confidence>`, or one JSON object as the whole reply with a field `confidence`, or a
    /// separate line `Confidence: 85%` or `confidence = 0.85`, in any letter case and with or without Markdown's
    /// asterisks, or an argument `confidence` of a tool call. The value is a decimal number from 0 to 1 or a percentage
    /// with a % sign, and nothing else. An element that is not closed does not count.
    #[default]
    Strict,
    /// The last element counts, in any letter case and even if it is not closed; a field may be in an object anywhere
    /// in the text; and words may surround the number in the first 256 characters of the value. The number may have a
    /// decimal comma, be a percentage with a % sign or the word, or a fraction such as `8/10`. Several different
    /// numbers are refused, and a number next to a letter, such as `0.8x`, does not count.
    Lenient,
}

/// The field in which a model states its confidence.
///
/// The search goes first to the element `<name>` of the text, then to the field `name` of JSON in the text, then to a line
/// `name: value` or `name = value`, then to the argument `name` of the last tool call that has it. Text between `<think>` and
/// `</think>` is ignored.
///
/// ```
/// use run_logs::{ConfidenceField, ConfidenceReading, MissingValue, Reply};
///
/// let reply = |text: &str| Reply { text: text.to_owned(), ..Reply::default() };
/// let strict = ConfidenceField::new("confidence", ConfidenceReading::Strict);
/// let lenient = ConfidenceField::new("confidence", ConfidenceReading::Lenient);
///
/// let plain = reply("I am sure. <confidence>85%</confidence>");
/// assert_eq!(strict.value(&plain)?.get(), 0.85);
/// let cut_off = reply("I am sure. <Confidence> about 0.9");
/// assert_eq!(strict.value(&cut_off), Err(MissingValue::NoConfidence));
/// assert_eq!(lenient.value(&cut_off)?.get(), 0.9);
/// let object = reply(r#"{"answer": "Paris", "confidence": 0.7}"#);
/// assert_eq!(strict.value(&object)?.get(), 0.7);
/// let line = reply("Answer: Paris\nConfidence: 85%");
/// assert_eq!(strict.value(&line)?.get(), 0.85);
/// // Neither reading guesses that 85 is a percentage.
/// let bare = reply("<confidence>85</confidence>");
/// let refused = Err(MissingValue::ConfidenceOutOfRange { value: 85.0 });
/// assert_eq!((strict.value(&bare), lenient.value(&bare)), (refused.clone(), refused));
/// # Ok::<(), MissingValue>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConfidenceField {
    name: String,
    reading: ConfidenceReading,
    pattern: Option<Regex>,
    scale: ConfidenceScale,
}

impl Default for ConfidenceField {
    fn default() -> Self {
        Self::new("confidence", ConfidenceReading::Strict)
    }
}

/// A stated number and its divisor.
type Stated = (f64, f64);

impl ConfidenceField {
    /// Creates a field with this name and this strictness of parsing.
    #[must_use]
    pub fn new(name: impl Into<String>, reading: ConfidenceReading) -> Self {
        Self { name: name.into(), reading, pattern: None, scale: ConfidenceScale::default() }
    }

    /// The rule for reading confidences if it differs from the default, with the option.
    pub(crate) fn rule(&self) -> Option<String> {
        match (&self.pattern, self.reading) {
            (Some(pattern), _) => Some(format!(
                "confidences are the numbers that the pattern {pattern} finds (--confidence-pattern)"
            )),
            (None, ConfidenceReading::Lenient) => Some(
                "confidences are read with words around the number (--confidence lenient)"
                    .to_owned(),
            ),
            (None, ConfidenceReading::Strict) => None,
        }
    }

    /// Sets a regular expression that finds the confidence in a reply, instead of the name of the field. The confidence
    /// is its first group, or the whole match without a group. The crate regex-lite defines the syntax; `(?i)` ignores
    /// letter case, and `(?m)` lets `^` and `$` match at lines.
    ///
    /// # Errors
    ///
    /// [`Error::Pattern`] if the text is not a regular expression.
    ///
    /// ```
    /// use run_logs::{ConfidenceField, Reply};
    ///
    /// let field = ConfidenceField::default().with_pattern(r"(?i)i am (\d+%) sure")?;
    /// let reply = Reply { text: "Paris. I am 85% sure.".to_owned(), ..Reply::default() };
    /// assert_eq!(field.value(&reply).unwrap().get(), 0.85);
    /// assert!(ConfidenceField::default().with_pattern("(").is_err());
    /// # Ok::<(), run_logs::Error>(())
    /// ```
    pub fn with_pattern(mut self, pattern: &str) -> Result<Self, Error> {
        let compiled = Regex::new(pattern).map_err(|error| Error::Pattern {
            pattern: pattern.to_owned(),
            reason: error.to_string(),
        })?;
        self.pattern = Some(compiled);
        Ok(self)
    }

    /// Reads numbers without a percent sign on this scale.
    pub(crate) const fn with_scale(mut self, scale: ConfidenceScale) -> Self {
        self.scale = scale;
        self
    }

    /// Returns the confidence that a reply states.
    ///
    /// # Errors
    ///
    /// [`MissingValue::NoConfidence`] if there is no such field. [`MissingValue::UnreadableConfidence`] if the field contains no
    /// number, if there are several elements, lines or different matches of a pattern, and for anything else that the reading
    /// refuses. [`MissingValue::ConfidenceOutOfRange`] for a number outside [0, 1].
    ///
    /// # Reference
    ///
    /// Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty quantification, arXiv:2605.24756, appendix
    /// F: the confidence is "parsed from the structured confidence field and clipped to [0, 1]". Neither reading clips: 85 does
    /// not mean certainty.
    pub fn value(&self, reply: &Reply) -> Result<Probability, MissingValue> {
        let (number, over) = self.stated(reply)?;
        let value = if over == 1.0 { self.scale.share(number) } else { number / over };
        Probability::new(value).map_err(|_| MissingValue::ConfidenceOutOfRange { value })
    }

    /// Returns the number that a reply states without a percent sign.
    pub(crate) fn bare(&self, reply: &Reply) -> Option<f64> {
        self.stated(reply).ok().filter(|(_, over)| *over == 1.0).map(|(number, _)| number)
    }

    fn stated(&self, reply: &Reply) -> Result<Stated, MissingValue> {
        let spoken = without_thoughts(&reply.text);
        let text = spoken.as_ref();
        let is_lenient = self.reading == ConfidenceReading::Lenient;
        let element = match self.reading {
            _ if self.pattern.is_some() => return self.matched(text),
            ConfidenceReading::Strict => only_element(text, &self.name)?,
            ConfidenceReading::Lenient => last_element(text, &self.name),
        };
        if let Some(element) = element {
            self.number(element)
        } else if let Some(value) = object_field(text.trim(), &self.name) {
            self.of_value(&value)
        } else if let Some(field) = field_text(text, &self.name).filter(|_| is_lenient) {
            self.number(field)
        } else if let Some(value) = only_line(text, &self.name)? {
            self.number(&value)
        } else {
            self.argument(reply)
        }
    }

    /// Returns the number that the pattern finds; several matches must state the same.
    fn matched(&self, text: &str) -> Result<Stated, MissingValue> {
        let groups = self.pattern.iter().flat_map(|pattern| pattern.captures_iter(text));
        let found = groups.filter_map(|groups| groups.get(1).or_else(|| groups.get(0)));
        let mut stated: Option<Stated> = None;
        for value in found {
            let value = self.number(value.as_str())?;
            if stated.is_some_and(|stated| stated != value) {
                return Err(unreadable("several different matches"));
            }
            stated = Some(value);
        }
        stated.ok_or(MissingValue::NoConfidence)
    }

    fn number(&self, text: &str) -> Result<Stated, MissingValue> {
        match self.reading {
            ConfidenceReading::Strict => strict(text),
            ConfidenceReading::Lenient => lenient(text),
        }
    }

    /// Returns the confidence among the arguments of the last call that has it.
    fn argument(&self, reply: &Reply) -> Result<Stated, MissingValue> {
        let arguments = reply.tool_calls.iter().rev().filter_map(|call| match &call.arguments {
            Arguments::Parsed(Value::Map(arguments)) => arguments.get(&self.name),
            _ => None,
        });
        let value = arguments.into_iter().next().ok_or(MissingValue::NoConfidence)?;
        self.of_value(value)
    }

    fn of_value(&self, value: &Value) -> Result<Stated, MissingValue> {
        match value {
            Value::Integer(value) => Ok((*value as f64, 1.0)),
            Value::Real(value) if value.is_finite() => Ok((*value, 1.0)),
            Value::Text(text) => self.number(text),
            _ => Err(unreadable("a value of another type")),
        }
    }
}

fn unreadable(text: &str) -> MissingValue {
    MissingValue::UnreadableConfidence { text: text.chars().take(40).collect() }
}

/// Returns the text without the parts between `<think>` and `</think>`. Either tag may be missing, because servers cut the text
/// between them.
fn without_thoughts(text: &str) -> Cow<'_, str> {
    let (open, close) = ("<think>", "</think>");
    if !text.contains(open) && !text.contains(close) {
        return Cow::Borrowed(text);
    }
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(close) {
        // Without an opening tag, the text begins with a thought.
        said.push_str(before.split_once(open).map_or("", |(before, _)| before));
        rest = after;
    }
    said.push_str(rest.split_once(open).map_or(rest, |(before, _)| before));
    Cow::Owned(said)
}

/// Returns the value of the only line `name: value` or `name = value`, with or without Markdown's asterisks.
fn only_line(text: &str, name: &str) -> Result<Option<String>, MissingValue> {
    let mut values = text.lines().filter_map(|line| {
        let line = line.replace('*', "");
        let (key, value) = line.split_once([':', '='])?;
        let is_named = key.trim().eq_ignore_ascii_case(name);
        is_named.then(|| value.trim().to_owned())
    });
    match (values.next(), values.next()) {
        (Some(_), Some(_)) => Err(unreadable("several lines")),
        (value, _) => Ok(value),
    }
}

/// Returns the content of the only element of a name; `None` if it is never opened and closed.
fn only_element<'a>(text: &'a str, name: &str) -> Result<Option<&'a str>, MissingValue> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut elements = text.split(&open).skip(1).filter_map(|rest| rest.split_once(&close));
    match (elements.next(), elements.next()) {
        (Some((inner, _)), None) => Ok(Some(inner)),
        (Some(_), Some(_)) => Err(unreadable("several elements")),
        (None, _) => Ok(None),
    }
}

/// Returns the text after the last opening tag, up to the next tag.
fn last_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let open = format!("<{name}>").to_ascii_lowercase();
    // ASCII letters keep their places.
    let start = text.to_ascii_lowercase().rfind(&open)? + open.len();
    text.get(start..)?.split('<').next()
}

/// Returns a field of the JSON object that the text consists of.
fn object_field(text: &str, name: &str) -> Option<Value> {
    if !text.starts_with('{') {
        return None;
    }
    match Arguments::from_text(text.to_owned(), ReadLimits::default()) {
        Arguments::Parsed(Value::Map(mut fields)) => fields.remove(name),
        _ => None,
    }
}

/// Returns the text after the last `"name":`, up to the end of the value or the line.
fn field_text<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("\"{name}\"").to_ascii_lowercase();
    let lower = text.to_ascii_lowercase();
    let mut end = lower.len();
    loop {
        let start = lower.get(..end)?.rfind(&key)?;
        let rest = text.get(start + key.len()..)?.trim_start();
        if let Some(value) = rest.strip_prefix(':') {
            let value = value.trim_start();
            return match value.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next(),
                None => value.split([',', '}', ']', '\n']).next(),
            };
        }
        end = start;
    }
}

/// Reads a decimal number, or a percentage with a % sign, and nothing else.
fn strict(text: &str) -> Result<Stated, MissingValue> {
    let text = text.trim();
    let (digits, divisor) = match text.strip_suffix('%') {
        Some(digits) => (digits.trim_end(), 100.0),
        None => (text, 1.0),
    };
    let is_number = number_length(digits) == digits.len();
    match digits.parse::<f64>() {
        Ok(value) if is_number && value.is_finite() => Ok((value, divisor)),
        _ => Err(unreadable(text)),
    }
}

/// The number of characters of a value that a lenient reading examines.
const LOOKED_AT: usize = 256;

/// Reads the only number of a text, with the percent sign or the divisor after it. Numbers with equal values, such as
/// `0.9 (90%)`, count as one.
fn lenient(text: &str) -> Result<Stated, MissingValue> {
    let wrong = || unreadable(text.trim());
    let end = text.char_indices().nth(LOOKED_AT).map_or(text.len(), |(at, _)| at);
    let text = text.get(..end).unwrap_or_default();
    let mut found: Option<Stated> = None;
    let (mut rest, mut before) = (text, ' ');
    while let Some(first) = rest.chars().next() {
        let with_point = decimal_comma(rest);
        let length = number_length(&with_point);
        let number = with_point.get(..length).filter(|number| !number.is_empty());
        let Some(number) = number else {
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            before = first;
            continue;
        };
        let mut behind = rest.get(length..).unwrap_or_default();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if is_word(before) || behind.starts_with(is_word) {
            let past = behind.find(|c: char| !is_word(c)).unwrap_or(behind.len());
            rest = behind.get(past..).unwrap_or_default();
            before = ' ';
            continue;
        }
        // A number beyond the range of f64 is infinite and out of range.
        let value: f64 = number.parse().map_err(|_| wrong())?;
        let (divisor, read) = divisor(behind).ok_or_else(wrong)?;
        behind = behind.get(read..).unwrap_or_default();
        let is_other = |&(other, over): &Stated| (other / over - value / divisor).abs() > 1e-9;
        if found.as_ref().is_some_and(is_other) {
            return Err(wrong());
        }
        found = found.or(Some((value, divisor)));
        (rest, before) = (behind, ' ');
    }
    found.ok_or_else(wrong)
}

/// Returns the divisor of a number, from the text after it, and the length of that text: a percent sign or word, or a slash and a
/// number. `None` for a slash without a positive number.
fn divisor(behind: &str) -> Option<(f64, usize)> {
    let trimmed = behind.trim_start();
    let space = behind.len() - trimmed.len();
    if trimmed.starts_with('%') {
        return Some((100.0, space + 1));
    }
    let word = trimmed.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if word.eq_ignore_ascii_case("percent") {
        return Some((100.0, space + word.len()));
    }
    let Some(digits) = trimmed.strip_prefix('/') else { return Some((1.0, 0)) };
    let digits = digits.trim_start();
    let length = number_length(digits);
    let divisor = digits.get(..length)?.parse::<f64>().ok()?;
    let read = behind.len() - digits.len() + length;
    (divisor > 0.0 && divisor.is_finite()).then_some((divisor, read))
}

/// Returns the text with a point instead of a comma between its first digits and further digits.
fn decimal_comma(text: &str) -> String {
    let start = text.find(|c: char| !matches!(c, '-' | '+' | '0'..='9')).unwrap_or(text.len());
    let (whole, rest) = text.split_at(start);
    match rest.strip_prefix(',') {
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{whole}.{digits}")
        }
        _ => text.to_owned(),
    }
}

/// A decimal number at the start of a text.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?").ok()
});

/// Returns the length of the decimal number that a text starts with; 0 if it starts with no number.
fn number_length(text: &str) -> usize {
    let found = NUMBER.as_ref().and_then(|number| number.find(text));
    found.map_or(0, |number| number.len())
}
