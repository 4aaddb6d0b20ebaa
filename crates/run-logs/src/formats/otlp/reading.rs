use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    format::ReadLimits,
    values::run::Arguments,
};

/// Reads the JSON in texts, within the limits of the run.
pub(crate) struct Reading {
    pub(crate) limits: ReadLimits,
    /// The number of bytes that the run holds.
    pub(crate) held: usize,
}

impl Reading {
    /// Reads a text that may be JSON of a form: `None` if it is not, for example because an exporter has cut it off.
    pub(crate) fn json<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Json<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut json = Json::new(text.as_bytes(), self.limits);
        json.replaces_halves = true;
        json.continue_run(None, self.held);
        let read = read(&mut json).and_then(|read| json.end().map(|()| read));
        self.held = json.into_run().1;
        match read {
            Ok(read) => Ok(Some(read)),
            Err(Error::Invalid { place, problem: problem @ Problem::TooLarge { .. } }) => {
                Err(Error::Invalid { place, problem })
            }
            Err(_) => Ok(None),
        }
    }

    /// Returns the value that a text holds as JSON, and any other value as it is.
    pub(crate) fn value(&mut self, value: &Value) -> Result<Value, Error> {
        let Value::Text(text) = value else { return Ok(value.clone()) };
        Ok(self.json(text, |json| json.value())?.unwrap_or_else(|| value.clone()))
    }

    /// Returns the arguments of a call, which may be JSON in a text. Claude Code cuts their texts between the halves of a letter.
    pub(crate) fn arguments(&mut self, value: &Value) -> Arguments {
        let Value::Text(text) = value else { return Arguments::Parsed(value.clone()) };
        let arguments = Arguments::from_text(text.clone(), self.limits);
        if matches!(arguments, Arguments::Unparsed { .. })
            && text.contains("\\ud")
            && let Ok(Some(map @ Value::Map(_))) = self.json(text, |json| json.value())
        {
            return Arguments::Parsed(map);
        }
        arguments
    }
}
