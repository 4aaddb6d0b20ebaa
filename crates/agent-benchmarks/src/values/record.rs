use run_logs::{Run, to_atif};
use trajectory_metrics::tool_calls::Value;

use crate::{error::Error, values::reply_event::TurnEvent};

/// The field for the events of replies in the metadata of a run.
const EVENTS: &str = "reply_events";

/// The record of a conversation: a run that every tool for logs can read, and the problems of the replies in it.
///
/// ```
/// use std::io::Cursor;
/// use agent_benchmarks::{Record, ReplyEvent, Run, TurnEvent};
/// use run_logs::{Format, ReadOptions, read};
///
/// let events = vec![TurnEvent { turn: 0, event: ReplyEvent::SeveralCalls { made: 2 } }];
/// let record = Record { run: Run::new("query-1"), events };
///
/// let options = ReadOptions::default();
/// let mut runs = read(Cursor::new(record.to_atif()), Format::Atif, &options)?;
/// let run = runs.next().expect("the text holds one run")?;
/// assert_eq!(Record::from_run(run)?, record);
/// # Ok::<(), agent_benchmarks::Error>(())
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
    /// Returns the run with the events in its metadata, in the form for a log.
    #[must_use]
    pub fn to_run(&self) -> Run {
        let mut run = self.run.clone();
        if !self.events.is_empty() {
            // Words and counts, which every format can represent.
            let events = serde_json::to_value(&self.events).and_then(serde_json::from_value);
            run.metadata.insert(EVENTS.to_owned(), events.unwrap_or_default());
        }
        run
    }

    /// Restores the events from the metadata of a run.
    ///
    /// # Errors
    ///
    /// [`Error::StoredValue`] if the metadata has events that [`Self::to_run`] does not write.
    pub fn from_run(mut run: Run) -> Result<Self, Error> {
        let events = run.metadata.remove(EVENTS).unwrap_or(Value::List(Vec::new()));
        let events = serde_json::to_value(events).and_then(serde_json::from_value);
        let wrong = |error| Error::StoredValue { problem: format!("{EVENTS}: {error}") };
        Ok(Self { run, events: events.map_err(wrong)? })
    }

    /// Returns the run as a trajectory of the Agent Trajectory Interchange Format; see [`to_atif`].
    #[must_use]
    pub fn to_atif(&self) -> String {
        to_atif(&self.to_run())
    }
}
