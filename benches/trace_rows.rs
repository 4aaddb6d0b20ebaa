//! The limit that `agent-scorecard traces` is measured against: `serde_json` reads a file of traces, line by
//! line, into a row per run, and nothing is computed.
//!
//! `cargo bench --bench trace_rows -- write FILE [DECIMALS]` writes a file of 10^6 runs with about ten
//! forecasts each, in full or with so many decimals; `… -- read FILE` reads one and prints the times.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::{
    env,
    fs::File,
    io::{BufRead, BufReader, BufWriter, Write},
    time::Instant,
};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Deserializer};

const RUNS: usize = 1_000_000;

#[derive(Deserialize)]
#[allow(dead_code, reason = "the rows are made and not used")]
struct Row {
    id: String,
    task: Option<String>,
    forecasts: Vec<Option<f64>>,
    #[serde(deserialize_with = "nullable")]
    outcome: Option<bool>,
    stop: Option<String>,
    horizon: Option<usize>,
}

fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Option::deserialize(deserializer)
}

fn write(path: &str, decimals: Option<usize>) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for run in 0..RUNS {
        let chance: f64 = random.random();
        let success = random.random_bool(chance);
        let forecasts: Vec<String> = (0..random.random_range(5..=15))
            .map(|_| {
                let forecast = (chance + random.random_range(-0.4..0.4)).clamp(0.0, 1.0);
                decimals.map_or_else(|| forecast.to_string(), |n| format!("{forecast:.n$}"))
            })
            .collect();
        let end = match random.random_range(0..50) {
            0 => r#"null, "stop": "user_stop""#.to_owned(),
            1..5 => r#"null, "stop": "max_steps", "horizon": 15"#.to_owned(),
            _ => format!(r#"{success}, "stop": "completed""#),
        };
        writeln!(
            file,
            r#"{{"id": "run-{run:07}", "task": "task-{:06}", "forecasts": [{}], "outcome": {end}}}"#,
            run / 10,
            forecasts.join(", ")
        )
        .unwrap();
    }
}

fn read(path: &str) {
    let start = Instant::now();
    let mut file = BufReader::new(File::open(path).unwrap());
    let (mut rows, mut line) = (Vec::<Row>::new(), String::new());
    while file.read_line(&mut line).unwrap() > 0 {
        rows.push(serde_json::from_str(&line).unwrap());
        line.clear();
    }
    let forecasts: usize = rows.iter().map(|row| row.forecasts.len()).sum();
    println!("{} runs, {forecasts} forecasts, {:.2} s", rows.len(), start.elapsed().as_secs_f64());
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file] => write(file, None),
        ["write", file, decimals] => write(file, Some(decimals.parse().unwrap())),
        ["read", file] => read(file),
        _ => println!("trace_rows: give write FILE [DECIMALS], or read FILE"),
    }
}
