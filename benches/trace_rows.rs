//! The limit that reading a file of traces is measured against: `serde_json` reads it, line by line, into a row
//! per run, and checks nothing.
//!
//! `cargo bench --bench trace_rows -- write FILE [DECIMALS]` writes a file of 10^6 runs with about ten
//! forecasts each, in full or with so many decimals; `… -- read FILE` reads one in both ways on one thread, in
//! turns, and prints the lowest processor times of [`ROUNDS`] and their ratio.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::{
    env,
    fs::File,
    hint::black_box,
    io::{BufRead, BufReader, BufWriter, Write},
};

use benches::processor_seconds;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use run_logs::{ForecastPolicy, TraceFile};
use serde::{Deserialize, Deserializer};

const RUNS: usize = 1_000_000;
const ROUNDS: usize = 5;

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

fn plain_rows(path: &str) -> Vec<Row> {
    let mut file = BufReader::new(File::open(path).unwrap());
    let (mut rows, mut line) = (Vec::new(), String::new());
    while file.read_line(&mut line).unwrap() > 0 {
        rows.push(serde_json::from_str(&line).unwrap());
        line.clear();
    }
    rows
}

fn runs(path: &str) -> TraceFile {
    TraceFile::read(path, File::open(path).unwrap(), ForecastPolicy::Refuse).unwrap()
}

/// The processor time of one call, in seconds. What it returns is dropped afterwards.
fn seconds<T>(read: impl FnOnce() -> T) -> f64 {
    let start = processor_seconds().unwrap();
    let found = black_box(read());
    let end = processor_seconds().unwrap();
    drop(found);
    end - start
}

fn read(path: &str) {
    let (mut plain, mut ours) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        plain = plain.min(seconds(|| plain_rows(path)));
        ours = ours.min(seconds(|| runs(path)));
    }
    println!("serde_json {plain:.2} s, run-logs {ours:.2} s, ratio {:.2}", ours / plain);
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file] => write(file, None),
        ["write", file, decimals] => write(file, Some(decimals.parse().unwrap())),
        ["read", file] => {
            // Processor time is that of this thread.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            pool.unwrap().install(|| read(file));
        }
        _ => println!("trace_rows: give write FILE [DECIMALS], or read FILE"),
    }
}
