use std::collections::{BTreeMap, BTreeSet};

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    values::run::Arguments,
};

/// Long texts of a sample, referred to by hash, or by position in a sample in chunks.
#[derive(Default)]
pub(crate) struct Attachments {
    texts: BTreeMap<String, String>,
    /// The hashes that the events refer to.
    wanted: BTreeSet<String>,
    /// Whether all events have been read, so that only wanted texts are kept.
    complete: bool,
}

/// Returns the hash in a reference. Old logs write `tc://`.
fn hash(text: &str) -> Option<&str> {
    text.strip_prefix("attachment://").or_else(|| text.strip_prefix("tc://"))
}

impl Attachments {
    /// Notes that a text may be a reference.
    pub(crate) fn want(&mut self, text: &str) {
        if let Some(hash) = hash(text) {
            self.wanted.insert(hash.to_owned());
        }
    }

    /// Notes every text in a value that may be a reference.
    pub(crate) fn want_in(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.want(text),
            Value::List(values) => values.iter().for_each(|value| self.want_in(value)),
            Value::Map(values) => values.values().for_each(|value| self.want_in(value)),
            _ => {}
        }
    }

    /// From here on, only wanted texts are kept.
    pub(crate) fn complete(&mut self) {
        self.complete = true;
    }

    /// Reads `attachments`.
    pub(crate) fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.map(|json, key| self.read_text(json, key))
    }

    /// Reads one text.
    pub(crate) fn read_text(&mut self, json: &mut Json<'_>, key: String) -> Result<(), Error> {
        if self.complete && !self.wanted.contains(&key) {
            return json.skip();
        }
        let text = json.text()?;
        match self.texts.insert(key, text) {
            None => Ok(()),
            Some(_) => {
                let key = "an attachment".to_owned();
                Err(json.error(Problem::DuplicateKey { key }))
            }
        }
    }

    /// Replaces a reference by its text, which the run then holds once more. A reference to a missing text stays unchanged, as in
    /// inspect_ai.
    pub(crate) fn resolve(&self, json: &mut Json<'_>, text: &mut String) -> Result<(), Error> {
        if let Some(long) = hash(text).and_then(|hash| self.texts.get(hash)) {
            json.hold(long.len())?;
            text.clone_from(long);
        }
        Ok(())
    }

    /// Replaces the references among several texts.
    pub(crate) fn resolve_all<'t>(
        &self,
        json: &mut Json<'_>,
        texts: impl IntoIterator<Item = &'t mut String>,
    ) -> Result<(), Error> {
        texts.into_iter().try_for_each(|text| self.resolve(json, text))
    }

    /// Replaces the references in a value.
    fn resolve_in(&self, json: &mut Json<'_>, value: &mut Value) -> Result<(), Error> {
        match value {
            Value::Text(text) => self.resolve(json, text),
            Value::List(values) => {
                values.iter_mut().try_for_each(|value| self.resolve_in(json, value))
            }
            Value::Map(values) => {
                values.values_mut().try_for_each(|value| self.resolve_in(json, value))
            }
            _ => Ok(()),
        }
    }

    /// Replaces the references in the arguments of a call.
    pub(crate) fn resolve_arguments(
        &self,
        json: &mut Json<'_>,
        arguments: &mut Arguments,
    ) -> Result<(), Error> {
        match arguments {
            Arguments::Parsed(value) => self.resolve_in(json, value),
            Arguments::Unparsed { .. } => Ok(()),
        }
    }
}
