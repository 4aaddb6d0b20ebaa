use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use run_logs::Reply;
use serde::{Deserialize, Serialize};
use trajectory_metrics::random::fnv1a;

use crate::{engines::api::Api, error::Error, values::macros::setters};

/// A file of answered requests, as append-only JSON Lines. Only one program at a time can have it open for writing.
///
/// The first line has the setting. Each further line has the name of a conversation, the position of the request, a fingerprint
/// of the request, the response, and a checksum of the line and of the previous line. A line is on the disk before the answer is
/// used. An incomplete last line is dropped when the file is opened again. The checksums reveal lines that were edited, moved or
/// removed, but are no protection against someone who recomputes them.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    pub(super) api: Api,
    most_unreadable: Option<usize>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    answers: BTreeMap<(String, usize), (u64, Answer)>,
    /// The checksum of the last line.
    checksum: u64,
    /// The number of consecutive unusable replies among the latest new replies of each kind.
    unreadable: BTreeMap<usize, usize>,
}

/// The answer of a server to one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The JSON of the response.
    Response(String),
    /// The reason why the server sent no response.
    NoReply(String),
}

#[derive(Serialize, Deserialize)]
struct Header {
    journal: u32,
    setting: String,
}

#[derive(Serialize, Deserialize)]
struct Line {
    run: String,
    request: usize,
    fingerprint: u64,
    answer: Answer,
    checksum: u64,
}

impl Line {
    /// Returns the checksum of this line after one with the checksum `before`.
    fn checksum_after(&self, before: u64) -> u64 {
        let (kind, answer) = match &self.answer {
            Answer::Response(response) => ("response", response),
            Answer::NoReply(problem) => ("no_reply", problem),
        };
        let Self { run, request, fingerprint: of, .. } = self;
        fnv1a(format!("{before} {run:?} {request} {of} {kind} {answer}").bytes())
    }
}

const VERSION: u32 = 2;

impl Journal {
    /// Opens a journal, or creates one. `setting` describes the experiment in words: model, benchmark, options.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the file is no regular file, cannot be read or written, or belongs to another setting, or if a line
    /// is not an answer or was edited, moved or removed.
    pub fn open(path: impl AsRef<Path>, setting: &str) -> Result<Self, Error> {
        Self::with_path(path.as_ref(), setting, true)
    }

    /// Opens a journal only for reading, for example to see the remaining requests; `None` if there is no file. Another
    /// program may have the journal open.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::open`].
    pub fn look(path: impl AsRef<Path>, setting: &str) -> Result<Option<Self>, Error> {
        let path = path.as_ref();
        path.exists().then(|| Self::with_path(path, setting, false)).transpose()
    }

    fn with_path(path: &Path, setting: &str, may_write: bool) -> Result<Self, Error> {
        let wrong = |problem: String| Error::invalid(format!("{}: {problem}", path.display()));
        let cannot = |error: io::Error| wrong(error.to_string());
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(wrong("it is no regular file".to_owned()));
        }
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(may_write)
            .create(may_write)
            .truncate(false)
            .open(path)
            .map_err(cannot)?;
        if may_write && let Err(error) = file.try_lock() {
            return Err(wrong(format!("another program uses it ({error})")));
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(cannot)?;
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let head = Header { journal: VERSION, setting: setting.to_owned() };
        let mut answers = BTreeMap::new();
        let mut lines = (1..).zip(content[..whole].split_inclusive(|&byte| byte == b'\n'));
        let header = lines.next();
        if let Some((_, line)) = header {
            let header: Header = serde_json::from_slice(line)
                .map_err(|error| wrong(format!("line 1 is not the head of a journal: {error}")))?;
            if header.journal != VERSION {
                let version = header.journal;
                return Err(wrong(format!("its version is {version}; it must be {VERSION}")));
            }
            if header.setting != setting {
                let other = header.setting;
                let problem = format!("it is of another setting, {other}; this one is {setting}");
                return Err(wrong(problem));
            }
        } else if !serde_json::to_vec(&head).is_ok_and(|head| head.starts_with(&content)) {
            // An incomplete head may be replaced; someone else's notes may not.
            return Err(wrong("line 1 is not the head of a journal of this setting".to_owned()));
        }
        let mut checksum = 0;
        for (number, line) in lines {
            let line: Line = serde_json::from_slice(line)
                .map_err(|error| wrong(format!("line {number} is no answer: {error}")))?;
            if line.checksum != line.checksum_after(checksum) {
                let problem = "one of them was edited, moved, repeated or removed; delete this line and all lines after it";
                return Err(wrong(format!(
                    "line {number} does not follow the line before it: {problem}"
                )));
            }
            checksum = line.checksum;
            let Line { run, request, fingerprint, answer, .. } = line;
            answers.insert((run, request), (fingerprint, answer));
        }
        // Nothing is changed until the file is known to be a journal of this setting.
        if may_write {
            file.set_len(whole as u64).map_err(cannot)?;
            file.seek(SeekFrom::End(0)).map_err(cannot)?;
        }
        if may_write && whole == 0 {
            write_line(&mut file, &head).map_err(cannot)?;
        }
        let state = Mutex::new(State { file, answers, checksum, unreadable: BTreeMap::new() });
        Ok(Self { path: path.to_owned(), api: Api::default(), most_unreadable: None, state })
    }

    setters! {
        /// Sets the format of the responses. The default is OpenAI's chat completions.
        with_api(api: Api);

        /// Stops sending requests after this many consecutive new replies of one kind
        /// ([`Conversation::awaits`](crate::Conversation::awaits)) were unusable. A model that never uses the requested
        /// form then costs little. By default, there is no such limit.
        with_most_unreadable(most_unreadable: Option<usize>);
    }

    /// Records a new reply of this kind and text, with its problem if it has one.
    pub(super) fn note(
        &self,
        kind: usize,
        problem: Option<String>,
        text: &str,
    ) -> Result<(), Error> {
        let mut state = self.state();
        let unreadable = state.unreadable.entry(kind).or_default();
        let Some(problem) = problem else {
            *unreadable = 0;
            return Ok(());
        };
        *unreadable += 1;
        // Conversations that ran at the same time may each have had one further unusable reply.
        if let Some(replies) = self.most_unreadable.filter(|most| *unreadable >= *most) {
            let reply = text.chars().take(300).collect();
            return Err(Error::Unreadable { replies, problem, reply });
        }
        Ok(())
    }

    /// Returns the number of answers.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.state().answers.len()
    }

    /// Returns the usage of all answers. An answer without a reply, such as one that was too large, is treated as a
    /// reply without a token count.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let mut spent = Spent::default();
        for (_, answer) in self.state().answers.values() {
            let reply = match answer {
                Answer::Response(response) => self.api.read_reply(response.as_bytes()).ok(),
                Answer::NoReply(_) => None,
            };
            spent.add(reply.as_ref());
        }
        spent
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the answer to a request, if there is one.
    pub(super) fn answer(
        &self,
        run: &str,
        request: usize,
        fingerprint: u64,
    ) -> Result<Option<Answer>, Error> {
        match self.state().answers.get(&(run.to_owned(), request)) {
            Some((known, answer)) if *known == fingerprint => Ok(Some(answer.clone())),
            Some(_) => {
                let problem =
                    format!("request {request} of {run:?} is not the one that was answered");
                Err(self.wrong(problem))
            }
            None => Ok(None),
        }
    }

    /// Adds an answer, and returns once it is on the disk.
    pub(super) fn write(
        &self,
        run: &str,
        request: usize,
        fingerprint: u64,
        answer: &Answer,
    ) -> Result<(), Error> {
        let (run, answer) = (run.to_owned(), answer.clone());
        let mut line = Line { run, request, fingerprint, answer, checksum: 0 };
        let mut state = self.state();
        line.checksum = line.checksum_after(state.checksum);
        write_line(&mut state.file, &line).map_err(|error| self.wrong(error.to_string()))?;
        state.checksum = line.checksum;
        state.answers.insert((line.run, request), (fingerprint, line.answer));
        Ok(())
    }

    pub(super) fn wrong(&self, problem: String) -> Error {
        Error::invalid(format!("{}: {problem}", self.path.display()))
    }
}

fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    let before = file.stream_position()?;
    let written = file.write_all(&text).and_then(|()| file.sync_data());
    if written.is_err() {
        // A partial line must not become the beginning of the next one. The first error is the one to report.
        let _ = file.set_len(before).and_then(|()| file.seek(SeekFrom::End(0)));
    }
    written
}

/// The usage of all replies: the known numbers of tokens, and the number of replies without a count.
///
/// ```
/// use agent_benchmarks::{Reply, client::Spent, run_logs::Usage};
///
/// let usage = Usage { input_tokens: Some(900), output_tokens: Some(100), ..Usage::default() };
/// let counted = Reply { text: "18".to_owned(), usage: Some(usage), ..Reply::default() };
/// let mut spent = Spent::default();
/// spent.add(Some(&counted));
/// spent.add(Some(&Reply::default()));
/// assert_eq!((spent.input_tokens, spent.output_tokens, spent.uncounted), (900, 100, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spent {
    /// The number of tokens of prompts.
    pub input_tokens: u64,
    /// The number of tokens of replies.
    pub output_tokens: u64,
    /// The number of tokens of replies that report only the sum of prompt and reply tokens.
    pub unsplit_tokens: u64,
    /// The number of replies that report no token count.
    pub uncounted: u64,
}

impl Spent {
    /// Adds the usage of a reply; `None` means that the reply was unreadable. A count beyond `u64::MAX` stays at that
    /// maximum.
    ///
    /// A prompt has at least one token, and so has a non-empty reply: a count of 0 there means that the count is unknown.
    pub fn add(&mut self, reply: Option<&Reply>) {
        let usage = reply.and_then(|reply| reply.usage.as_ref());
        let is_empty = reply.is_some_and(|it| it.text.is_empty() && it.tool_calls.is_empty());
        let split = usage.and_then(|usage| usage.input_tokens.zip(usage.output_tokens));
        let total = usage.and_then(|usage| usage.total_tokens()).unwrap_or(0);
        match split {
            Some((input, output)) if input > 0 && (output > 0 || is_empty) => {
                self.input_tokens = self.input_tokens.saturating_add(input);
                self.output_tokens = self.output_tokens.saturating_add(output);
                // A total that exceeds the sum of both counts.
                let rest = total.saturating_sub(input.saturating_add(output));
                self.unsplit_tokens = self.unsplit_tokens.saturating_add(rest);
            }
            None if total > 0 => self.unsplit_tokens = self.unsplit_tokens.saturating_add(total),
            _ => self.uncounted = self.uncounted.saturating_add(1),
        }
    }

    /// Returns the total number of tokens, with `of_uncounted` tokens for each reply without a token count.
    #[must_use]
    pub fn tokens(&self, of_uncounted: u64) -> u64 {
        let split = self.input_tokens.saturating_add(self.output_tokens);
        split.saturating_add(self.unsplit(of_uncounted))
    }

    /// Returns the cost in US dollars at these prices per million prompt tokens and per million reply tokens. A reply
    /// without a token count has `of_uncounted` tokens. Tokens of unknown kind have the higher price.
    #[must_use]
    pub fn cost(&self, [input, output]: [f64; 2], of_uncounted: u64) -> f64 {
        let tokens = [self.input_tokens, self.output_tokens, self.unsplit(of_uncounted)];
        let prices = [input, output, input.max(output)];
        tokens.into_iter().zip(prices).map(|(tokens, price)| tokens as f64 / 1e6 * price).sum()
    }

    fn unsplit(&self, of_uncounted: u64) -> u64 {
        self.unsplit_tokens.saturating_add(self.uncounted.saturating_mul(of_uncounted))
    }
}
