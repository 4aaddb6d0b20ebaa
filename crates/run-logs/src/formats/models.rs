//! Lines of several models in one file.

use std::collections::BTreeMap;

use memchr::memmem;
use serde::Deserialize;

use crate::json_lines::{fields::Name, parsing::replace_bare};

/// Returns the model that a line names; `None` for an unreadable line, too.
pub(crate) fn model_of(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Of {
        model: Option<Name>,
    }
    memmem::find(line, b"\"model\"")?;
    let line = str::from_utf8(line).ok()?;
    // A forecast may be a bare NaN or infinity, which JSON does not have.
    let bare = |_| serde_json::from_str(&replace_bare(line, |_| "0".to_owned()));
    let of: Of = serde_json::from_str(line).or_else(bare).ok()?;
    of.model.map(|Name(model)| model)
}

/// Splits the lines by model, in the order of the names, at their numbers: the lines of other models are empty. A single model is
/// not named. An unreadable line goes with the lines that name no model.
pub(crate) fn lines_by_model(bytes: &[u8]) -> Vec<(Option<String>, Vec<u8>)> {
    let mut models: BTreeMap<Option<String>, (usize, Vec<u8>)> = BTreeMap::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (ends, lines) = models.entry(model_of(line)).or_default();
        lines.resize(lines.len() + number - *ends, b'\n');
        *ends = number;
        lines.extend_from_slice(line);
    }
    if models.len() <= 1 {
        return vec![(None, bytes.to_vec())];
    }
    let named = |model: Option<String>| model.unwrap_or_else(|| "unknown model".to_owned());
    models.into_iter().map(|(model, (_, lines))| (Some(named(model)), lines)).collect()
}
