//! Runs a benchmark with a model, keeps every answer, and reports.

use std::{env, error::Error, fs, thread, time::Duration};

use agent_benchmarks::{
    Request,
    client::{ApiKey, Client, ClientSettings, Journal},
};

use crate::{
    output::{
        program::{self, Written},
        trajectories,
    },
    report::{self, figure::Figures},
    run::{
        benchmarks::{self, Asking},
        expected,
        options::{Benchmark, Options},
        report::RunReport,
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
    let finished = match options.benchmark {
        Benchmark::CostBench => benchmarks::costbench(&asking),
        Benchmark::Triage => benchmarks::triage(&asking),
        Benchmark::Budget => benchmarks::budget(&asking),
        Benchmark::Confidence => benchmarks::confidence(&asking),
    }?;
    let records = finished.records.iter();
    trajectories::write(&runs, records.map(|it| (it.run.id.clone(), it.to_atif())))?;
    let [input_tokens, output_tokens] = client.tokens();
    let mut notes = vec![format!("runs and answers are in {}", options.out.display())];
    notes.extend(finished.notes);
    notes.extend(finished.rows.iter().flat_map(|row| row.notes()));
    if known > 0 {
        notes.push(format!("{known} answers were there already"));
    }
    let report = RunReport {
        benchmark: options.benchmark.name(),
        model: options.model.clone(),
        n_runs: finished.records.len(),
        input_tokens,
        output_tokens,
        cost_usd: client.cost(),
        rows: finished.rows,
        notes,
    };
    let json = report::files::json(&report, Figures::new())?;
    let page = report::files::page_of("run", &json)?;
    program::write_file(&options.out.join("report.html"), page.as_bytes())?;
    options.forms.write("run", |layout| Ok(report.table(layout)), || Ok(json))
}

/// What determines the requests, for the journal.
fn setting(options: &Options) -> String {
    let Options { model, max_output_tokens, .. } = options;
    let name = options.benchmark.name();
    let more = match options.benchmark {
        Benchmark::CostBench => format!("level {}, events {}", options.level, options.block),
        Benchmark::Triage => {
            format!("alpha {}, {}, pools of {}", options.alpha, options.framing, options.pool_size)
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
