use crate::StopReason;

/// The reason that a word stands for in the table of `spellings.md`, if it is there.
///
/// Only letters and digits count, in either case, and only what follows the last dot.
pub(super) fn known(word: &str) -> Option<StopReason> {
    let (_, last) = word.rsplit_once('.').unwrap_or(("", word));
    let letters = || last.chars().filter(|letter| letter.is_alphanumeric());
    let same =
        |spelling: &&str| letters().map(|letter| letter.to_ascii_lowercase()).eq(spelling.chars());
    let found = SPELLINGS.iter().find(|(_, spellings)| spellings.iter().any(&same));
    found.map(|(reason, _)| reason.clone())
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
            "refusal",
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
