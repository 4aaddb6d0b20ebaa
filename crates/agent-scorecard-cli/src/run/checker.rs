//! External programs that judge answers.

use std::{
    fmt,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use agent_benchmarks::{ModelError, Request, client::AskError};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::run::common::KEY;

/// A program that receives an answer and returns whether it is right.
#[derive(Clone, Debug)]
pub(crate) struct Checker {
    /// The program and its arguments. They are not passed to a shell.
    words: Vec<String>,
}

/// The maximum number of bytes of a verdict.
const MOST: u64 = 1 << 16;

impl fmt::Display for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

impl Checker {
    /// Creates a command from words separated by blanks.
    pub(crate) fn new(command: &str) -> Result<Self, &'static str> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() { Err("give a program") } else { Ok(Self { words }) }
    }

    /// Returns the verdict as a response. An answer without a verdict is left out, and a repeated call checks it again.
    /// A program that cannot be started or fails stops the run.
    pub(crate) fn ask(&self, request: &Request, limit: Duration) -> Result<Vec<u8>, AskError> {
        let line = request.messages.iter().map(|message| message.text.as_str()).collect::<String>();
        let solved = self.verdict(&line, limit)?;
        let reply = json!({"choices": [{"message": {"content": solved.to_string()}}]});
        Ok(reply.to_string().into_bytes())
    }

    fn verdict(&self, line: &str, limit: Duration) -> Result<bool, AskError> {
        let name = &self.words[0];
        let cannot = |error| AskError::Stop(format!("the checker {name} cannot be run: {error}"));
        let mut command = Command::new(name);
        // What a model wrote may run in it.
        command.env_remove(KEY);
        command.args(&self.words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        // An interrupt is meant for the run. A checker that gets it too may call an answer wrong for that.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.stderr(Stdio::null()).spawn().map_err(cannot)?;
        let (send, verdict) = mpsc::channel();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let input = format!("{line}\n");
        // A program that neither reads nor ends holds these threads up, and not the run.
        let threads = [
            thread::Builder::new().spawn(move || {
                // A program may answer without reading everything.
                let _ = stdin.map(|mut pipe| pipe.write_all(input.as_bytes()));
            }),
            thread::Builder::new().spawn(move || {
                let mut found = Vec::new();
                let Some(pipe) = stdout else { return };
                let mut pipe = BufReader::new(pipe);
                let _ = pipe.by_ref().take(MOST).read_until(b'\n', &mut found);
                let _ = send.send(found);
                // A program that writes more must not fail because nobody reads.
                let _ = io::copy(&mut pipe, &mut io::sink());
            }),
        ];
        let started = Instant::now();
        let found = verdict.recv_timeout(limit);
        let mut ended = None;
        while found.is_ok() && started.elapsed() < limit && ended.is_none() {
            ended = child.try_wait().ok().flatten();
            if ended.is_none() {
                thread::sleep(Duration::from_millis(5));
            }
        }
        // What it started ends with it.
        #[cfg(unix)]
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = child.kill();
        let _ = child.wait();
        threads.into_iter().find_map(Result::err).map_or(Ok(()), |error| Err(cannot(error)))?;
        if let Some(status) = ended.filter(|status| !status.success()) {
            let asked: Option<Value> = serde_json::from_str(line).ok();
            let id = asked.as_ref().map_or(&Value::Null, |asked| &asked["id"]);
            let problem = format!("the checker {name} ended with {status} for the question {id}");
            return Err(AskError::Stop(problem));
        }
        let wrong = |problem: String| AskError::NotKept(ModelError::new(problem));
        let seconds = limit.as_secs();
        let found = found.map_err(|_| wrong(format!("it wrote no line in {seconds} s")))?;
        let line = found.trim_ascii();
        // A list would be read as the fields in their order.
        let verdict = line.starts_with(b"{").then(|| serde_json::from_slice(line));
        verdict.and_then(|read| read.ok()).map(|Verdict { solved }| solved).ok_or_else(|| {
            let shown: String = String::from_utf8_lossy(line).chars().take(200).collect();
            let problem = "which is not {\"solved\": true} or {\"solved\": false}; logs belong on standard error";
            wrong(format!("the first line that it wrote is {shown:?}, {problem}"))
        })
    }
}

/// The output of a checker. A repeated field is refused.
#[derive(serde::Deserialize)]
struct Verdict {
    solved: bool,
}
