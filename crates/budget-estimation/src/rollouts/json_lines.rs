use std::io::{BufRead, Write};

use serde_json::{Map, Number, Value, json};
use trajectory_metrics::distinct_keys::repeated_key;

use crate::{
    checks::MOST,
    error::Error,
    rollouts::{rollout::Rollout, storage::Rollouts},
};

/// The field of opaque contents.
const CONTENT: &str = "content";

/// The field of features that are known before the first turn.
const START: &str = "start";

/// Whole numbers below 2^53 are written without a fraction.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Rollouts {
    /// Reads JSON Lines with one rollout per line:
    /// `{"id"?, "task"?, "content"?, "turns": [{resource: cost or null, "content"?}], "success",
    /// "cut_off"?, "caps"?: {resource: cap}}`.
    ///
    /// `success` is true, false, 1 or 0. `cut_off` is true or false; see
    /// [`Rollouts::set_censored`]. `id` and `task` are strings or whole numbers. Other fields are
    /// ignored, and so are resources that are not named in `resources`. `content` is a string, before the
    /// first turn or of a turn (see [`Rollouts::set_content`]); with a resource of that name it is not read. A cost that is null or
    /// missing is unknown. No object may repeat a key, not even in ignored fields. Blank lines and a
    /// byte-order mark before the first line are skipped.
    ///
    /// # Errors
    ///
    /// [`Error::Line`] with the line and the field for anything else; the errors of
    /// [`Rollouts::new`] for the names of the resources.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let text = r#"{"turns": [{"output_tokens": 50, "cost_usd": null}], "success": 1}"#;
    /// let rollouts = Rollouts::read_json_lines(text.as_bytes(), ["output_tokens", "cost_usd"])?;
    /// assert!(rollouts.get(0)?.knows(rollouts.resource("output_tokens")?));
    /// assert!(!rollouts.get(0)?.knows(rollouts.resource("cost_usd")?));
    ///
    /// let text = r#"{"turns": [{"output_tokens": "many"}], "success": 1}"#;
    /// let error = Rollouts::read_json_lines(text.as_bytes(), ["output_tokens"]).unwrap_err();
    /// assert!(error.to_string().starts_with("line 1: turns[0].output_tokens"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read_json_lines<N: Into<String>>(
        reader: impl BufRead,
        resources: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        let mut rollouts = Self::new(resources)?;
        rollouts.append_json_lines(reader)?;
        Ok(rollouts)
    }

    /// Appends the rollouts of JSON Lines, with the declared resources, keys and features.
    ///
    /// The format is that of [`Rollouts::read_json_lines`]. Each declared key is a field of the line, a
    /// string or a whole number. Each declared feature is a field of a turn, a number; those that are
    /// known before the first turn are in the object `start` of the line. Keys and features that are
    /// null or missing are not known.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::read_json_lines`]. The lines before the wrong one are appended.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let text = r#"{"model": "small", "turns": [{"tokens": 50, "errors": 2}], "success": 1}"#;
    /// let rollouts = Rollouts::new(["tokens"])?.with_keys(["model"])?;
    /// let mut rollouts = rollouts.with_features(["errors"])?;
    /// rollouts.append_json_lines(text.as_bytes())?;
    /// let rollout = rollouts.get(0)?;
    /// assert_eq!((rollout.key("model"), rollout.feature(1, "errors")), (Some("small"), Some(2.0)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn append_json_lines(&mut self, reader: impl BufRead) -> Result<(), Error> {
        let mut costs = Vec::new();
        for (line, text) in (1..).zip(reader.lines()) {
            let wrong = |(field, problem)| Error::Line { line, field, problem };
            let text = text.map_err(|error| wrong((String::new(), error.to_string())))?;
            // Some editors write a byte-order mark before the first line.
            let text = match text.strip_prefix('\u{feff}') {
                Some(rest) if line == 1 => rest,
                _ => text.as_str(),
            };
            if !text.trim().is_empty() {
                self.read_line(text, &mut costs).map_err(wrong)?;
            }
        }
        Ok(())
    }

    fn read_line(&mut self, text: &str, costs: &mut Vec<Option<f64>>) -> Result<(), Wrong> {
        let whole = |problem: String| (String::new(), problem);
        let value: Value = serde_json::from_str(text).map_err(|error| whole(in_line(&error)))?;
        if let Some((field, _)) = repeated_key(text.as_bytes()) {
            return Err((field, "is given more than once; give it once".into()));
        }
        let line = value.as_object().ok_or_else(|| whole("give one object per line".into()))?;
        let id = name(line, "id")?;
        let keys = self.keys.iter().map(|key| Ok((key.name.clone(), name(line, &key.name)?)));
        let keys = keys.collect::<Result<Vec<_>, Wrong>>()?;
        let succeeded = match line.get("success") {
            Some(Value::Bool(success)) => *success,
            Some(Value::Number(number)) if number.as_f64() == Some(1.0) => true,
            Some(Value::Number(number)) if number.as_f64() == Some(0.0) => false,
            _ => return Err(("success".into(), "give true, false, 1 or 0".into())),
        };
        let was_cut_off = match line.get("cut_off") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(was)) => *was,
            Some(_) => return Err(("cut_off".into(), "give true or false".into())),
        };
        if was_cut_off && succeeded {
            return Err((
                "cut_off".into(),
                "is true for a run that succeeded; give false or leave it out".into(),
            ));
        }
        let turns = line.get("turns").and_then(Value::as_array);
        let turns = turns.ok_or_else(|| ("turns".into(), "give a list of turns".into()))?;
        costs.clear();
        for (at, turn) in turns.iter().enumerate() {
            let none = || (format!("turns[{at}]"), "give an object".into());
            let turn = turn.as_object().ok_or_else(none)?;
            for column in &self.columns {
                costs.push(match turn.get(&column.name) {
                    None | Some(Value::Null) => None,
                    Some(value) => Some(value.as_f64().ok_or_else(|| {
                        (format!("turns[{at}].{}", column.name), "give a number or null".into())
                    })?),
                });
            }
        }
        let mut contents = Vec::new();
        if self.columns.iter().all(|column| column.name != CONTENT) {
            let objects = std::iter::once(Some(line)).chain(turns.iter().map(Value::as_object));
            for (turn, object) in objects.enumerate() {
                match object.and_then(|object| object.get(CONTENT)) {
                    None | Some(Value::Null) => {}
                    Some(Value::String(text)) => contents.push((turn, text.clone())),
                    Some(_) => {
                        let place = turn.checked_sub(1).map(|at| format!("turns[{at}]."));
                        let field = place.unwrap_or_default() + CONTENT;
                        return Err((field, "give a string".into()));
                    }
                }
            }
        }
        let features = self.read_features(line, turns)?;
        let mut caps = Vec::new();
        match line.get("caps") {
            None | Some(Value::Null) => {}
            Some(Value::Object(given)) => {
                for (resource, cap) in given {
                    let field = || format!("caps.{resource}");
                    let handle = self.resource(resource);
                    // A cap on a resource that is not read could not be enforced.
                    let handle = handle.map_err(|error| (field(), error.to_string()))?;
                    let cap = cap.as_f64().ok_or_else(|| (field(), "give a number".into()))?;
                    caps.push((handle, cap, field()));
                }
            }
            Some(_) => return Err(("caps".into(), "give an object".into())),
        }
        for (handle, cap, field) in &caps {
            self.check_cap(*handle, *cap).map_err(|error| (field.clone(), error.to_string()))?;
        }
        let rollout = self.push_partly_known(costs, succeeded).map_err(|error| match error {
            Error::Cost { turn, resource, value, .. } => (
                format!("turns[{}].{resource}", turn - 1),
                format!("is {value}; give a number from 0 to 1e100"),
            ),
            other => ("turns".to_owned(), other.to_string()),
        })?;
        let set = (|| {
            if let Some(id) = id {
                self.set_id(rollout, id)?;
            }
            for (name, value) in keys {
                if let Some(value) = value {
                    self.set_key(rollout, &name, value)?;
                }
            }
            for (turn, name, value) in features {
                self.set_feature(rollout, turn, &name, value)?;
            }
            if was_cut_off {
                self.set_censored(rollout)?;
            }
            for (turn, content) in contents {
                self.set_content(rollout, turn, content)?;
            }
            caps.iter().try_for_each(|(handle, cap, _)| self.set_cap_of(rollout, *handle, *cap))
        })();
        set.map_err(|error: Error| whole(error.to_string()))
    }

    /// The turn, name and value of each known feature.
    fn read_features(
        &self,
        line: &Map<String, Value>,
        turns: &[Value],
    ) -> Result<Vec<(usize, String, f64)>, Wrong> {
        let start = match line.get(START) {
            None | Some(Value::Null) => None,
            Some(Value::Object(start)) => Some(start),
            Some(_) if self.features.is_empty() => None,
            Some(_) => return Err((START.into(), "give an object".into())),
        };
        let mut features = Vec::new();
        let objects = std::iter::once(start).chain(turns.iter().map(Value::as_object));
        for (turn, object) in objects.enumerate() {
            for name in self.features.iter().map(|feature| &feature.name) {
                match object.and_then(|object| object.get(name)) {
                    None | Some(Value::Null) => {}
                    Some(value) => {
                        let known = value.as_f64().filter(|value| value.abs() <= MOST);
                        let wrong = || {
                            let place = turn.checked_sub(1).map(|at| format!("turns[{at}]"));
                            let place = place.unwrap_or_else(|| START.to_owned());
                            let problem = "give a number from -1e100 to 1e100, or null";
                            (format!("{place}.{name}"), problem.into())
                        };
                        features.push((turn, name.clone(), known.ok_or_else(wrong)?));
                    }
                }
            }
        }
        Ok(features)
    }

    /// Writes JSON Lines that [`Rollouts::append_json_lines`] reads back, to the last bit, if the same
    /// keys and features are declared.
    ///
    /// # Errors
    ///
    /// [`Error::Line`] with the line that could not be written.
    pub fn write_json_lines(&self, mut writer: impl Write) -> Result<(), Error> {
        for rollout in self.iter() {
            let mut line = Map::new();
            let texts = [("id", rollout.id()), (CONTENT, rollout.content(0))];
            let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
            for (name, text) in texts.chain(rollout.keys()) {
                line.insert(name.into(), text.into());
            }
            let start = self.written_features(&rollout, 0);
            if !start.is_empty() {
                line.insert(START.into(), start.into());
            }
            let turn = |at: usize| -> Value {
                let cost = |column: &crate::rollouts::column::Column| {
                    let cost = column.costs.get(at).copied().unwrap_or(f64::NAN);
                    (column.name.clone(), number(cost))
                };
                let mut turn: Map<String, Value> = self.columns.iter().map(cost).collect();
                turn.append(&mut self.written_features(&rollout, 1 + at - rollout.start));
                if let Some(content) = rollout.content(1 + at - rollout.start) {
                    turn.entry(CONTENT).or_insert_with(|| content.into());
                }
                Value::Object(turn)
            };
            line.insert("turns".into(), (rollout.start..rollout.end).map(turn).collect());
            line.insert("success".into(), rollout.succeeded().into());
            if rollout.is_censored() {
                line.insert("cut_off".into(), true.into());
            }
            let cap = |column: &crate::rollouts::column::Column| {
                column.cap(rollout.index).map(|cap| (column.name.clone(), number(cap)))
            };
            let caps: Map<String, Value> = self.columns.iter().filter_map(cap).collect();
            if !caps.is_empty() {
                line.insert("caps".into(), caps.into());
            }
            writeln!(writer, "{}", json!(line)).map_err(|error| Error::Line {
                line: rollout.index + 1,
                field: String::new(),
                problem: error.to_string(),
            })?;
        }
        Ok(())
    }

    fn written_features(&self, rollout: &Rollout<'_>, turn: usize) -> Map<String, Value> {
        let names = self.features.iter().map(|feature| &feature.name);
        let known = |name: &String| Some((name.clone(), number(rollout.feature(turn, name)?)));
        names.filter_map(known).collect()
    }
}

/// The message of a JSON error without its line number, which is always 1 within one line.
fn in_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place)
        .map_or_else(|| text.clone(), |what| format!("{what} at column {}", error.column()))
}

/// The field and what is wrong with it.
type Wrong = (String, String);

/// The JSON form of a cost: whole numbers have no fraction, and an unknown cost is null.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..WHOLE).contains(&value) {
        (value as u64).into()
    } else {
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}

fn name(line: &Map<String, Value>, field: &str) -> Result<Option<String>, Wrong> {
    match line.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {
            Ok(Some(number.to_string()))
        }
        Some(_) => Err((field.into(), "give a string or a whole number".into())),
    }
}
