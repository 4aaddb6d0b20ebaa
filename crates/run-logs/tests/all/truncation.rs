//! A log of any format that ends too early is an error wherever it ends, and never a shorter log.

use std::io::Cursor;

use run_logs::{Error, Format, Problem, ReadOptions, read};

use crate::common::{all, with_requests};

/// A small log of each format that is one run.
const LOGS: [(Format, &str); 17] = [
    (
        Format::Inspect,
        r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":"aé","epoch":1,"scores":{"s":{"value":NaN}},"events":[{"event":"model","model":"m","output":{"choices":[{"message":{"role":"assistant","content":"x"}}]}}]}]}"#,
    ),
    (
        Format::Exchanges,
        r#"{"id":"a","task":"t","outcome":true,"turns":[{"request":{"messages":[{"role":"user","content":"?"}]},"response":{"choices":[{"message":{"content":"\ud83d\ude00"},"logprobs":{"content":[{"token":"x","logprob":-1.5e-1,"bytes":[240],"top_logprobs":[]}]}}],"usage":{"prompt_tokens":9}}}]}"#,
    ),
    (Format::Exchanges, r#"{"request":null,"response":{"output":[]}}"#),
    (
        Format::OpenAiChat,
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"?"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"x\": 1}"}}]}]}"#,
    ),
    (
        Format::OpenAiChat,
        r#"{"id":"r","object":"chat.completion","choices":[{"index":0,"message":{"content":"x"}}]}"#,
    ),
    (
        Format::OpenAiResponses,
        r#"{"id":"r","object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"x","logprobs":[{"token":"x","logprob":-1,"top_logprobs":[]}]}]}]}"#,
    ),
    (
        Format::Gemini,
        r#"{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP","logprobsResult":{"chosenCandidates":[{"token":"x","logProbability":-1.0}],"topCandidates":[{"candidates":[]}]}}],"usageMetadata":{"promptTokenCount":1},"modelVersion":"g"}"#,
    ),
    (
        Format::Ollama,
        r#"{"model":"o","message":{"role":"assistant","content":"x"},"logprobs":[{"token":"x","logprob":-1}],"done":true,"done_reason":"stop","eval_count":1}"#,
    ),
    (
        Format::Atif,
        r#"{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"n","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"x","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{}}],"metrics":{"logprobs":[-0.5,null]}}],"extra":{"scores":{"s":1}}}"#,
    ),
    (
        Format::Harbor,
        r#"{"trial_name":"a","task_name":"t","trial_uri":"u","agent_result":{"n_input_tokens":1,"cost_usd":0.5},"verifier_result":{"rewards":{"reward":1}},"exception_info":null}"#,
    ),
    (
        Format::Tau2,
        r#"{"info":{"num_trials":1,"agent_info":{"llm":"m"}},"tasks":[{"id":"t","evaluation_criteria":{"actions":[]}}],"simulations":[{"id":"a","task_id":"t","trial":0,"termination_reason":"user_stop","reward_info":{"reward":1.0},"messages":[{"role":"assistant","content":"x"}]}]}"#,
    ),
    (
        Format::Tau2,
        r#"{"id":"a","task_id":"t","termination_reason":"user_stop","messages":[{"role":"user","content":"x","cost":0.0}]}"#,
    ),
    (
        Format::MiniSweAgent,
        r#"{"info":{"model_stats":{"instance_cost":0.5,"api_calls":1},"mini_version":"2","exit_status":"Submitted"},"messages":[{"role":"assistant","content":"é","extra":{"actions":[{"command":"ls"}],"cost":0.5}},{"role":"exit","content":""}]}"#,
    ),
    (
        Format::OpenCode,
        r#"{"info":{"id":"a","projectID":"p"},"messages":[{"info":{"role":"assistant","tokens":{"input":1,"cache":{"read":2}}},"parts":[{"type":"tool","tool":"bash","state":{"status":"completed","input":{},"metadata":{"exit":1}}}]}]}"#,
    ),
    (
        Format::LangChain,
        r#"{"messages":[{"type":"ai","content":"x","tool_calls":[{"name":"f","args":{},"id":"c"}],"usage_metadata":{"input_tokens":1,"output_tokens":1}},{"type":"tool","content":"y","tool_call_id":"c","status":"error"}]}"#,
    ),
    (
        Format::LangChain,
        r#"[{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"x"}}]"#,
    ),
    (
        Format::LmEval,
        r#"{"doc_id":1,"doc":{},"arguments":{"gen_args_0":{"arg_1":" a"},"gen_args_1":{"arg_1":" b"}},"resps":[[["-1.5","True"]],[["-2","False"]]],"filter":"none","acc":1.0}"#,
    ),
];

#[test]
fn a_log_of_any_format_that_is_cut_off_anywhere_is_an_error() {
    for (format, log) in LOGS {
        let log = log.as_bytes();
        let opened = read(Cursor::new(log), Format::Auto, &ReadOptions::default()).unwrap();
        assert_eq!(opened.format(), format);
        for asked in [Format::Auto, format] {
            assert_eq!(all(log, asked, &with_requests()).unwrap().len(), 1, "{format}");
            for end in 1..log.len() {
                let shown = String::from_utf8_lossy(&log[..end]);
                match all(&log[..end], asked, &with_requests()).unwrap_err() {
                    Error::Invalid { problem: Problem::Truncated, .. } => {}
                    // A number, a word or a character may end before the log does.
                    Error::Invalid {
                        problem: Problem::Syntax { .. } | Problem::NotUtf8, ..
                    } => {}
                    Error::UnknownFormat { problem: None | Some(Problem::Truncated), .. }
                        if asked == Format::Auto => {}
                    other => panic!("{format}: {shown}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn json_lines_that_are_cut_off_keep_the_whole_lines_and_end_with_an_error() {
    let line = LOGS[1].1;
    let text = format!("{line}\n{line}\n");
    for end in line.len() + 2..text.len() - 1 {
        let runs =
            read(Cursor::new(&text.as_bytes()[..end]), Format::Auto, &ReadOptions::default());
        let runs: Vec<_> = runs.unwrap().collect();
        assert!(runs[0].is_ok() && runs.len() == 2, "{end}");
        let Err(Error::Invalid { place, .. }) = &runs[1] else { panic!("{end}: {:?}", runs[1]) };
        assert_eq!(place.line, Some(2), "{end}");
    }
}
