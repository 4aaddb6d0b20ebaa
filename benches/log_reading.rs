//! Reading of logs in MB/s, beside `rivals_logs.py`, which reads the same files with Python.
//!
//! The files are those of run-logs' tests, repeated to about 30 MB. With a file or folder as an
//! argument, that one is read, and the peak memory of the process is printed, which does not depend
//! on its length.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::{env, fs, hint::black_box, io::Cursor, path::Path, time::Instant};

use run_logs::{FactRules, Format, ReadOptions, RunTable, StreamOptions, read, read_path};

const FILES: [&str; 5] = [
    "streams/synthetic",
    "chat/openai_chat",
    "chat/openai_responses",
    "chat/gemini",
    "chat/ollama",
];
const RUNS: usize = 5;

/// Seconds that the thread has run, where Linux counts them: other programs do not count then.
fn seconds(start: Instant) -> f64 {
    let run = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = run.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// The lowest seconds of several runs.
fn lowest(mut work: impl FnMut()) -> f64 {
    let clock = Instant::now();
    let times = (0..RUNS).map(|_| {
        let start = seconds(clock);
        work();
        seconds(clock) - start
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The bytes of a file, or of the files that run-logs reads in a folder of trials.
fn bytes_of(path: &Path) -> u64 {
    if !path.is_dir() {
        let is_read = path.file_name().is_some_and(|name| name != "config.json");
        return fs::metadata(path).map_or(0, |data| if is_read { data.len() } else { 0 });
    }
    fs::read_dir(path).unwrap().map(|entry| bytes_of(&entry.unwrap().path())).sum()
}

fn runs_of(bytes: &[u8]) -> usize {
    let runs = read(Cursor::new(bytes), Format::Auto, &ReadOptions::default()).unwrap();
    runs.map(|run| black_box(run.unwrap()).turns.len()).sum()
}

fn main() {
    let file = env::args().skip(1).find(|argument| !argument.starts_with("--"));
    if let Some(file) = file {
        let path = Path::new(&file);
        let mut turns = 0;
        let seconds = lowest(|| {
            let runs = read_path(path, Format::Auto, &ReadOptions::default()).unwrap();
            turns = runs.map(|run| run.unwrap().turns.len()).sum();
        });
        let megabytes = bytes_of(path) as f64 / 1e6;
        println!("{turns} turns, {megabytes:.0} MB, {:.0} MB/s", megabytes / seconds);
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/run-logs/tests/golden");
    for name in FILES {
        let once = fs::read(folder.join(format!("{name}.jsonl"))).unwrap();
        let bytes = once.repeat(30_000_000 / once.len());
        let megabytes = bytes.len() as f64 / 1e6;
        let read_only = lowest(|| {
            black_box(runs_of(&bytes));
        });
        let with_streams = lowest(|| {
            let runs = read(Cursor::new(&bytes), Format::Auto, &ReadOptions::default()).unwrap();
            let policy = FactRules::default();
            black_box(RunTable::new(runs, &policy, &StreamOptions::default()).unwrap());
        });
        println!(
            "{name}: runs {:.0} MB/s, runs and streams {:.0} MB/s",
            megabytes / read_only,
            megabytes / with_streams
        );
    }
}
