use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use run_logs::Reply;
use trajectory_metrics::random::fnv1a;

use crate::{
    client::journal::{Answer, Journal},
    engines::{
        api::openai_chat_body,
        conversation::{Conversation, ModelError},
    },
    error::Error,
    values::request::Request,
};

/// The reason why a request has no response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The server sent no response; the conversation ends with this reason.
    #[error(transparent)]
    NoReply(#[from] ModelError),
    /// A local fault. The conversation ends as with [`Self::NoReply`], but the journal does not keep the fault. The
    /// same call sends the request again, which costs nothing extra.
    #[error("{0}")]
    NotKept(ModelError),
    /// No more requests may be sent, for example because a cap is reached. The conversation stays unfinished.
    #[error("no further requests are sent: {0}")]
    Stop(String),
}

/// Drives conversations to their ends, at most `at_a_time` of them at the same time, and returns their records in the
/// order of the conversations. `start` creates a conversation, and `ask` sends a request.
///
/// `conversations` has a name for each conversation, which must be unique in the journal. `ask` returns the JSON of a
/// response, as [`Client::ask`](super::Client::ask) does. Each answer is written to the journal before the conversation
/// continues, and existing answers are not requested again: after a kill at any moment, the same call returns the
/// records that it would have returned. `finished` is called with the position and the record of each conversation as
/// soon as it has ended, in any order, for a progress bar or a file.
///
/// # Errors
///
/// [`Error::Stopped`] if `ask` stops or returns an unreadable response, [`Error::Unreadable`] at the limit of
/// [`Journal::with_most_unreadable`], and [`Error::Invalid`] for a journal of other conversations, or one that cannot be written.
/// Even then, the journal keeps the answers received so far.
///
/// ```
/// # #[cfg(feature = "costbench")] {
/// # let folder = std::env::temp_dir().join(format!("agent-benchmarks-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("answers.jsonl");
/// use agent_benchmarks::client::{AskError, Journal, run_all};
/// use agent_benchmarks::costbench::{CostBench, Split, queries};
///
/// let bench = CostBench::new(0)?;
/// let instances = queries(Split::Test, 42).into_iter().take(3).map(|it| bench.instance(&it));
/// let named: Vec<_> = instances.map(|it| (it.query().id.clone(), it)).collect();
///
/// let ask = |_: &_| Ok(br#"{"choices": [{"message": {"content": "<answer>x</answer>"}}]}"#.to_vec());
/// let journal = Journal::open(&path, "costbench, level 0")?;
/// let records = run_all(&journal, &named, |it| it.conversation(), ask, 2, |_, _| {})?;
///
/// // Everything is answered now. A journal belongs to one owner at a time.
/// drop(journal);
/// let never = |_: &_| Err(AskError::Stop("not asked".to_owned()));
/// let journal = Journal::open(&path, "costbench, level 0")?;
/// let again = run_all(&journal, &named, |it| it.conversation(), never, 2, |_, _| {})?;
/// assert_eq!(records, again);
/// # std::fs::remove_dir_all(&folder)?;
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_all<'a, T: Sync, C: Conversation>(
    journal: &Journal,
    conversations: &'a [(String, T)],
    start: impl Fn(&'a T) -> C + Sync,
    ask: impl Fn(&Request) -> Result<Vec<u8>, AskError> + Sync,
    at_a_time: usize,
    finished: impl Fn(usize, &C::Record) + Sync,
) -> Result<Vec<C::Record>, Error>
where
    C::Record: Send,
{
    let mut names = BTreeSet::new();
    if let Some((name, _)) = conversations.iter().find(|(name, _)| !names.insert(name)) {
        return Err(journal.wrong(format!("two conversations are called {name:?}")));
    }
    let next = AtomicUsize::new(0);
    let stops = AtomicBool::new(false);
    let results = Mutex::new(Vec::new());
    let work = || {
        while !stops.load(Ordering::Relaxed) {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, instance)) = conversations.get(position) else { return };
            let record = drive(journal, name, start(instance), &ask, &stops);
            match &record {
                Ok(Some(record)) => finished(position, record),
                Ok(None) => return,
                Err(_) => stops.store(true, Ordering::Relaxed),
            }
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((position, record));
        }
    };
    thread::scope(|scope| {
        for _ in 1..at_a_time.clamp(1, conversations.len().max(1)) {
            // Fewer threads than requested do the same work, and the current thread always exists.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(position, _)| *position);
    results.into_iter().filter_map(|(_, record)| record.transpose()).collect()
}

/// Drives one conversation; `None` if it was abandoned because another one stopped.
fn drive<C: Conversation>(
    journal: &Journal,
    name: &str,
    mut conversation: C,
    ask: &(impl Fn(&Request) -> Result<Vec<u8>, AskError> + Sync),
    stops: &AtomicBool,
) -> Result<Option<C::Record>, Error> {
    let mut turn = journal.resume(name, &mut conversation)?;
    while let Some(request) = conversation.request() {
        if stops.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let fingerprint = fnv1a(openai_chat_body(request, "").bytes());
        let kind = conversation.awaits();
        let answer = match ask(request) {
            Ok(response) => Answer::Response(String::from_utf8_lossy(&response).into_owned()),
            Err(AskError::NoReply(error)) => Answer::NoReply(error.message),
            Err(AskError::NotKept(error)) => {
                conversation.fail(&error);
                continue;
            }
            Err(AskError::Stop(reason)) => return Err(Error::Stopped { reason }),
        };
        // An unreadable response is not kept, so a journal has none.
        let reply = journal.read(&answer).map_err(|error| {
            let reason = format!("the response to request {turn} of {name:?}: {error}");
            Error::Stopped { reason }
        })?;
        journal.write(name, turn, fingerprint, &answer)?;
        turn += 1;
        match reply {
            Ok(reply) => {
                let text = reply.text.clone();
                conversation.reply(reply)?;
                journal.note(kind, conversation.problem(), &text)?;
            }
            Err(error) => {
                conversation.fail(&error);
                journal.note(kind, Some(error.message), "")?;
            }
        }
    }
    Ok(Some(conversation.finish()))
}

impl Journal {
    /// Gives a conversation the answers that are stored under this name, and returns their number. No request is sent.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if a request differs from the answered one, or an answer is unreadable.
    pub fn resume(&self, name: &str, conversation: &mut impl Conversation) -> Result<usize, Error> {
        let mut turn = 0;
        while let Some(request) = conversation.request() {
            let fingerprint = fnv1a(openai_chat_body(request, "").bytes());
            let Some(answer) = self.answer(name, turn, fingerprint)? else { break };
            let reply = self.read(&answer).map_err(|error| {
                self.wrong(format!("the response to request {turn} of {name:?}: {error}"))
            })?;
            match reply {
                Ok(reply) => conversation.reply(reply)?,
                Err(error) => conversation.fail(&error),
            }
            turn += 1;
        }
        Ok(turn)
    }

    fn read(&self, answer: &Answer) -> Result<Result<Reply, ModelError>, Error> {
        Ok(match answer {
            Answer::Response(response) => Ok(self.api.read_reply(response.as_bytes())?),
            Answer::NoReply(message) => Err(ModelError::new(message)),
        })
    }
}
