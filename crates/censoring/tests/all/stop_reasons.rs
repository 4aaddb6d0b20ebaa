//! Stop reasons as other tools spell them.

use std::collections::BTreeSet;

use censoring::{Exclusion, Probability, StopClass, StopReason, Stopped, TerminationAudit};

fn class(word: &str) -> StopClass {
    word.parse::<StopReason>().unwrap().class()
}

#[test]
fn budgets_are_known_by_the_words_of_other_tools() {
    for (word, reason) in [
        ("length", StopReason::MaxTokens),
        ("max_turns", StopReason::MaxSteps),
        ("MaxSteps", StopReason::MaxSteps),
        ("token_limit", StopReason::MaxTokens),
        ("timeout", StopReason::MaxTime),
        ("context_length_exceeded", StopReason::MaxTokens),
        ("litellm.ContextWindowExceededError", StopReason::MaxTokens),
        ("AgentTimeoutError", StopReason::MaxTime),
        ("FinishReason.MAX_TOKENS", StopReason::MaxTokens),
        ("Step limit", StopReason::MaxSteps),
        ("error_max_turns", StopReason::MaxSteps),
        ("exit_cost", StopReason::MaxCost),
        ("cost", StopReason::MaxCost),
    ] {
        assert_eq!(word.parse::<StopReason>().unwrap(), reason, "{word}");
        assert_eq!(class(word), StopClass::Censored, "{word}");
    }
}

#[test]
fn every_limit_of_inspect_ai_and_every_end_of_tau2_has_a_class() {
    use StopClass::{Censored, Complete, Excluded};
    for (word, expected) in [
        ("context", Censored),
        ("time", Censored),
        ("working", Censored),
        ("message", Censored),
        ("token", Censored),
        ("turn", Censored),
        ("cost", Censored),
        ("operator", Excluded),
        ("custom", Excluded),
        ("user_stop", Excluded),
        ("agent_stop", Complete),
        ("completed", Complete),
        ("unjudged", Excluded),
        ("other", Excluded),
        ("max_steps", Censored),
        ("too_many_errors", Excluded),
        ("agent_error", Excluded),
        ("user_error", Excluded),
        ("timeout", Censored),
        ("context_window_exceeded", Censored),
        ("unexpected_error", Excluded),
        ("infrastructure_error", Excluded),
    ] {
        assert_eq!(class(word), expected, "{word}");
    }
}

#[test]
fn an_unknown_word_keeps_its_text_and_is_counted_by_it() {
    for word in ["Rate limited", "tool_calls", "", "max", "other"] {
        assert_eq!(word.parse(), Ok(StopReason::Other(word.to_owned())));
    }
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
    assert_eq!(audit.excluded(), 4);
}

#[test]
fn only_the_name_of_an_enum_of_reasons_is_dropped_before_a_dot() {
    for word in
        ["STOP", "FinishReason.STOP", "types.FinishReason.STOP", "StopReason.end_turn", "stop."]
    {
        assert_eq!(word.parse(), Ok(StopReason::Completed), "{word}");
    }
    // A sentence is no path, and a call of a tool or a model that timed out ended no run's time.
    for word in [
        "The agent gave up. Stop",
        "gave up.stop",
        "litellm.Timeout",
        "requests.exceptions.Timeout",
        "asyncio.TimeoutError",
        "tool.timeout",
        "message.step",
    ] {
        assert_eq!(word.parse(), Ok(StopReason::Other(word.to_owned())), "{word}");
    }
    for (word, reason) in [
        ("litellm.ContextWindowExceededError", StopReason::MaxTokens),
        ("litellm.BudgetExceededError", StopReason::MaxCost),
        ("langgraph.errors.GraphRecursionError", StopReason::MaxSteps),
        ("minisweagent.exceptions.LimitsExceeded", StopReason::MaxSteps),
        ("harbor.AgentTimeoutError", StopReason::MaxTime),
        ("timeout.", StopReason::MaxTime),
        ("max_steps.", StopReason::MaxSteps),
        ("max_steps!", StopReason::MaxSteps),
    ] {
        assert_eq!(word.parse(), Ok(reason), "{word}");
    }
}

#[test]
fn limits_are_known_in_every_form_of_their_name() {
    use StopReason::{
        Completed, EnvironmentEnd, MaxCost, MaxSteps, MaxTime, MaxTokens, ParseError,
    };
    for (word, reason) in [
        ("eos", Completed),
        ("eos_token", Completed),
        ("refusal", Completed),
        ("AgentMaxStepsError", MaxSteps),
        ("MaxStepsReachedError", MaxSteps),
        ("max_steps_reached", MaxSteps),
        ("MAX_TURNS_REACHED", MaxSteps),
        ("max_iterations_exceeded", MaxSteps),
        ("max_tool_calls", MaxSteps),
        ("max_calls", MaxSteps),
        ("token_limit_exceeded", MaxTokens),
        ("time_limit_exceeded", MaxTime),
        ("max_time_exceeded", MaxTime),
        ("exit_total_execution_time", MaxTime),
        ("budget_exceeded", MaxCost),
        ("submitted (exit_cost)", MaxCost),
        ("submitted (exit_context)", MaxTokens),
        ("submitted (exit_format)", ParseError),
        ("content_filtered", EnvironmentEnd),
        ("guardrail_intervened", EnvironmentEnd),
    ] {
        assert_eq!(word.parse(), Ok(reason), "{word}");
    }
    // Words that only resemble a known term are unknown.
    for word in [
        "token_error",
        "step_error",
        "rate_limit_exceeded",
        "stop_reached",
        "submitted (late)",
        "error",
    ] {
        assert_eq!(word.parse(), Ok(StopReason::Other(word.to_owned())), "{word}");
    }
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
    let rows: Vec<&str> = include_str!("../../src/reasons/spellings.md").lines().skip(2).collect();
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
