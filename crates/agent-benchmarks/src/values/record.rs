use run_logs::{Run, to_atif};

use crate::values::reply_event::TurnEvent;

/// The record of a conversation: a run that every tool for logs can read, and the problems of the replies in it.
///
/// ```
/// use agent_benchmarks::{Record, ReplyEvent, Run, TurnEvent};
///
/// let events = vec![TurnEvent { turn: 0, event: ReplyEvent::SeveralCalls { made: 2 } }];
/// let log = Record { run: Run::new("query-1"), events }.to_atif();
/// assert!(log.contains("several_calls"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The run, with one turn for each request. Its metadata has `requests`: for each turn, the `messages` of its request with
    /// `role` and `content`. The first `repeats` messages, which repeat the previous request and its reply, are left out.
    pub run: Run,
    /// The problems of the replies, in the order of the turns.
    pub events: Vec<TurnEvent>,
}

impl Record {
    /// The run, with the events in its metadata, as a trajectory of the Agent Trajectory Interchange Format; see [`to_atif`].
    #[must_use]
    pub fn to_atif(&self) -> String {
        let mut run = self.run.clone();
        if !self.events.is_empty() {
            // Words and counts, which every format can represent.
            let events = serde_json::to_value(&self.events).and_then(serde_json::from_value);
            run.metadata.insert("reply_events".to_owned(), events.unwrap_or_default());
        }
        to_atif(&run)
    }
}
