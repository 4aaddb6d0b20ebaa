//! Samples of the Language Model Evaluation Harness.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    iter,
};

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    format::About,
    formats::log_reader::{Log, Opened, Reader},
    values::{
        run::{Reply, Run, Score, Turn, number_of, text_of},
        tokens::Tokens,
    },
};

/// The reader of samples.
///
/// A question with choices becomes a reply of one token: the choice of the highest log-likelihood, which `acc` counts. Its
/// log-probability and those of the alternatives are those of a softmax over the choices, so that the streams of token
/// probabilities give the confidence in the answer. `acc_norm` may count another choice.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| shape.has_all(&["doc_id", "doc"]),
    open,
    about: About {
        source: "`lm_eval --log_samples -o FOLDER`: `samples_*.jsonl`",
        reads: "metrics as scores `METRIC,FILTER`, answers, repeats, confidence of the chosen answer among choices",
        lacks: "model and name of the task: in the name of the file; usage and cost: not available",
    },
};

/// The fields that are not metrics and are not kept.
const OTHER: [&str; 5] = ["doc", "metrics", "prompt_hash", "target_hash", "task_name"];

/// Opens a file of JSON Lines, or of one list.
///
/// The lines of one filter come after those of another one, so that all questions with named filters are held until the end of
/// the file.
fn open(log: Log<'_>) -> Result<Opened<'_>, Error> {
    let (mut json, mut is_read) = (Json::new(log.source, log.options.limits), false);
    let (mut held, mut latest) = (VecDeque::<Run>::new(), HashMap::new());
    let is_list = json.after_space()? == Some(b'[');
    if is_list {
        json.begin_list()?;
    }
    let mut next = move || {
        while !is_read {
            if held.is_empty() {
                json.begin_run();
            }
            if !(if is_list { json.next_element()? } else { json.next_line()? }) {
                is_read = true;
                if is_list {
                    json.end()?;
                }
                break;
            }
            let (mut run, is_filtered) = question(&mut json)?;
            if !is_filtered {
                return Ok(Some(run));
            }
            let at = latest.entry(run.task.clone()).or_insert(held.len());
            let first = held.get_mut(*at);
            let is_other =
                |first: &&mut Run| run.scores.keys().all(|it| !first.scores.contains_key(it));
            match first.filter(is_other) {
                Some(first) => first.scores.append(&mut run.scores),
                None => {
                    *at = held.len();
                    json.hold(size_of::<Run>())?;
                    held.push_back(run);
                }
            }
        }
        Ok(held.pop_front())
    };
    Ok(Opened::new(log.format, iter::from_fn(move || next().transpose())))
}

/// Reads the line of a question with one of its filters. Returns whether the filter has a name.
fn question(json: &mut Json<'_>) -> Result<(Run, bool), Error> {
    let (mut metrics, mut read, mut run) = (BTreeMap::new(), BTreeMap::new(), Run::default());
    json.map(|json, key| {
        let known = match key.as_str() {
            "arguments" | "resps" | "filtered_resps" | "doc_id" | "doc_hash" | "filter"
            | "target" => &mut read,
            other if OTHER.contains(&other) => return json.skip(),
            _ => &mut metrics,
        };
        let value = json.value()?;
        match known.insert(key.clone(), value) {
            None => Ok(()),
            Some(_) => Err(json.error(Problem::DuplicateKey { key })),
        }
    })?;
    let text = |name| match read.get(name) {
        Some(Value::Text(text)) => Some(text.clone()),
        Some(Value::Integer(number)) => Some(number.to_string()),
        _ => None,
    };
    let id = text("doc_id").ok_or_else(|| json.error_at("doc_id", Problem::Missing))?;
    let filter = text("filter").unwrap_or_else(|| "none".to_owned());
    // The same position in two sets of questions is not the same question.
    let hash: String = text("doc_hash").unwrap_or_default().chars().take(12).collect();
    run.task = Some(format!("{id} {hash}").trim_end().to_owned());
    run.id = id;
    let empty = Value::Null;
    let [arguments, replies, answers] =
        ["arguments", "resps", "filtered_resps"].map(|name| read.get(name).unwrap_or(&empty));
    let requests = list(replies);
    let mut answer = None;
    if matches!(argument(arguments, 0), Some(Value::Map(_))) {
        // A text, or several of them if the question is repeated.
        let mut replies = requests.iter().flat_map(list).filter_map(text_of).map(Reply::from);
        let (reply, other_replies) = (replies.next(), replies.collect::<Vec<_>>());
        let model_calls = Some(other_replies.len() as u64 + 1).filter(|n| *n > 1);
        run.turns.push(Turn { reply, other_replies, model_calls, ..Turn::default() });
        let first = list(answers).first();
        answer = first.and_then(|it| text_of(list(it).first().unwrap_or(it))).map(str::to_owned);
    } else {
        // The second half of the requests leaves out the question.
        let is_twice = metrics.contains_key("acc_mutual_info");
        let n = if is_twice { requests.len() / 2 } else { requests.len() };
        let logs: Option<Vec<f64>> = requests.iter().take(n).map(log_likelihood).collect();
        let reply = logs.and_then(|logs| choice(&logs, arguments));
        run.turns.extend(reply.map(|reply| Turn { reply: Some(reply), ..Turn::default() }));
    }
    let scores = metrics.into_iter().map(|(metric, value)| {
        let is_nan = matches!(value, Value::Real(number) if number.is_nan());
        let value = if is_nan { Value::Null } else { value };
        (format!("{metric},{filter}"), Score { value, answer: answer.clone(), ..Score::default() })
    });
    run.scores = scores.collect();
    run.metadata.extend(read.remove_entry("target"));
    Ok((run, filter != "none"))
}

fn list(value: &Value) -> &[Value] {
    if let Value::List(values) = value { values } else { &[] }
}

/// Returns the second argument of a request: the continuation, or the options of a generation.
fn argument(arguments: &Value, request: usize) -> Option<&Value> {
    match arguments {
        Value::Map(requests) => match requests.get(&format!("gen_args_{request}"))? {
            Value::Map(arguments) => arguments.get("arg_1"),
            _ => None,
        },
        // As old versions wrote it.
        requests => list(list(requests).get(request)?).get(1),
    }
}

/// Returns the log-likelihood of a continuation: `[[x, is_greedy]]`, where new versions write texts instead of numbers.
fn log_likelihood(request: &Value) -> Option<f64> {
    match list(list(request).first()?).first()? {
        Value::Text(text) => text.parse().ok(),
        number => number_of(number),
    }
}

/// Returns the chosen continuation as a token with its probability among all of them. A single continuation is not a choice.
fn choice(logs: &[f64], arguments: &Value) -> Option<Reply> {
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let chosen = logs.iter().position(|log| *log == highest)?;
    if logs.len() < 2 || !highest.is_finite() || logs.iter().any(|log| log.is_nan()) {
        return None;
    }
    let log_sum = logs.iter().map(|log| (log - highest).exp()).sum::<f64>().ln();
    let text = |at| argument(arguments, at).and_then(text_of).unwrap_or_default();
    let mut tokens = Tokens::default();
    tokens.push(text(chosen).as_bytes(), -log_sum);
    for (at, log) in logs.iter().enumerate() {
        tokens.push_alternative(text(at).as_bytes(), log - highest - log_sum);
    }
    Some(Reply { tokens: Some(tokens), ..text(chosen).into() })
}
