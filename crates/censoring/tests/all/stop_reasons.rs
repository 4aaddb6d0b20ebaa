//! Stop reasons as other tools spell them.

use std::collections::BTreeSet;

use censoring::{Exclusion, Probability, StopClass, StopReason, Stopped, TerminationAudit};

fn class(word: &str) -> StopClass {
    word.parse::<StopReason>().unwrap().class()
}

/// Each reason with words of other tools for it, separated by bars.
const SPELLED: [(StopReason, &str); 14] = [
    (StopReason::MaxTokens, "length|token_limit|context_length_exceeded|FinishReason.MAX_TOKENS"),
    (StopReason::MaxTokens, "litellm.ContextWindowExceededError|token_limit_exceeded"),
    (StopReason::MaxTokens, "submitted (exit_context)"),
    (StopReason::MaxSteps, "max_turns|MaxSteps|Step limit|error_max_turns|AgentMaxStepsError"),
    (StopReason::MaxSteps, "MaxStepsReachedError|max_steps_reached|MAX_TURNS_REACHED|max_steps."),
    (StopReason::MaxSteps, "max_iterations_exceeded|max_tool_calls|max_calls|max_steps!"),
    (StopReason::MaxSteps, "langgraph.errors.GraphRecursionError"),
    (StopReason::MaxSteps, "minisweagent.exceptions.LimitsExceeded"),
    (StopReason::MaxTime, "timeout|timeout.|AgentTimeoutError|harbor.AgentTimeoutError"),
    (StopReason::MaxTime, "time_limit_exceeded|max_time_exceeded|exit_total_execution_time"),
    (StopReason::MaxCost, "exit_cost|cost|litellm.BudgetExceededError|budget_exceeded"),
    (StopReason::MaxCost, "submitted (exit_cost)"),
    (StopReason::ParseError, "submitted (exit_format)"),
    (StopReason::EnvironmentEnd, "content_filtered|guardrail_intervened"),
];

#[test]
fn limits_are_known_in_every_form_of_their_name_and_by_the_words_of_other_tools() {
    for (reason, words) in SPELLED {
        for word in words.split('|') {
            assert_eq!(word.parse(), Ok(reason.clone()), "{word}");
        }
    }
    for word in "eos|eos_token|refusal|STOP|stop.|FinishReason.STOP|types.FinishReason.STOP|\
                 StopReason.end_turn"
        .split('|')
    {
        assert_eq!(word.parse(), Ok(StopReason::Completed), "{word}");
    }
}

#[test]
fn a_word_that_only_resembles_a_known_term_is_unknown() {
    // A sentence is no path, and a call of a tool or a model that timed out ended no run's time.
    for word in "The agent gave up. Stop|gave up.stop|litellm.Timeout|requests.exceptions.Timeout|\
                 asyncio.TimeoutError|tool.timeout|message.step|token_error|step_error|\
                 rate_limit_exceeded|stop_reached|submitted (late)|error|Rate limited|tool_calls||\
                 max|other"
        .split('|')
    {
        assert_eq!(word.parse(), Ok(StopReason::Other(word.to_owned())), "{word}");
    }
}

#[test]
fn every_limit_of_inspect_ai_and_every_end_of_tau2_has_a_class() {
    use StopClass::{Censored, Complete, Excluded};
    for (expected, words) in [
        (Censored, "context|time|working|message|token|turn|cost|max_steps|timeout"),
        (Censored, "context_window_exceeded"),
        (Excluded, "operator|custom|user_stop|unjudged|other|too_many_errors|agent_error"),
        (Excluded, "user_error|unexpected_error|infrastructure_error"),
        (Complete, "agent_stop|completed"),
    ] {
        for word in words.split('|') {
            assert_eq!(class(word), expected, "{word}");
        }
    }
}

#[test]
fn an_unknown_word_is_counted_by_its_text() {
    let forecasts = [Probability::HALF];
    let run = |outcome, word: &str| {
        Stopped::new(&forecasts, outcome, Some(word.parse().unwrap())).unwrap()
    };
    let runs = [
        run(None, "Rate limited"),
        run(None, "Rate limited"),
        run(None, "custom"),
        // The words of these runs do not exclude them.
        run(Some(true), "Rate limited"),
        run(None, "length"),
        run(None, "tool_error"),
    ];
    let audit: TerminationAudit = runs.iter().collect();
    let found: Vec<_> = audit.exclusions().into_iter().collect();
    let other = |word: &str| Exclusion::Stopped(StopReason::Other(word.to_owned()));
    let tool_error = (Exclusion::Stopped(StopReason::ToolError), 1);
    assert_eq!(found, [tool_error, (other("Rate limited"), 2), (other("custom"), 1)]);
    assert_eq!(audit.count(StopClass::Excluded), 4);
}

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

#[test]
fn every_word_goes_back_and_forth() {
    for reason in NAMED {
        assert_eq!(StopReason::from(reason.to_string()), reason);
        assert_eq!(String::from(reason.clone()), reason.name());
    }
}

#[test]
fn the_documented_table_names_each_reason_and_each_of_its_spellings_once() {
    let mut seen = BTreeSet::new();
    let rows: Vec<&str> = include_str!("../../src/reasons/stop_words.md").lines().skip(2).collect();
    assert_eq!(rows.len(), NAMED.len());
    for (row, reason) in rows.into_iter().zip(NAMED) {
        let mut cells = row.split('|').skip(1);
        let mut words = || -> Vec<&str> {
            cells.next().unwrap_or_default().split('`').skip(1).step_by(2).collect()
        };
        let (name, spellings) = (words(), words());
        assert_eq!(name, [reason.name()]);
        assert!(spellings.len() > 2, "{row}");
        for word in spellings.into_iter().chain(name) {
            assert!(seen.insert(word.replace('_', "")), "{word} stands twice");
            for spelling in [word, &word.to_uppercase().replace('_', "-")] {
                assert_eq!(spelling.parse(), Ok(reason.clone()), "{spelling}");
            }
        }
    }
}

#[test]
fn a_word_is_as_wide_as_asked_for() {
    assert_eq!(format!("{:<10}|", StopReason::MaxCost), "max_cost  |");
    assert_eq!(format!("{:<10}|", StopReason::MaxCost.class()), "censored  |");
}

#[test]
fn only_budgets_are_administrative() {
    let mut administrative = NAMED.to_vec();
    administrative.retain(|reason| reason.class() == StopClass::Censored);
    assert_eq!(administrative, NAMED[1..5]);
}

#[cfg(feature = "serde")]
#[test]
fn json_keeps_unknown_words() {
    for word in ["\"max_steps\"", "\"cap on gpu hours\"", "\"gave up\""] {
        let reason: StopReason = serde_json::from_str(word).unwrap();
        assert_eq!(serde_json::to_string(&reason).unwrap(), word);
    }
}

#[cfg(feature = "serde")]
#[test]
fn the_words_of_classes_are_those_of_json() {
    for class in [StopClass::Complete, StopClass::Censored, StopClass::Excluded] {
        assert_eq!(serde_json::to_string(&class).unwrap(), format!("\"{class}\""));
    }
}
