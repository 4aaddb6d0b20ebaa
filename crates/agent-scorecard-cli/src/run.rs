//! Runs benchmarks with a live model: the subcommand `run`, with a subcommand for each benchmark.

use std::{
    env,
    error::Error,
    fs,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

use agent_benchmarks::{
    Request,
    client::{ApiKey, Client, ExpectedRequests, Journal, Spent},
};
use agent_scorecard::{Field, Position};
use signal_hook::{consts::SIGINT, flag};

use crate::{
    games::{Market, Rooms},
    output::program::{self, INTERRUPTED, Written},
    plain,
    report::page,
    run::{
        asking::{Asking, Protocol},
        common::KEY,
    },
};

mod asking;
mod checker;
mod common;

mod budget;
mod confidence;
mod costbench;
mod play;
mod triage;

/// Runs a benchmark with a model behind an OpenAI-compatible server
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/run.txt"))]
pub(crate) struct Options {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, clap::Subcommand)]
enum Benchmark {
    Costbench(costbench::Options),
    Triage(triage::Options),
    Budget(budget::Options),
    Confidence(confidence::Options),
    /// The model plays Sokoban as in the BAGEN paper: one room for each seed, and up to three actions in each of ten
    /// turns
    #[command(
        mut_arg("max_output_tokens", |it| it.default_value("800")),
        mut_arg("turn_tokens", |it| it.default_value("2500"))
    )]
    Sokoban(play::Options<Rooms>),
    /// The model runs the warehouse of the BAGEN paper: it orders goods in 11 steps, and each seed gives a different
    /// demand
    Warehouse(play::Options<Market>),
}

impl Options {
    pub(crate) fn output(&self) -> Result<Written, Box<dyn Error>> {
        match &self.benchmark {
            Benchmark::Costbench(options) => output(options),
            Benchmark::Triage(options) => output(options),
            Benchmark::Budget(options) => output(options),
            Benchmark::Confidence(options) => output(options),
            Benchmark::Sokoban(options) => output(options),
            Benchmark::Warehouse(options) => output(options),
        }
    }
}

pub(crate) fn output<P: Protocol>(protocol: &P) -> Result<Written, Box<dyn Error>> {
    let common = protocol.common();
    let key = env::var(KEY).ok().map(ApiKey::new);
    // Work that is not under way ends with the program.
    let is_interrupted = Arc::new(AtomicBool::new(true));
    let client = Client::new(&common.base_url, common.model.clone(), key, common.client())?
        .with_stop(Arc::clone(&is_interrupted));
    // What determines the requests.
    let setting =
        format!("{} with {}, {}, {}", P::NAME, common.model, protocol.setting(), common.setting());
    let answers = common.out.join("answers.jsonl");
    let known = match common.dry_run {
        true => Journal::look(&answers, &setting)?.map(|it| it.with_api(common.api)),
        false => None,
    };
    // Wrong settings and files are found before anything is written.
    let mut expected = ExpectedRequests::new(common.max_output_tokens, &client, known.as_ref());
    protocol.expect(&mut expected)?;
    expected.check()?;
    if common.dry_run {
        let answers = known.as_ref().map_or(0, Journal::answers);
        return Ok(dry_run(protocol, &expected, answers).into());
    }
    // The HTTP client needs threads, and would panic without.
    let thread = thread::Builder::new().spawn(|| ());
    thread.map_err(|error| format!("no thread can be started: {error}"))?;
    let at = |error: std::io::Error| format!("{}: {error}", common.out.display());
    let runs = common.out.join("runs");
    fs::create_dir_all(&runs).map_err(at)?;
    program::remove_leftovers(&common.out);
    let journal = Journal::open(&answers, &setting)?
        .with_api(common.api)
        .with_most_unreadable(Some(common.unreadable_limit).filter(|most| *most > 0));
    let known = journal.answers();
    client.count_before(journal.spent());
    let ask = |request: &Request| client.ask(request);
    let cannot = |error| format!("interrupts cannot be handled: {error}");
    let code = i32::from(INTERRUPTED);
    // The order counts: the first interrupt sets what makes the second one end the program.
    flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&is_interrupted))
        .and_then(|_| flag::register(SIGINT, Arc::clone(&is_interrupted)))
        .map_err(cannot)?;
    let asking = Asking {
        journal: &journal,
        at_a_time: common.at_a_time,
        ask: &ask,
        is_interrupted: &is_interrupted,
    };
    let (mut records, mut report) = protocol.run(&asking).map_err(explained::<P>)?;
    for record in &mut records {
        record.run.model.get_or_insert_with(|| common.model.clone());
    }
    program::write_trajectories(&runs, records.iter().map(|it| (it.run.id.clone(), it.to_atif())))?;
    let mut turns = records.iter().flat_map(|it| &it.run.turns).peekable();
    let first = turns.peek().and_then(|turn| turn.error.clone());
    if let Some(first) = first
        && turns.all(|turn| turn.reply.is_none())
    {
        let n = records.len();
        return Err(format!("no request got a reply in {n} runs; the first error: {first}").into());
    }
    let spent = client.spent();
    let Spent { input_tokens, output_tokens, unsplit_tokens, uncounted, .. } = spent;
    let (benchmark, n, model) = (P::NAME, records.len(), plain::line(&common.model));
    // A missing count is not 0.
    let is_counted = uncounted == 0 && unsplit_tokens == 0;
    let cost = client.cost().map(|cost| Some(cost).filter(|_| is_counted));
    let dollars = cost.flatten().map_or(String::new(), |cost| format!(", {cost:.4} US dollars"));
    let tokens = match is_counted {
        true => format!("{input_tokens} tokens of prompts and {output_tokens} of replies{dollars}"),
        false => format!("{} tokens that are counted", spent.tokens(0)),
    };
    report.lead = format!("{benchmark} with {model}: {n} runs, {tokens}");
    let mut fields = vec![
        Field::json("benchmark", benchmark),
        Field::json("model", common.model.as_str()),
        Field::json("n_runs", n),
        Field::json("input_tokens", is_counted.then_some(input_tokens)),
        Field::json("output_tokens", is_counted.then_some(output_tokens)),
    ];
    fields.extend(cost.map(|cost| Field::json("cost_usd", cost)));
    report.together.fields.splice(0..0, fields);
    report
        .together
        .say_first(Position::Note, [format!("runs and answers are in {}", common.out.display())]);
    let counts = [
        (uncounted, "replies without a token count: their tokens and their cost are not known"),
        (
            unsplit_tokens,
            "tokens cannot be divided into prompts and replies, because the server counts both together",
        ),
        (known as u64, "answers were already in the folder"),
    ];
    let counts = counts.into_iter().filter(|(n, _)| *n > 0);
    report.together.say(Position::Note, counts.map(|(n, what)| format!("{n} {what}")));
    let page = page::of_report(&report);
    program::write_file(&common.out.join("report.html"), page.as_bytes())?;
    common.forms.show(report)
}

/// Adds advice to an error.
fn explained<P: Protocol>(error: Box<dyn Error>) -> Box<dyn Error> {
    use agent_benchmarks::Error as Problem;
    let help = match error.downcast_ref() {
        Some(Problem::Unreadable { .. }) => {
            format!("expected is {}; --unreadable-limit 0 continues in spite of this", P::FORM)
        }
        Some(Problem::Stopped { reason }) if reason.contains("max_completion_tokens") => {
            "--max-completion-tokens may help".to_owned()
        }
        Some(Problem::Stopped { reason }) if reason.contains("temperature") => {
            "--temperature none may help".to_owned()
        }
        _ => return error,
    };
    format!("{error}; {help}").into()
}

fn dry_run<P: Protocol>(protocol: &P, expected: &ExpectedRequests<'_>, answers: usize) -> String {
    let common = protocol.common();
    let [least, most] =
        expected.characters.map(|characters| characters / Request::CHARACTERS_PER_TOKEN);
    let upper = |unit: &str, most: String| {
        let replies = common.max_output_tokens;
        format!(", up to {most} {unit} if replies have {replies} tokens")
    };
    let growth = if most > least { upper("tokens", most.to_string()) } else { String::new() };
    let [fewest, requests] = expected.requests;
    let at_most =
        if requests > fewest { format!(" and at most {requests}") } else { String::new() };
    let there = if answers > 0 { format!("{answers} answers are there, ") } else { String::new() };
    let mut text = format!(
        "{}: {} conversations, at least {fewest}{at_most} requests, prompts of about {least} tokens{growth}; {there}nothing was asked\n",
        P::NAME,
        expected.conversations,
    );
    if let Some([input, _]) = common.prices {
        let [low, high] = [least, most].map(|tokens| tokens as f64 / 1e6 * input);
        let growth =
            if most > least { upper("US dollars", format!("{high:.4}")) } else { String::new() };
        text +=
            &format!("the prompts cost about {low:.4} US dollars{growth}; replies cost extra\n");
    }
    text
}
