//! Responses written by the packages of their formats, compared field by field with what those
//! packages read (`golden/chat/make.py` and `make_anthropic.py`).

use std::{collections::BTreeMap, fs};

use censoring::StopReason;
use run_logs::{Arguments, Format, Reply, Run, Usage};
use serde_json::Value as Json;
use trajectory_metrics::tool_calls::Value;

use crate::common::{compare, golden, runs_at, used, value};

fn expected(format: &str, package: &str) -> Vec<Json> {
    let text = fs::read_to_string(golden(&format!("chat/{format}.expected.jsonl"))).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let origin: Json = lines.next().unwrap();
    assert!(origin["origin"].as_str().unwrap().contains(package), "{origin}");
    lines.collect()
}

fn text(json: &Json) -> Option<&str> {
    json.as_str()
}

fn bytes(hex: &Json) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn real(json: &Json) -> f64 {
    json.as_str().unwrap().parse().unwrap()
}

/// Compares a reply with the package's; returns how many fields were compared.
fn compare_reply(reply: &Reply, expected: &Json, at: &str) -> usize {
    assert_eq!(Some(reply.text.as_str()), text(&expected["text"]), "{at}");
    assert_eq!(reply.refusal.as_deref(), text(&expected["refusal"]), "{at}");
    let stop = text(&expected["stop"]).map(|word| word.parse::<StopReason>().unwrap());
    assert_eq!(reply.stop, stop, "{at}");
    let calls = expected["tool_calls"].as_array().unwrap();
    assert_eq!(reply.tool_calls.len(), calls.len(), "{at}");
    let mut compared = 4;
    for (call, expected) in reply.tool_calls.iter().zip(calls) {
        assert_eq!(call.id.as_deref(), text(&expected["id"]), "{at}");
        assert_eq!(Some(call.name.as_str()), text(&expected["name"]), "{at}");
        match &call.arguments {
            Arguments::Parsed(read) => {
                assert!(expected.get("unparsed").is_none(), "{at}: {expected}");
                assert_eq!(*read, value(&expected["value"]), "{at}");
            }
            Arguments::Unparsed { text: read, problem } => {
                assert_eq!(Some(read.as_str()), text(&expected["unparsed"]), "{at}: {problem}");
            }
        }
        compared += 3;
    }
    let tokens = reply.tokens.as_ref();
    let Some(listed) = expected["tokens"].as_array() else {
        assert_eq!(tokens, None, "{at}");
        return compared;
    };
    let tokens = tokens.unwrap_or_else(|| panic!("{at}: no tokens"));
    assert_eq!(tokens.len(), listed.len(), "{at}");
    for (token, expected) in tokens.iter().zip(listed) {
        assert_eq!(token.bytes, bytes(&expected[0]), "{at}");
        assert_eq!(token.logprob.to_bits(), real(&expected[1]).to_bits(), "{at}");
        let alternatives: Vec<_> = token
            .alternatives()
            .map(|(text, logprob)| (text.to_vec(), logprob.to_bits()))
            .collect();
        let others = expected[2].as_array().unwrap();
        let others: Vec<_> =
            others.iter().map(|other| (bytes(&other[0]), real(&other[1]).to_bits())).collect();
        assert_eq!(alternatives, others, "{at}");
        compared += 2 + 2 * alternatives.len();
    }
    compared
}

fn compare_usage(usage: Option<&Usage>, expected: &Json, at: &str) -> usize {
    if expected.is_null() {
        assert_eq!(usage, None, "{at}");
        return 1;
    }
    let usage = usage.unwrap_or_else(|| panic!("{at}: no usage"));
    compare(&used(usage), expected, at, 0.0).unwrap()
}

fn read_as(format: Format) -> (Vec<Run>, usize) {
    let name = format.name();
    let package = if format == Format::Anthropic { "anthropic 2.12.0" } else { "openai 3.54.0" };
    let expected = expected(name, package);
    assert!(expected.len() >= 200);
    let runs = runs_at(&golden(&format!("chat/{name}.jsonl")), format);
    assert_eq!(runs.len(), expected.len());
    let mut compared = 0;
    for (at, (run, expected)) in runs.iter().zip(&expected).enumerate() {
        let at = format!("{name}.jsonl:{}", at + 1);
        if let Some(id) = text(&expected["id"]) {
            assert_eq!(run.id, id, "{at}");
        }
        assert_eq!(run.model.as_deref(), text(&expected["model"]), "{at}");
        let [turn] = run.turns.as_slice() else { panic!("{at}: one turn per response") };
        if !expected["error"].is_null() {
            assert_eq!(turn.error.as_deref(), text(&expected["error"]), "{at}");
        }
        let replies: Vec<&Reply> = turn.reply.iter().chain(&turn.other_replies).collect();
        let listed = expected["replies"].as_array().unwrap();
        assert_eq!(replies.len(), listed.len(), "{at}");
        assert_eq!(turn.reply.is_none(), listed.is_empty(), "{at}");
        for (reply, expected) in replies.iter().zip(listed) {
            compared += 3 + compare_reply(reply, expected, &at);
        }
        if let Some(reply) = &turn.reply {
            compared += compare_usage(reply.usage.as_ref(), &expected["usage"], &at);
        }
        let total = (run.usage != Usage::default()).then_some(&run.usage);
        compared += compare_usage(total, &expected["usage"], &at);
    }
    (runs, compared)
}

#[test]
fn chat_responses_are_read_as_the_package_openai_reads_them() {
    let (runs, compared) = read_as(Format::OpenAiChat);
    assert!(compared > 10_000, "{compared}");
    // The cases that the script makes are all there.
    let replies = || runs.iter().flat_map(|run| &run.turns).filter_map(|turn| turn.reply.as_ref());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for reply in replies() {
        let mut count = |kind, is: bool| *kinds.entry(kind).or_default() += usize::from(is);
        count("refusal", reply.refusal.is_some());
        count("without tokens", reply.tokens.is_none());
        count("without usage", reply.usage.is_none());
        count("filtered", reply.stop == Some(StopReason::EnvironmentEnd));
        for call in &reply.tool_calls {
            count("unparsed", matches!(call.arguments, Arguments::Unparsed { .. }));
            count("custom", matches!(call.arguments, Arguments::Parsed(Value::Text(_))));
        }
        let tokens = || reply.tokens.iter().flat_map(|tokens| tokens.iter());
        count("split character", tokens().any(|t| str::from_utf8(t.bytes).is_err()));
        count("unknown", tokens().any(|token| token.logprob == -9999.0));
    }
    let several = runs.iter().filter(|run| !run.turns[0].other_replies.is_empty()).count();
    kinds.insert("several choices", several);
    assert!(kinds.values().all(|&count| count >= 5), "{kinds:?}");
}

#[test]
fn responses_of_the_responses_form_are_read_as_the_package_openai_reads_them() {
    let (runs, compared) = read_as(Format::OpenAiResponses);
    assert!(compared > 5_000, "{compared}");
    assert!(runs.iter().any(|run| run.turns[0].error.is_some()));
}

#[test]
fn responses_of_gemini_are_read_as_the_package_google_genai_reads_them() {
    let (runs, compared) = read_as(Format::Gemini);
    assert!(compared > 5_000, "{compared}");
    let blocked = runs.iter().filter_map(|run| run.turns[0].error.as_deref());
    assert!(blocked.clone().count() > 10);
    assert!(blocked.clone().all(|error| error == "the prompt was blocked: SAFETY"));
}

#[test]
fn responses_of_ollama_are_read_as_the_package_ollama_reads_them() {
    let (_, compared) = read_as(Format::Ollama);
    assert!(compared > 5_000, "{compared}");
}

#[test]
fn replies_of_anthropic_are_read_as_the_package_anthropic_reads_them() {
    let (runs, compared) = read_as(Format::Anthropic);
    assert!(compared > 4_000, "{compared}");
    let cached = runs.iter().filter(|run| run.usage.cached_tokens.is_some_and(|tokens| tokens > 0));
    assert!(cached.count() > 20);
}
