use std::{collections::BTreeMap, sync::LazyLock};

use crate::reasons::{
    stop_class::StopClass,
    stop_reason::{CAP_ON, StopReason},
};

impl From<String> for StopReason {
    fn from(word: String) -> Self {
        match word.strip_prefix(CAP_ON) {
            Some(resource) => Self::MaxOther { resource: resource.to_owned() },
            None => known(&word).unwrap_or(Self::Other(word)),
        }
    }
}

/// Looks up the reason of a word in the table of `stop_words.md`.
///
/// Only letters and digits count, in either case. The name of an enum before a dot is dropped, and so is the
/// module path of an exception. A bare timeout with a module path is not a budget, because a single call may
/// have timed out. In `submitted (exit_cost)` only the text in brackets counts.
fn known(word: &str) -> Option<StopReason> {
    let word =
        word.trim_end_matches(|letter: char| ".!,;:".contains(letter) || letter.is_whitespace());
    let (path, last) = word.rsplit_once('.').unwrap_or(("", word));
    let names =
        |path: &str| path.chars().all(|letter| letter.is_alphanumeric() || "._".contains(letter));
    if !path.is_empty() && names(path) && names(last) {
        let prefix = letters(path.rsplit('.').next().unwrap_or_default());
        let last = letters(last);
        let exception = last != "timeouterror"
            && ["error", "exception", "exceeded", "interrupt"]
                .iter()
                .any(|end| last.ends_with(end));
        return if ENUMS.contains(&prefix.as_str()) || exception { plain(&last) } else { None };
    }
    let whole = letters(word);
    let inner = word
        .strip_suffix(')')
        .and_then(|word| word.split_once('('))
        .and_then(|(before, inner)| (letters(before) == "submitted").then(|| letters(inner)));
    inner.map_or_else(|| plain(&whole), |inner| plain(&inner))
}

/// Names of enums, as in `FinishReason.STOP`.
const ENUMS: [&str; 6] =
    ["finishreason", "stopreason", "terminationreason", "endreason", "exitreason", "exitstatus"];

fn letters(word: &str) -> String {
    word.chars()
        .filter(|letter| letter.is_alphanumeric())
        .map(|it| it.to_ascii_lowercase())
        .collect()
}

/// Looks up a word of lower-case letters. The word is either in the table, or names a limit of the table and
/// says that it was reached (`max_steps_reached`, `time_limit_exceeded`, `MaxStepsError`).
fn plain(word: &str) -> Option<StopReason> {
    let listed = |word: &str| SPELLINGS.get(word).cloned();
    let limit = || {
        let mut limit = word.strip_suffix("error").unwrap_or(word);
        for end in ["reached", "exceeded"] {
            limit = limit.strip_suffix(end).unwrap_or(limit);
        }
        let is_limit =
            limit.len() < word.len() && (limit.starts_with("max") || limit.ends_with("limit"));
        listed(limit).filter(|reason| is_limit && reason.class() == StopClass::Censored)
    };
    listed(word).or_else(limit)
}

/// The reasons in the order of the rows of `stop_words.md`.
const NAMED: [StopReason; 10] = [
    StopReason::Completed,
    StopReason::MaxSteps,
    StopReason::MaxTokens,
    StopReason::MaxTime,
    StopReason::MaxCost,
    StopReason::ParseError,
    StopReason::ToolError,
    StopReason::EnvironmentEnd,
    StopReason::UserStop,
    StopReason::Unjudged,
];

/// The documented table. Its words are keys in lower case without separators, so that `max_steps`,
/// `MaxSteps` and `max-steps` are one word.
static SPELLINGS: LazyLock<BTreeMap<String, StopReason>> = LazyLock::new(|| {
    let rows = include_str!("stop_words.md").lines().skip(2).zip(NAMED);
    let words = rows.flat_map(|(row, reason)| {
        // The name of the reason and its spellings: the first two cells, each word in backquotes.
        let cells = row.split('|').skip(1).take(2);
        let words = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        words.map(move |word| (letters(word), reason.clone()))
    });
    words.collect()
});
