use censoring::StopReason;
use memchr::memchr_iter;
use serde::{Deserialize, Deserializer};

use crate::json_lines::{
    fields::{Given, name, optional_name},
    parsing::{AnyNumber, is_object, parse_line, replace_bare},
};

/// One line.
#[derive(Deserialize)]
pub(crate) struct Line<F = Option<f64>> {
    #[serde(deserialize_with = "name")]
    pub(crate) id: String,
    #[serde(default, deserialize_with = "optional_name")]
    pub(crate) task: Option<String>,
    pub(crate) forecasts: Vec<F>,
    // The named deserializer makes a missing outcome an error, unlike a null outcome.
    #[serde(deserialize_with = "nullable")]
    pub(crate) outcome: Option<Given>,
    /// The grade of a run that succeeded in part.
    pub(crate) grade: Option<f64>,
    pub(crate) stop: Option<StopReason>,
    pub(crate) horizon: Option<usize>,
    pub(crate) success_chance: Option<f64>,
}

fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Given>, D::Error> {
    Option::deserialize(deserializer)
}

/// The fields of a line.
pub(crate) const FIELDS: [&str; 9] =
    ["id", "task", "model", "forecasts", "outcome", "grade", "stop", "horizon", "success_chance"];

impl Line {
    /// Returns whether the line has no keys except the keys of the parsed values.
    pub(crate) fn is_all_of(&self, line: &[u8]) -> bool {
        let Self { task, grade, stop, horizon, success_chance, .. } = self;
        let optional = [task.is_some(), grade.is_some(), stop.is_some(), horizon.is_some()];
        let given = optional.into_iter().chain([success_chance.is_some()]);
        let keys = 3 + given.filter(|&is_given| is_given).count();
        // Every key is followed by a colon.
        memchr_iter(b':', line).count() <= keys && is_object(line)
    }
}

impl From<Line<AnyNumber>> for Line {
    fn from(line: Line<AnyNumber>) -> Self {
        let Line { id, task, forecasts, outcome, grade, stop, horizon, success_chance } = line;
        let forecasts = forecasts.iter().map(AnyNumber::get).collect();
        Self { id, task, forecasts, outcome, grade, stop, horizon, success_chance }
    }
}

/// Reads a line in which numbers may be NaN or infinite.
pub(crate) fn parse_bare(file: &str, number: usize, line: &[u8]) -> Option<Line> {
    let text = str::from_utf8(line).ok()?;
    // With zeros instead of these numbers the line has no other fault; in particular, no forecast is a list.
    let zeros = replace_bare(text, |_| "0".to_owned());
    parse_line::<Line>(file, number, zeros.as_bytes()).ok()?;
    let lists = replace_bare(text, |bare| format!(r#"["{bare}"]"#));
    serde_json::from_str::<Line<AnyNumber>>(&lists).map(Line::from).ok()
}
