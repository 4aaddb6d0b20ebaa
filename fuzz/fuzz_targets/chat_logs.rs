//! Chats, responses and recorded exchanges: what is read does not depend on how the bytes arrive, each
//! stream has a probability or a reason per turn, and what is left out is counted.

#![no_main]

use std::io::{Cursor, Read, Result as IoResult, Seek, SeekFrom};

use libfuzzer_sys::fuzz_target;
use run_logs::{
    ActionSpan, ConfidenceField, ConfidenceReading, ConfidenceStream, Error, FactRules,
    ForecastPolicy, Format, ReadLimits, ReadOptions, Run, RunTable, ShortLists, StreamOptions,
    read,
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
    let options = ReadOptions { limits, requests: true, ..ReadOptions::default() };
    let formats = [
        Format::Auto,
        Format::Exchanges,
        Format::OpenAiChat,
        Format::OpenAiResponses,
        Format::Gemini,
        Format::Ollama,
    ];
    for format in formats {
        let whole = read(Cursor::new(bytes), format, &options).and_then(Iterator::collect);
        let slowly = read(Slowly(Cursor::new(bytes)), format, &options).and_then(Iterator::collect);
        let whole: Result<Vec<Run>, Error> = whole;
        assert_eq!(format!("{whole:?}"), format!("{:?}", slowly as Result<Vec<Run>, Error>));
        if let Ok(runs) = whole {
            check(runs);
        }
    }
});

fn check(runs: Vec<Run>) {
    let lenient = ConfidenceField::new("confidence", ConfidenceReading::Lenient);
    let variants = [
        StreamOptions::default(),
        StreamOptions {
            action: ActionSpan::ToolCalls("tool_call"),
            confidence: lenient,
            short_lists: ShortLists::Refuse,
            ..StreamOptions::default()
        },
    ];
    let policy = FactRules::default();
    for options in variants {
        for turn in runs.iter().flat_map(|run| &run.turns) {
            for stream in ConfidenceStream::ALL {
                // Both readings agree on what the strict one accepts.
                if let (Ok(a), Ok(b)) =
                    (stream.value(turn, &StreamOptions::default()), stream.value(turn, &options))
                    && stream < ConfidenceStream::ActionTokenProbability
                {
                    assert_eq!(a, b);
                }
            }
        }
        let read = runs.iter().cloned().map(Ok);
        let table = RunTable::new(read, &policy, &options).expect("no run has several scorers");
        for stream in ConfidenceStream::ALL {
            for missing in [ForecastPolicy::LeaveOut, ForecastPolicy::Skip] {
                let found = table.stream(stream, missing).expect("neither policy refuses");
                let left_out: u64 = found.left_out().values().sum();
                assert_eq!(found.runs().len() + left_out as usize, runs.len());
                found.traces().expect("forecasts");
            }
        }
        let known = table.rows().iter().filter(|run| run.outcome.is_some());
        let known = known.filter(|run| !run.turn_usage.is_empty()).count();
        // A count of tokens may be too large for a cost.
        if let Ok(rollouts) = table.rollouts() {
            assert_eq!(rollouts.len(), known);
        }
    }
}
