use std::collections::{BTreeMap, btree_map::Entry};

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    format::ReadLimits,
    values::run::Arguments,
};

/// The maximum number of entries in a node of a [`BTreeMap`]. Memory is counted for full nodes, although they may hold only the
/// minimum.
const NODE_MOST: usize = 11;
const NODE_MINIMUM: usize = 5;

impl Json<'_> {
    /// Returns the type of the next value, in words.
    pub(crate) fn found(&mut self) -> Result<&'static str, Error> {
        Ok(match self.token()? {
            b'{' => "an object",
            b'[' => "a list",
            b'"' => "a string",
            b't' | b'f' => "a boolean",
            b'n' => "null",
            _ => "a number",
        })
    }

    /// Returns an error that the value has another type than the expected one.
    pub(crate) fn type_error(&mut self, expected: &'static str) -> Error {
        match self.found() {
            Ok(found) => self.error(Problem::Type { expected, found }),
            Err(error) => error,
        }
    }

    /// Returns an error that the value has the right type and is not allowed.
    pub(crate) fn wrong_value(&self, value: impl ToString, expected: &'static str) -> Error {
        self.error(Problem::Value { value: value.to_string(), expected })
    }

    /// Consumes a null; returns false for any other value, which is not read.
    pub(crate) fn null(&mut self) -> Result<bool, Error> {
        if self.token()? != b'n' {
            return Ok(false);
        }
        self.scalar().map(|_| true)
    }

    /// Reads null as `None`, and anything else with `read`.
    pub(crate) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if self.null()? { Ok(None) } else { read(self).map(Some) }
    }

    pub(crate) fn text(&mut self) -> Result<String, Error> {
        if self.token()? != b'"' {
            return Err(self.type_error("a string"));
        }
        self.string_to_scratch()?;
        self.scratch_text()
    }

    /// Reads a string, or a whole number as its digits: ids are written as either.
    pub(crate) fn name(&mut self) -> Result<String, Error> {
        if self.token()? == b'"' {
            return self.text();
        }
        match self.number()? {
            Value::Integer(number) => Ok(number.to_string()),
            Value::Real(number) => Ok(number.to_string()),
            _ => Err(self.error(Problem::Type { expected: "a string", found: "another value" })),
        }
    }

    /// Reads one of a fixed set of words, which `value` knows.
    pub(crate) fn word<T>(
        &mut self,
        expected: &'static str,
        value: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let word = self.text()?;
        value(&word)
            .ok_or_else(|| self.wrong_value(word.chars().take(40).collect::<String>(), expected))
    }

    /// Reads a list of bytes and appends it to `bytes`.
    pub(crate) fn bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), Error> {
        self.list(|json| {
            let byte = json.count()?;
            let wrong = |_| json.wrong_value(byte, "a byte, from 0 to 255");
            bytes.push(u8::try_from(byte).map_err(wrong)?);
            Ok(())
        })
    }

    pub(crate) fn boolean(&mut self) -> Result<bool, Error> {
        match self.token()? {
            b't' | b'f' => {}
            _ => return Err(self.type_error("a boolean")),
        }
        match self.scalar()? {
            Value::Bool(value) => Ok(value),
            _ => Err(self.syntax("a value")),
        }
    }

    pub(crate) fn number(&mut self) -> Result<Value, Error> {
        match self.token()? {
            b'-' | b'0'..=b'9' | b'N' | b'I' => self.scalar(),
            _ => Err(self.type_error("a number")),
        }
    }

    /// Reads a number, which may be NaN or infinite.
    pub(crate) fn any_real(&mut self) -> Result<f64, Error> {
        match self.number()? {
            Value::Integer(number) => Ok(number as f64),
            Value::Real(number) => Ok(number),
            _ => Err(self.syntax("a number")),
        }
    }

    /// Reads a finite number.
    pub(crate) fn real(&mut self) -> Result<f64, Error> {
        let number = self.any_real()?;
        if number.is_finite() {
            return Ok(number);
        }
        Err(self.wrong_value(number, "a finite number"))
    }

    /// Reads a finite number of at least 0, such as a cost.
    pub(crate) fn amount(&mut self) -> Result<f64, Error> {
        let amount = self.real()?;
        if amount >= 0.0 {
            return Ok(amount);
        }
        Err(self.wrong_value(amount, "a number of at least 0"))
    }

    /// Reads an amount, and passes over a value of another type.
    pub(crate) fn amount_or_other(&mut self) -> Result<Option<f64>, Error> {
        match self.token()?.is_ascii_digit() {
            true => self.amount().map(Some),
            false => self.skip().map(|()| None),
        }
    }

    /// Reads a whole number of at least 0, which may be written as 5.0.
    pub(crate) fn count(&mut self) -> Result<u64, Error> {
        let number = self.number()?;
        let count = match number {
            Value::Integer(number) => u64::try_from(number).ok(),
            // 2^53: larger numbers have lost digits.
            Value::Real(number)
                if number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number) =>
            {
                Some(number as u64)
            }
            _ => None,
        };
        count.ok_or_else(|| {
            let value = match number {
                Value::Integer(number) => number.to_string(),
                Value::Real(number) => number.to_string(),
                _ => String::new(),
            };
            self.wrong_value(value, "a whole number of at least 0")
        })
    }

    /// Reads any value. A repeated key in an object is an error.
    pub(crate) fn value(&mut self) -> Result<Value, Error> {
        self.hold(size_of::<Value>())?;
        match self.token()? {
            b'"' => self.text().map(Value::Text),
            b'[' => {
                let mut values = Vec::new();
                self.list(|json| {
                    if values.len() == values.capacity() {
                        // A list doubles its capacity as it grows, starting with four values.
                        json.hold(values.len().max(4) * size_of::<Value>())?;
                    }
                    values.push(json.value()?);
                    Ok(())
                })?;
                Ok(Value::List(values))
            }
            b'{' => self.value_map().map(Value::Map),
            _ => self.scalar(),
        }
    }

    /// Reads an object with any keys.
    pub(crate) fn value_map(&mut self) -> Result<BTreeMap<String, Value>, Error> {
        self.entries(Self::value)
    }

    /// Reads an object with any keys, none of which may occur twice.
    pub(crate) fn entries<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<BTreeMap<String, T>, Error> {
        let mut entries = BTreeMap::new();
        self.map(|json, key| {
            if entries.len() % NODE_MINIMUM == 0 {
                json.hold(NODE_MOST * (size_of::<String>() + size_of::<T>() + size_of::<usize>()))?;
            }
            match entries.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(read(json)?);
                    Ok(())
                }
                Entry::Occupied(place) => {
                    let key: &String = place.key();
                    Err(json.error(Problem::DuplicateKey { key: key.clone() }))
                }
            }
        })?;
        Ok(entries)
    }
}

impl Arguments {
    /// Reads a model's text as arguments. Empty text and `null` are an empty object. Text that is not one JSON object is kept
    /// with its problem.
    pub(crate) fn from_text(text: String, limits: ReadLimits) -> Self {
        if text.trim_ascii().is_empty() {
            return Self::default();
        }
        match parsed(text.as_bytes(), limits) {
            Ok(Value::Null) => Self::default(),
            Ok(value @ Value::Map(_)) if is_finite(&value) => Self::Parsed(value),
            Ok(Value::Map(_)) => {
                Self::Unparsed { text, problem: "NaN and infinities are not JSON".to_owned() }
            }
            Ok(_) => Self::Unparsed { text, problem: "the text is not a JSON object".to_owned() },
            Err(error) => Self::Unparsed { text, problem: error.to_string() },
        }
    }
}

fn parsed(text: &[u8], limits: ReadLimits) -> Result<Value, Error> {
    let mut json = Json::new(text, limits);
    let value = json.value()?;
    json.end()?;
    Ok(value)
}

fn is_finite(value: &Value) -> bool {
    match value {
        Value::Real(number) => number.is_finite(),
        Value::List(values) => values.iter().all(is_finite),
        Value::Map(values) => values.values().all(is_finite),
        _ => true,
    }
}
