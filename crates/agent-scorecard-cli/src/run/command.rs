//! Runs a benchmark with a model, keeps every answer, and reports.

use std::{env, error::Error, fs, thread, time::Duration};

use agent_benchmarks::{
    Request,
    client::{ApiKey, Client, ClientSettings, Journal},
};
use agent_scorecard::Field;

use crate::{
    output::{
        program::{self, Written},
        trajectories,
    },
    plain,
    report::page,
    run::{
        benchmarks::{self, Asking},
        expected,
        options::{Benchmark, Options},
    },
};

/// The environment variable with the key of the server.
const KEY: &str = "AGENT_SCORECARD_API_KEY";

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let settings = ClientSettings {
        timeout: Duration::from_secs(options.timeout),
        token_cap: options.token_cap,
        prices: options.prices,
        cost_cap: options.cost_cap,
        ..ClientSettings::default()
    };
    let key = env::var(KEY).ok().map(ApiKey::new);
    let client = Client::new(&options.base_url, options.model.clone(), key, settings)?;
    if options.dry_run {
        return dry_run(&options);
    }
    // The HTTP client needs threads, and would panic without.
    let thread = thread::Builder::new().spawn(|| ());
    thread.map_err(|error| format!("no thread can be started: {error}"))?;
    // Wrong settings and files are found before anything is written.
    expected::expected(&options)?;
    let at = |error: std::io::Error| format!("{}: {error}", options.out.display());
    let runs = options.out.join("runs");
    fs::create_dir_all(&runs).map_err(at)?;
    program::remove_leftovers(&options.out);
    let journal = Journal::open(options.out.join("answers.jsonl"), &setting(&options))?;
    let known = journal.answers();
    client.count_before(journal.tokens());
    let asking = Asking {
        options: &options,
        journal: &journal,
        ask: |request: &Request| client.ask(request),
    };
    let (records, mut report) = match options.benchmark {
        Benchmark::CostBench => benchmarks::costbench(&asking),
        Benchmark::Triage => benchmarks::triage(&asking),
        Benchmark::Budget => benchmarks::budget(&asking),
        Benchmark::Confidence => benchmarks::confidence(&asking),
    }?;
    trajectories::write(&runs, records.iter().map(|it| (it.run.id.clone(), it.to_atif())))?;
    let [input_tokens, output_tokens] = client.tokens();
    let (benchmark, n, cost) = (options.benchmark.name(), records.len(), client.cost());
    let dollars = cost.map_or(String::new(), |cost| format!(", {cost:.4} US dollars"));
    report.lead = format!(
        "{benchmark} with {}: {n} runs, {input_tokens} tokens of prompts and {output_tokens} of replies{dollars}",
        plain::line(&options.model),
    );
    let mut fields = vec![
        Field::json("benchmark", benchmark),
        Field::json("model", options.model.as_str()),
        Field::json("n_runs", n),
        Field::json("input_tokens", input_tokens),
        Field::json("output_tokens", output_tokens),
    ];
    fields.extend(cost.map(|cost| Field::json("cost_usd", cost)));
    report.together.fields.splice(0..0, fields);
    let notes = report.together.notes.get_or_insert_default();
    notes.insert(0, format!("runs and answers are in {}", options.out.display()));
    if known > 0 {
        notes.push(format!("{known} answers were there already"));
    }
    let page = page::of_report(&report);
    program::write_file(&options.out.join("report.html"), page.as_bytes())?;
    options.forms.show(&report)
}

/// What determines the requests, for the journal.
fn setting(options: &Options) -> String {
    let Options { model, max_output_tokens, .. } = options;
    let name = options.benchmark.name();
    let more = match options.benchmark {
        Benchmark::CostBench => {
            format!("level {}, events {}", options.level, options.block.name())
        }
        Benchmark::Triage => {
            let framing = options.framing.name();
            format!("alpha {}, {framing}, pools of {}", options.alpha, options.pool_size)
        }
        Benchmark::Confidence => format!("at most {} steps", options.steps),
        Benchmark::Budget => {
            options.cap.map_or_else(|| "no cap".to_owned(), |cap| format!("cap {cap}"))
        }
    };
    format!("{name} with {model}, {more}, at most {max_output_tokens} tokens")
}

fn dry_run(options: &Options) -> Result<Written, Box<dyn Error>> {
    let expected = expected::expected(options)?;
    let [least, most] = expected.characters.map(|characters| characters / expected::TOKEN);
    let upper = |unit: &str, most: String| {
        let replies = options.max_output_tokens;
        format!(", up to {most} {unit} if replies have {replies} tokens")
    };
    let growth = if most > least { upper("tokens", most.to_string()) } else { String::new() };
    let mut text = format!(
        "{}: {} conversations, at least {} requests, prompts of about {least} tokens{growth}; nothing was asked\n",
        options.benchmark.name(),
        expected.conversations,
        expected.requests,
    );
    if let Some([input, _]) = options.prices {
        let [low, high] = [least, most].map(|tokens| tokens as f64 / 1e6 * input);
        let growth =
            if most > least { upper("US dollars", format!("{high:.4}")) } else { String::new() };
        text +=
            &format!("the prompts cost about {low:.4} US dollars{growth}; replies come on top\n");
    }
    Ok(text.into())
}
