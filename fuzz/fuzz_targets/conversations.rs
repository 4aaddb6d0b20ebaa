//! Replies of a model to CostBench, read from recorded exchanges: the conversation goes on or ends, every
//! call is answered, and the record repeats it.

#![no_main]

use std::io::Cursor;

use agent_benchmarks::{
    Conversation, Role,
    costbench::{CostBench, EventKind, Split, queries},
};
use libfuzzer_sys::fuzz_target;
use run_logs::{Error, Format, ReadLimits, ReadOptions, Run, read};

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let limits = ReadLimits { max_string: 1 << 12, max_run: 1 << 18, ..ReadLimits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let runs: Result<Vec<Run>, Error> =
        read(Cursor::new(bytes), Format::Exchanges, &options).and_then(Iterator::collect);
    let Ok(runs) = runs else { return };
    let kinds = EventKind::ALL;
    let events = vec![kinds[usize::from(first) % 4], kinds[usize::from(first / 4) % 4]];
    let bench = CostBench::new(usize::from(first) % 3).expect("a level").with_events(events);
    let query = &queries(Split::Test, 42)[usize::from(first)];
    let instance = bench.instance(query);
    let mut conversation = instance.conversation();
    let replies = runs.into_iter().flat_map(|run| run.turns).filter_map(|turn| turn.reply);
    for reply in replies {
        let Some(request) = conversation.request() else { break };
        let (before, calls) = (request.messages.len(), reply.tool_calls.len());
        conversation.reply(reply).expect("the conversation waits for a reply");
        if let Some(request) = conversation.request() {
            let new = request.messages[before..].iter();
            assert_eq!(new.filter(|message| message.role == Role::Tool).count(), calls);
        }
    }
    let record = conversation.finish();
    let mut again = instance.conversation();
    for turn in &record.record.run.turns {
        let reply = turn.reply.clone().expect("each turn has a reply");
        again.reply(reply).expect("the same replies");
    }
    // NaN differs from itself.
    assert_eq!(format!("{:?}", again.finish()), format!("{record:?}"));
});
