//! What a reply used, in the forms in which servers and logs count it.

use run_logs::{Run, Usage, UsageRemark};

use crate::common::{reply, runs};

fn run(log: &str) -> Run {
    <[Run; 1]>::try_from(runs(log)).unwrap().into_iter().next().unwrap()
}

/// The usage of a chat completion with these fields of `usage`.
fn chat(usage: &str) -> Usage {
    run(&format!(
        r#"{{"id": "a", "outcome": true, "turns": [{{"response": {{"model": "m", "choices": [
            {{"message": {{"role": "assistant", "content": "x"}}}}], "usage": {{{usage}}}}}}}]}}"#
    ))
    .usage
}

fn anthropic(usage: &str) -> Usage {
    run(&format!(
        r#"{{"id": "a", "outcome": true, "turns": [{{"response": {{"id": "msg", "type": "message",
            "content": [{{"type": "text", "text": "x"}}], "usage": {{{usage}}}}}}}]}}"#
    ))
    .usage
}

fn gemini(usage: &str) -> Usage {
    run(&format!(
        r#"{{"id": "a", "outcome": true, "turns": [{{"response": {{"candidates": [
            {{"content": {{"parts": []}}, "finishReason": "STOP"}}], "usageMetadata": {{{usage}}}}}}}]}}"#
    ))
    .usage
}

fn inspect(usage: &str) -> Usage {
    run(&format!(
        r#"{{"version": 2, "status": "success", "eval": {{"task": "t", "model": "m"}}, "samples": [
            {{"id": "a", "epoch": 1, "model_usage": {{"m": {{{usage}}}}}}}]}}"#
    ))
    .usage
}

/// Input, output and cached tokens.
fn counts(usage: &Usage) -> [Option<u64>; 3] {
    [usage.input_tokens, usage.output_tokens, usage.cached_tokens]
}

/// All orders of the fields of an object.
fn orders(fields: &[&str]) -> Vec<String> {
    let rotated = (0..fields.len()).map(|by| {
        let mut fields = fields.to_vec();
        fields.rotate_left(by);
        fields
    });
    let mut all: Vec<Vec<&str>> = rotated.collect();
    all.extend(all.clone().into_iter().map(|mut fields| {
        fields.reverse();
        fields
    }));
    all.into_iter().map(|fields| fields.join(", ")).collect()
}

#[test]
fn a_zero_or_null_under_another_name_never_replaces_a_count() {
    let fields = [
        r#""prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760"#,
        r#""prompt_tokens_details": {"cached_tokens": 512}"#,
        r#""input_tokens": 0, "output_tokens": 0"#,
        r#""input_tokens_details": null, "completion_tokens_details": {"reasoning_tokens": 0}"#,
        r#""output_tokens_details": {"reasoning_tokens": 40}"#,
    ];
    for order in orders(&fields) {
        let usage = chat(&order);
        assert_eq!(counts(&usage), [Some(700), Some(60), Some(512)], "{order}");
        assert_eq!((usage.reasoning_tokens, usage.remark), (Some(40), None), "{order}");
    }
    let nulls = r#""input_tokens": null, "prompt_tokens": 7, "output_tokens": 3, "completion_tokens": null"#;
    assert_eq!(counts(&chat(nulls)), [Some(7), Some(3), None]);
}

#[test]
fn the_total_decides_whether_reasoning_is_beside_the_output_or_inside_it() {
    let beside = r#""total_tokens": 1349, "prompt_tokens": 412, "completion_tokens": 37"#;
    let inside = r#""total_tokens": 1349, "prompt_tokens": 412, "completion_tokens": 937"#;
    let details = r#""completion_tokens_details": {"reasoning_tokens": 900}"#;
    for order in orders(&[beside, details]).into_iter().chain(orders(&[inside, details])) {
        assert_eq!(counts(&chat(&order)), [Some(412), Some(937), None], "{order}");
    }
    // The Responses form, a count without details, and one that the total alone shows.
    for usage in [
        r#""input_tokens": 412, "output_tokens": 37, "total_tokens": 1349, "output_tokens_details": {"reasoning_tokens": 900}"#,
        r#""prompt_tokens": 412, "completion_tokens": 37, "reasoning_tokens": 900, "total_tokens": 1349"#,
        r#""prompt_tokens": 412, "completion_tokens": 37, "total_tokens": 1349"#,
        r#""prompt_tokens": 412, "completion_tokens": 0, "total_tokens": 1349"#,
        r#""prompt_tokens": 412, "total_tokens": 1349"#,
        // Without a total: more reasoning than output cannot be inside it.
        r#""prompt_tokens": 412, "completion_tokens": 37, "completion_tokens_details": {"reasoning_tokens": 900}"#,
    ] {
        assert_eq!(counts(&chat(usage)), [Some(412), Some(937), None], "{usage}");
    }
    let larger = chat(r#""prompt_tokens": 412, "completion_tokens": 37, "total_tokens": 1349"#);
    assert_eq!(larger.remark, Some(UsageRemark::LargerTotal));
    // inspect_ai, with thoughts beside and inside.
    let log = |output, total| {
        inspect(&format!(
            r#""input_tokens": 400, "input_tokens_cache_read": 12, "output_tokens": {output}, "reasoning_tokens": 900, "total_tokens": {total}"#
        ))
    };
    assert_eq!(counts(&log(37, 1_349)), [Some(412), Some(937), Some(12)]);
    assert_eq!(counts(&log(937, 1_349)), [Some(412), Some(937), Some(12)]);
    // ATIF and tau2 take the same reader.
    let atif = run(
        r#"{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "a", "version": "1"},
        "steps": [{"step_id": 1, "source": "agent", "message": "x", "metrics": {"prompt_tokens": 412, "completion_tokens": 37,
        "extra": {"reasoning_tokens": 900, "total_tokens": 1349}}}]}"#,
    );
    assert_eq!(counts(&atif.usage), [Some(412), Some(937), None]);
}

#[test]
fn thoughts_of_gemini_are_counted_once_beside_the_candidates_or_inside_them() {
    for (usage, output) in [
        (
            r#""promptTokenCount": 7477, "candidatesTokenCount": 2060, "totalTokenCount": 11476, "thoughtsTokenCount": 1939"#,
            3_999,
        ),
        (
            r#""promptTokenCount": 7477, "candidatesTokenCount": 3999, "totalTokenCount": 11476, "thoughtsTokenCount": 1939"#,
            3_999,
        ),
        (
            r#""promptTokenCount": 7477, "candidatesTokenCount": 2060, "thoughtsTokenCount": 1939"#,
            3_999,
        ),
        // Nothing but thoughts, with and without a total, and thoughts that the total alone shows.
        (r#""promptTokenCount": 7477, "thoughtsTokenCount": 60, "totalTokenCount": 7537"#, 60),
        (r#""promptTokenCount": 7477, "thoughtsTokenCount": 60"#, 60),
        (r#""promptTokenCount": 7477, "totalTokenCount": 7537"#, 60),
        (r#""promptTokenCount": 7477, "totalTokenCount": 7477"#, 0),
    ] {
        let fields: Vec<&str> = usage.split(", ").collect();
        for order in orders(&fields) {
            assert_eq!(counts(&gemini(&order)), [Some(7_477), Some(output), None], "{order}");
        }
    }
    let tools =
        r#""promptTokenCount": 100, "toolUsePromptTokenCount": 40, "candidatesTokenCount": 5"#;
    for total in [String::new(), r#", "totalTokenCount": 145"#.to_owned()] {
        assert_eq!(counts(&gemini(&format!("{tools}{total}"))), [Some(140), Some(5), None]);
    }
    let inside = gemini(&format!(r#"{tools}, "totalTokenCount": 105"#));
    assert_eq!(counts(&inside), [Some(100), Some(5), None]);
}

#[test]
fn a_cache_is_counted_once_by_every_name_and_wherever_it_is_counted() {
    for usage in [
        r#""prompt_tokens": 10000, "completion_tokens": 100, "total_tokens": 10100, "prompt_cache_hit_tokens": 9000, "prompt_cache_miss_tokens": 1000"#,
        r#""completion_tokens": 100, "prompt_cache_hit_tokens": 9000, "prompt_cache_miss_tokens": 1000"#,
        r#""prompt_tokens": 10000, "completion_tokens": 100, "cached_tokens": 9000"#,
        r#""prompt_tokens": 10000, "completion_tokens": 100, "cache_read_input_tokens": 9000, "prompt_tokens_details": {"cached_tokens": 9000}"#,
        r#""prompt_tokens": 10000, "input_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 9000}"#,
        // Beside the input, as the total or the counts themselves say.
        r#""prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 10100, "prompt_tokens_details": {"cached_tokens": 9000}"#,
        r#""prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 9000}"#,
        r#""prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100, "cache_read_input_tokens": 9000"#,
    ] {
        for order in orders(&usage.split(", ").collect::<Vec<_>>()) {
            assert_eq!(counts(&chat(&order)), [Some(10_000), Some(100), Some(9_000)], "{order}");
        }
    }
    let written = r#""input_tokens": 3, "output_tokens": 550, "cache_read_input_tokens": 0"#;
    let usage = anthropic(&format!(r#"{written}, "cache_creation_input_tokens": 12304"#));
    assert_eq!(counts(&usage), [Some(12_307), Some(550), Some(0)]);
    assert_eq!(usage.cache_write_tokens, Some(12_304));
    // inspect_ai counts the cache beside the input, unless the total says that it is inside.
    let log = |total| {
        inspect(&format!(
            r#""input_tokens": 1000, "input_tokens_cache_read": 900, "output_tokens": 10{total}"#
        ))
    };
    assert_eq!(log("").input_tokens, Some(1_900));
    assert_eq!(log(r#", "total_tokens": 1910"#).input_tokens, Some(1_900));
    assert_eq!(log(r#", "total_tokens": 1010"#).input_tokens, Some(1_000));
}

#[test]
fn all_calls_that_anthropic_made_for_one_reply_count() {
    let top = r#""input_tokens": 9000, "output_tokens": 400, "cache_read_input_tokens": 50"#;
    let compaction = r#"{"type": "compaction", "input_tokens": 120000, "output_tokens": 2100, "cache_creation_input_tokens": 7}"#;
    let message = r#"{"type": "message", "input_tokens": 9000, "output_tokens": 400, "cache_read_input_tokens": 50}"#;
    for iterations in [format!("{compaction}, {message}"), compaction.to_owned()] {
        let usage = anthropic(&format!(r#"{top}, "iterations": [{iterations}]"#));
        assert_eq!(counts(&usage), [Some(129_057), Some(2_500), Some(50)], "{iterations}");
        assert_eq!(usage.cache_write_tokens, Some(7));
    }
    let wrong =
        r#"{"type": "compaction", "input_tokens": 7, "output_tokens": 1, "total_tokens": 5}"#;
    let unknown = anthropic(&format!(r#"{top}, "iterations": [{wrong}, {message}]"#));
    assert_eq!((counts(&unknown), unknown.remark), ([None; 3], Some(UsageRemark::Contradictory)));
    let halves = r#"{"input_tokens": 4000, "output_tokens": 100}, {"input_tokens": 5000, "output_tokens": 300}"#;
    for usage in [
        format!(r#""input_tokens": 9000, "output_tokens": 400, "iterations": [{halves}]"#),
        format!(r#""input_tokens": 0, "output_tokens": 0, "iterations": [{halves}]"#),
    ] {
        assert_eq!(counts(&anthropic(&usage)), [Some(9_000), Some(400), None], "{usage}");
    }
}

#[test]
fn counts_that_contradict_each_other_are_unknown() {
    for usage in [
        r#""prompt_tokens": 700, "completion_tokens": 600, "total_tokens": 760"#,
        r#""prompt_tokens": 700, "completion_tokens": 60, "input_tokens": 300"#,
        r#""prompt_tokens": 700, "completion_tokens": 60, "output_tokens": 50"#,
        r#""prompt_tokens": 100, "completion_tokens": 5, "reasoning_tokens": 200, "total_tokens": 1000"#,
        r#""prompt_tokens": 700, "completion_tokens": 60, "cached_tokens": 9, "prompt_tokens_details": {"cached_tokens": 8}"#,
        r#""prompt_tokens": 700, "total_tokens": 600"#,
        r#""prompt_tokens": 18446744073709551615, "completion_tokens": 1, "total_tokens": 5"#,
    ] {
        for order in orders(&usage.split(", ").collect::<Vec<_>>()) {
            let unknown = Usage { remark: Some(UsageRemark::Contradictory), ..Usage::default() };
            assert_eq!(chat(&order), unknown, "{order}");
        }
    }
    // The sum of a run with such a reply is unknown, too.
    let log = run(r#"{"id": "a", "outcome": true, "turns": [
        {"response": {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}},
        {"response": {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 4}}}]}"#);
    assert_eq!(counts(&log.usage), [None; 3]);
    assert_eq!(log.usage.remark, Some(UsageRemark::Contradictory));
}

#[test]
fn a_total_alone_is_known_without_its_parts() {
    for usage in [
        r#""total_tokens": 1000"#,
        r#""prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 1000"#,
    ] {
        let usage = chat(usage);
        assert_eq!((counts(&usage), usage.total_tokens()), ([None; 3], Some(1_000)));
        assert_eq!(usage.plus(&usage).total_tokens(), Some(2_000));
        let counted = chat(r#""prompt_tokens": 5, "completion_tokens": 3"#);
        assert_eq!(usage.plus(&counted).total_tokens(), Some(1_008));
        assert_eq!(usage.plus(&Usage::default()).total_tokens(), None);
        let paid = chat(r#""prompt_tokens": 5, "completion_tokens": 3, "cost": 0.25"#);
        assert_eq!(paid.plus(&paid).cost_usd, Some(0.5));
        assert_eq!(paid.plus(&counted).cost_usd, None);
    }
}

#[test]
fn the_cost_of_a_key_of_ones_own_is_that_of_the_provider_and_the_fee() {
    let cost = |usage: &str| {
        chat(&format!(r#""prompt_tokens": 5, "completion_tokens": 3, {usage}"#)).cost_usd
    };
    let upstream = r#""cost_details": {"upstream_inference_cost": 0.0185}"#;
    for (usage, expected) in [
        (format!(r#""cost": 0, "is_byok": true, {upstream}"#), Some(0.0185)),
        (format!(r#""cost": 0.000925, "is_byok": true, {upstream}"#), Some(0.019425)),
        (format!(r#""cost": 0.02, "is_byok": false, {upstream}"#), Some(0.02)),
        (format!(r#""cost": 0.0185, {upstream}"#), Some(0.0185)),
        (format!(r#""cost": 0.000925, {upstream}"#), Some(0.019425)),
        (upstream.to_owned(), Some(0.0185)),
        (
            r#""cost": 0.25, "cost_details": {"upstream_inference_cost": null}"#.to_owned(),
            Some(0.25),
        ),
        (r#""cost": 0.25, "total_cost": 0"#.to_owned(), Some(0.25)),
        (r#""cost": null"#.to_owned(), None),
    ] {
        let found = cost(&usage);
        let is_close =
            found.zip(expected).map_or(found == expected, |(a, b)| (a - b).abs() < 1e-12);
        assert!(is_close, "{usage}: {found:?}");
    }
}

/// A piece of a reply of Anthropic: its id, its content, and how much output was counted by then.
fn piece(id: &str, block: &str, input: u64, output: u64) -> String {
    format!(
        r#"{{"id": "{id}", "type": "message", "role": "assistant", "model": "m", "content": [{block}], "stop_reason": "tool_use",
            "usage": {{"input_tokens": {input}, "cache_read_input_tokens": 0, "output_tokens": {output}}}}}"#
    )
    .replace('\n', " ")
}

const SAID: &str = r#"{"type": "text", "text": "Looking."}"#;
const CALLED: &str =
    r#"{"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}"#;

#[test]
fn a_reply_in_several_turns_or_lines_counts_once() {
    let (said, called) = (piece("msg_1", SAID, 1_200, 7), piece("msg_1", CALLED, 1_200, 90));
    let other = piece("msg_2", SAID, 1_300, 10);
    let turns = |pieces: &[&String]| {
        let turns: Vec<String> =
            pieces.iter().map(|piece| format!(r#"{{"response": {piece}}}"#)).collect();
        format!(r#"{{"id": "a", "outcome": true, "turns": [{}]}}"#, turns.join(", "))
    };
    for pieces in [
        vec![&said, &called, &other],
        vec![&called, &said, &other],
        vec![&said, &called, &called, &other],
        vec![&said, &other, &called],
    ] {
        let run = run(&turns(&pieces));
        assert_eq!(
            (run.n_model_calls(), counts(&run.usage)),
            (2, [Some(2_500), Some(100), Some(0)])
        );
        let reply = reply(&run, 0);
        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Looking.", 1));
    }
    let lines = format!("{said}\n{called}\n{other}\n");
    let runs = runs(lines);
    let used: Vec<_> = runs.iter().map(|run| (run.id.as_str(), run.usage.total_tokens())).collect();
    assert_eq!(used, [("msg_1", Some(1_290)), ("msg_2", Some(1_310))]);
    assert_eq!(reply(&runs[0], 0).tool_calls.len(), 1);
}

#[test]
fn replies_of_a_server_that_gives_all_of_them_one_id_stay_apart() {
    let reply = |input: u64, text: &str| {
        format!(
            r#"{{"response": {{"id": "same", "model": "m", "choices": [{{"message": {{"content": "{text}"}}}}],
                "usage": {{"prompt_tokens": {input}, "completion_tokens": 3}}}}}}"#
        )
    };
    let log = format!(
        r#"{{"id": "a", "outcome": true, "turns": [{}, {}]}}"#,
        reply(10, "a"),
        reply(20, "b")
    );
    assert_eq!((run(&log).n_model_calls(), run(&log).usage.input_tokens), (2, Some(30)));
    let without = log.replace(r#""usage""#, r#""other""#);
    assert_eq!(run(&without).n_model_calls(), 2);
    let messages = format!(
        r#"{{"id": "a", "outcome": true, "turns": [{{"response": {}}}, {{"response": {}}}]}}"#,
        piece("same", SAID, 10, 3),
        piece("same", CALLED, 20, 3)
    );
    assert_eq!((run(&messages).n_model_calls(), run(&messages).usage.input_tokens), (2, Some(30)));
}

#[test]
fn a_failed_line_of_a_batch_is_a_run_with_an_error() {
    let body = r#"{"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}"#;
    let worked = format!(
        r#"{{"custom_id": "ok", "response": {{"status_code": 200, "body": {body}}}, "error": null}}"#
    );
    for (failed, error) in [
        (
            r#""response": {"status_code": 400, "body": {"error": {"message": "too large", "code": null}}}, "error": null"#,
            "too large",
        ),
        (
            r#""response": null, "error": {"code": "batch_expired", "message": "expired"}"#,
            "expired",
        ),
        (r#""response": null, "error": {"code": "batch_expired"}"#, "batch_expired"),
        (r#""response": null, "error": "cancelled""#, "cancelled"),
        (r#""error": {"code": "batch_cancelled", "message": null}"#, "batch_cancelled"),
        (
            r#""response": {"status_code": 0, "body": {}}, "error": {"code": "e", "message": "gone"}"#,
            "gone",
        ),
        (
            r#""response": {"status_code": 502, "body": null}, "error": null"#,
            "the server replied with status 502",
        ),
        (r#""response": {"status_code": 502, "body": {}}"#, "the server replied with status 502"),
        (
            r#""response": {"status_code": 502, "body": "Bad gateway"}, "error": null"#,
            "Bad gateway",
        ),
        (
            r#""response": {"status_code": 502}, "error": null"#,
            "the server replied with status 502",
        ),
        (r#""response": null, "error": null"#, "the log has no reply"),
    ] {
        let failed = format!(r#"{{"custom_id": "failed", {failed}}}"#);
        for (log, at) in
            [(format!("{worked}\n{failed}\n"), 1), (format!("{failed}\n{worked}\n"), 0)]
        {
            let runs = runs(log);
            assert_eq!(runs[at].error.as_deref(), Some(error), "{failed}");
            assert_eq!((runs[1 - at].error.as_deref(), runs.len()), (None, 2));
            assert!(runs[at].turns[0].reply.is_none());
        }
    }
}
