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

/// Looks up the reason of a word in the table of `spellings.md`.
///
/// Only letters and digits count, in either case. The name of an enum before a dot is dropped, and so
/// is the module path of an exception; a bare timeout with a module path is not a budget, because it
/// may be that of one call. In `submitted (exit_cost)` only the text in brackets counts.
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

/// Looks up a word of lower-case letters that is in the table, or that names a limit of the table and
/// says that it was reached (`max_steps_reached`, `time_limit_exceeded`, `MaxStepsError`).
fn plain(word: &str) -> Option<StopReason> {
    let listed = |word: &str| {
        let found = SPELLINGS.iter().find(|(_, spellings)| spellings.contains(&word));
        found.map(|(reason, _)| reason.clone())
    };
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

/// Lower case without separators, so that `max_steps`, `MaxSteps` and `max-steps` are one word.
const SPELLINGS: [(StopReason, &[&str]); 10] = [
    (
        StopReason::Completed,
        &[
            "completed",
            "complete",
            "stop",
            "endturn",
            "stopsequence",
            "agentstop",
            "agentfinish",
            "submitted",
            "submit",
            "finished",
            "success",
            "eos",
            "eostoken",
            "refusal",
        ],
    ),
    (
        StopReason::MaxSteps,
        &[
            "maxsteps",
            "maxstep",
            "step",
            "steplimit",
            "maxturns",
            "turn",
            "turnlimit",
            "maxturnsexceeded",
            "errormaxturns",
            "message",
            "messagelimit",
            "maxmessages",
            "maxiterations",
            "iterationlimit",
            "recursionlimit",
            "graphrecursionerror",
            "maxactions",
            "limitsexceeded",
            "maxtoolcalls",
            "toolcalllimit",
            "maxcalls",
            "agentmaxstepserror",
        ],
    ),
    (
        StopReason::MaxTokens,
        &[
            "maxtokens",
            "token",
            "tokenlimit",
            "tokens",
            "length",
            "lengthlimit",
            "maxoutputtokens",
            "maxlength",
            "modellength",
            "outputlengthexceeded",
            "outputlengthexceedederror",
            "context",
            "contextlimit",
            "contextlengthexceeded",
            "contextwindowexceeded",
            "contextwindowexceedederror",
            "modelcontextwindowexceeded",
            "exitcontext",
        ],
    ),
    (
        StopReason::MaxTime,
        &[
            "maxtime",
            "time",
            "timelimit",
            "timeout",
            "timedout",
            "working",
            "workinglimit",
            "timeouterror",
            "agenttimeouterror",
            "agenttimeout",
            "deadlineexceeded",
            "walltime",
            "exittotalexecutiontime",
        ],
    ),
    (
        StopReason::MaxCost,
        &[
            "maxcost",
            "cost",
            "costlimit",
            "maxbudget",
            "maxbudgetusd",
            "errormaxbudgetusd",
            "exitcost",
            "budgetexceeded",
            "budgetexceedederror",
        ],
    ),
    (
        StopReason::ParseError,
        &[
            "parseerror",
            "agenterror",
            "formaterror",
            "exitformat",
            "malformedfunctioncall",
            "malformedoutput",
            "invalidoutput",
            "outputparsingerror",
        ],
    ),
    (StopReason::ToolError, &["toolerror", "toomanyerrors", "toolfailure", "toolexception"]),
    (
        StopReason::EnvironmentEnd,
        &[
            "environmentend",
            "environmenterror",
            "infrastructureerror",
            "unexpectederror",
            "usererror",
            "sandboxerror",
            "providererror",
            "errorduringexecution",
            "exiterror",
            "contentfilter",
            "safety",
            "recitation",
            "contentfiltered",
            "guardrailintervened",
        ],
    ),
    (
        StopReason::UserStop,
        &[
            "userstop",
            "operator",
            "operatorlimit",
            "cancelled",
            "canceled",
            "interrupted",
            "keyboardinterrupt",
            "usercancelled",
            "usercanceled",
            "aborted",
        ],
    ),
    (StopReason::Unjudged, &["unjudged", "notjudged", "unscored", "ungraded"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the documented table: the name of a reason, and its spellings.
    fn documented() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
        include_str!("spellings.md").lines().skip(2).map(|row| {
            let mut cells = row.split('|').skip(1);
            let mut words = || {
                let words = cells.next().unwrap_or_default().split('`').skip(1).step_by(2);
                words.collect::<Vec<_>>()
            };
            let name = words();
            (name[0], words())
        })
    }

    #[test]
    fn the_documented_table_is_the_one_that_is_read() {
        let mut seen = std::collections::BTreeSet::new();
        for ((name, words), (reason, spellings)) in documented().zip(&SPELLINGS) {
            assert_eq!(name, reason.name());
            let plain = |word: &str| word.replace('_', "");
            let expected: Vec<String> =
                [name].into_iter().chain(words.clone()).map(plain).collect();
            assert_eq!(expected, *spellings);
            for word in words.into_iter().chain([name]) {
                assert!(seen.insert(plain(word)), "{word} stands twice");
                assert_eq!(known(word).as_ref(), Some(reason), "{word}");
                assert_eq!(known(&word.to_uppercase().replace('_', "-")).as_ref(), Some(reason));
            }
        }
        assert_eq!(documented().count(), SPELLINGS.len());
    }
}
