//! Logs of agents: sessions, spans, and lines of any program. What is read does not depend on how the bytes arrive, the memory of a
//! run is limited, and a run of any format becomes a row, a span and a trajectory.

#![no_main]

use std::io::{Cursor, Read, Result as IoResult, Seek, SeekFrom};

use libfuzzer_sys::fuzz_target;
use run_logs::{
    Error, FactRules, Format, LineFields, ReadLimits, ReadOptions, Run, RunTable, StreamOptions,
    read, to_atif,
};

/// Bytes that arrive a few at a time.
struct Slowly<'a>(Cursor<&'a [u8]>);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let few = buffer.len().min(3);
        self.0.read(&mut buffer[..few])
    }
}

impl Seek for Slowly<'_> {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        self.0.seek(to)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let limits = ReadLimits { max_string: 1 << 12, max_run: 1 << 20, ..ReadLimits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    for format in Format::ALL {
        let whole = read(Cursor::new(bytes), *format, &options).and_then(Iterator::collect);
        let slowly =
            read(Slowly(Cursor::new(bytes)), *format, &options).and_then(Iterator::collect);
        let whole: Result<Vec<Run>, Error> = whole;
        assert_eq!(format!("{whole:?}"), format!("{:?}", slowly as Result<Vec<Run>, Error>));
        if let Ok(runs) = whole {
            check(runs);
        }
    }
    if let Ok(proposed) = LineFields::suggest(bytes) {
        let names = proposed.iter().map(|it| format!("{}={}", it.fact.name(), it.path));
        for name in names {
            let fields = LineFields::new([name]).expect("what is proposed is accepted");
            let runs = fields.read(bytes, &options).and_then(Iterator::collect);
            if let Ok(runs) = runs {
                check(runs);
            }
        }
    }
});

fn check(runs: Vec<Run>) {
    let amounts = |run: &Run| {
        let seconds = run.turns.iter().filter_map(|turn| turn.seconds);
        run.seconds.into_iter().chain(run.usage.cost_usd).chain(seconds).collect::<Vec<f64>>()
    };
    for run in &runs {
        assert!(amounts(run).iter().all(|it| it.is_finite() && *it >= 0.0), "{run:?}");
        let text = to_atif(run);
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
    }
    let rules = FactRules { is_lenient: true, ..FactRules::default() };
    let read = runs.into_iter().map(Ok);
    if let Ok(table) = RunTable::new(read, &rules, &StreamOptions::default()) {
        for row in table.rows() {
            let written = row.to_otlp().to_string();
            let back = read_spans(&written);
            assert_eq!(back, 1, "{written}");
            let calls: u64 = row.steps.iter().map(|step| step.n).sum();
            assert!(calls >= row.tool_calls.len() as u64);
        }
    }
}

/// The number of runs in spans.
fn read_spans(text: &str) -> usize {
    read(Cursor::new(text), Format::Auto, &ReadOptions::default()).expect("spans").count()
}
