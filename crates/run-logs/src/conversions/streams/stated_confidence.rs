use scoring_rules::Probability;
use trajectory_metrics::tool_calls::Value;

use crate::{
    conversions::streams::missing_value::MissingValue,
    values::{message::Reply, read_limits::ReadLimits, recorded_call::Arguments},
};

/// How much a reply may depart from the form that was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfidenceReading {
    /// One element `<confidence>…</confidence>`, or one JSON object as the whole reply with a field
    /// `confidence`, or such an argument of a tool call. The value is a decimal number from 0 to 1
    /// or a percentage with its sign, and nothing else. An element that is not closed does not count.
    #[default]
    Strict,
    /// The last element counts, in any letter case and even if it is not closed; a field may stand
    /// in an object anywhere in the text; and in the first 256 characters of the value, the first
    /// number counts, with a decimal comma, as a percentage with its sign or word, or as a fraction
    /// such as `8/10`. A number outside [0, 1] becomes 0 or 1.
    Lenient,
}

/// The field in which a model states its confidence.
///
/// The element `<name>` of the text is looked for first, then the field `name` of JSON in the text,
/// then the argument `name` of the last tool call that has it.
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
/// # Ok::<(), MissingValue>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfidenceField {
    name: String,
    reading: ConfidenceReading,
}

impl Default for ConfidenceField {
    fn default() -> Self {
        Self::new("confidence", ConfidenceReading::Strict)
    }
}

/// A number as it is stated: the number, and what it is divided by.
type Stated = (f64, f64);

impl ConfidenceField {
    /// A field of this name, read in this way.
    #[must_use]
    pub fn new(name: impl Into<String>, reading: ConfidenceReading) -> Self {
        Self { name: name.into(), reading }
    }

    /// The confidence that a reply states.
    ///
    /// # Errors
    ///
    /// [`MissingValue::NoConfidence`] if there is no such field,
    /// [`MissingValue::UnreadableConfidence`] if it holds no number, several elements, or anything
    /// else that a strict reading refuses, and [`MissingValue::ConfidenceOutOfRange`] for a number
    /// outside [0, 1] under a strict reading.
    ///
    /// # Reference
    ///
    /// Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty quantification,
    /// arXiv:2605.24756, appendix F: the confidence is "parsed from the structured confidence field
    /// and clipped to [0, 1]". The lenient reading clips; the strict one refuses.
    pub fn value(&self, reply: &Reply) -> Result<Probability, MissingValue> {
        let text = reply.text.as_str();
        let stated = match self.reading {
            ConfidenceReading::Strict => match only_element(text, &self.name)? {
                Some(inner) => strict(inner)?,
                None => match object_field(text.trim(), &self.name) {
                    Some(value) => self.of_value(&value)?,
                    None => self.argument(reply)?,
                },
            },
            ConfidenceReading::Lenient => {
                let found = last_element(text, &self.name).or_else(|| field_text(text, &self.name));
                match found {
                    Some(inner) => lenient(inner)?,
                    None => self.argument(reply)?,
                }
            }
        };
        let value = stated.0 / stated.1;
        let value = match self.reading {
            ConfidenceReading::Lenient => value.clamp(0.0, 1.0),
            ConfidenceReading::Strict => value,
        };
        Probability::new(value).map_err(|_| MissingValue::ConfidenceOutOfRange { value })
    }

    /// The confidence among the arguments of the last call that has it.
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
            Value::Text(text) => match self.reading {
                ConfidenceReading::Strict => strict(text),
                ConfidenceReading::Lenient => lenient(text),
            },
            _ => Err(unreadable("a value of another type")),
        }
    }
}

fn unreadable(text: &str) -> MissingValue {
    MissingValue::UnreadableConfidence { text: text.chars().take(40).collect() }
}

/// The content of the only element of a name; `None` if it is never opened and closed.
fn only_element<'a>(text: &'a str, name: &str) -> Result<Option<&'a str>, MissingValue> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut elements = text.split(&open).skip(1).filter_map(|rest| rest.split_once(&close));
    match (elements.next(), elements.next()) {
        (Some((inner, _)), None) => Ok(Some(inner)),
        (Some(_), Some(_)) => Err(unreadable("several elements")),
        (None, _) => Ok(None),
    }
}

/// What follows the last opening tag, up to the next tag.
fn last_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let open = format!("<{name}>").to_ascii_lowercase();
    // ASCII letters keep their places.
    let start = text.to_ascii_lowercase().rfind(&open)? + open.len();
    text.get(start..)?.split('<').next()
}

/// A field of the JSON object that a text is.
fn object_field(text: &str, name: &str) -> Option<Value> {
    if !text.starts_with('{') {
        return None;
    }
    match Arguments::from_text(text.to_owned(), ReadLimits::default()) {
        Arguments::Parsed(Value::Map(mut fields)) => fields.remove(name),
        _ => None,
    }
}

/// What stands behind the last `"name":`, up to the end of the value or the line.
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

/// Reads a decimal number, or a percentage with its sign, and nothing else.
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

/// Characters of a value that a lenient reading looks at.
const LOOKED_AT: usize = 256;

/// Reads the first number of a text, and the percent sign or the divisor behind it.
fn lenient(text: &str) -> Result<Stated, MissingValue> {
    let wrong = || unreadable(text.trim());
    let end = text.char_indices().nth(LOOKED_AT).map_or(text.len(), |(at, _)| at);
    let text = text.get(..end).unwrap_or_default();
    let is_start = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+');
    let mut rest = text;
    let (value, behind) = loop {
        rest = rest.get(rest.find(is_start).ok_or_else(wrong)?..).unwrap_or_default();
        let with_point = decimal_comma(rest);
        let length = number_length(&with_point);
        match with_point.get(..length).and_then(|digits| digits.parse::<f64>().ok()) {
            // A number beyond the range of f64 is infinite and will be clipped.
            Some(value) => break (value, rest.get(length..).unwrap_or_default()),
            None => rest = rest.get(1..).unwrap_or_default(),
        }
    };
    let behind = behind.trim_start();
    if behind.starts_with('%') || behind.to_ascii_lowercase().starts_with("percent") {
        return Ok((value, 100.0));
    }
    let Some(divisor) = behind.strip_prefix('/') else { return Ok((value, 1.0)) };
    let divisor = divisor.trim_start();
    let divisor = divisor.get(..number_length(divisor)).unwrap_or_default().parse::<f64>();
    match divisor {
        Ok(divisor) if divisor > 0.0 && divisor.is_finite() => Ok((value, divisor)),
        _ => Err(wrong()),
    }
}

/// The text with a comma between its first digits and further ones as a point.
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

/// The length of the decimal number that a text starts with; 0 if there is none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let start = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let whole = digits(start);
    let mut end = start + whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return 0;
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}
