//! The arguments that the programs share, and how they run a query.

use std::{
    env,
    ffi::OsString,
    fs,
    future::Future,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc, OnceLock,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Parser;
use datafusion::{
    execution::{
        SessionStateBuilder,
        memory_pool::FairSpillPool,
        runtime_env::{RuntimeEnv, RuntimeEnvBuilder},
    },
    prelude::{SessionConfig, SessionContext},
};
use futures::future;
use tokio::runtime::Builder;

use crate::{
    error::{Error, Problem},
    output::Output,
    query::Query,
};

/// Bytes of the stack of each thread. They are reserved, and used only by queries of many nested terms.
const STACK: usize = 256 << 20;

/// The longest time that a query can run, if no other is given: a century.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// How often a waiting thread looks whether it must go on.
const PAUSE: Duration = Duration::from_millis(50);

/// How much memory a query may use.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Memory {
    /// Memory for rows and groups, such as 512MB or 4GB; what does not fit is written to temporary files
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<usize>,
}

impl Memory {
    /// Returns the part of a session that holds the limit.
    ///
    /// # Errors
    ///
    /// There is no folder for temporary files.
    pub fn runtime(&self) -> Result<Arc<RuntimeEnv>, Error> {
        let mut runtime = RuntimeEnvBuilder::new();
        if let Some(limit) = self.memory_limit {
            runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(limit)));
        }
        Ok(runtime.build_arc().map_err(Problem::from)?)
    }

    /// Begins a session within the limit, in which a query can also list the functions.
    ///
    /// # Errors
    ///
    /// There is no folder for temporary files.
    pub fn session(&self) -> Result<SessionStateBuilder, Error> {
        let builder = SessionStateBuilder::new().with_runtime_env(self.runtime()?);
        let config = SessionConfig::new().with_information_schema(true);
        Ok(builder.with_config(config).with_default_features())
    }
}

/// A query, its tables, its limits, and where its rows go.
#[derive(Clone, Debug, clap::Args)]
pub struct Arguments {
    /// Query and tables: 'SELECT auroc(p, y) FROM runs' runs=runs.parquet
    #[arg(value_name = "SQL TABLE=PATH")]
    words: Vec<String>,
    /// Read the query from a file, or from standard input if FILE is -
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write the rows to a new .parquet, .csv or .jsonl file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Within this limit, a session begins.
    #[command(flatten)]
    pub memory: Memory,
    /// End the query after this time, such as 500ms, 60s or 5m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// The query, which standard input gives only once.
    #[arg(skip)]
    sql: OnceLock<String>,
}

impl Arguments {
    /// Returns the time that the query may take: a century, if it is not limited.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(FOREVER)
    }

    /// Opens the tables and plans the query; see [`Query::plan`]. It can be planned again.
    ///
    /// # Errors
    ///
    /// As [`Query::plan`], and a query that is missing or cannot be read from its file.
    pub async fn plan(&self, session: &SessionContext) -> Result<Query, Error> {
        let mut tables: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let sql = match &self.file {
            Some(path) if self.sql.get().is_none() => &read(path)?,
            Some(_) => "",
            None => {
                let place = tables.iter().position(|word| !is_table(word));
                tables.remove(place.ok_or(Problem::NoQuery)?)
            }
        };
        let sql = self.sql.get_or_init(|| sql.to_owned());
        Query::plan(session, sql, &tables, self.output.as_deref()).await
    }

    /// Removes the rows written so far, after a run that may not have stopped.
    pub fn discard(&self) {
        if let Some(output) = &self.output {
            Output::discard(output);
        }
    }
}

/// Whether the argument has the form NAME=PATH. A query has other characters before its first `=`.
fn is_table(word: &str) -> bool {
    let is_in_name = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    word.split_once('=').is_some_and(|(name, _)| name.chars().all(is_in_name))
}

fn read(path: &Path) -> Result<String, Problem> {
    let mut sql = String::new();
    let read = if path == Path::new("-") {
        io::stdin().read_to_string(&mut sql).map(|_| sql)
    } else {
        fs::read_to_string(path)
    };
    read.map_err(|error| Problem::File(path.to_owned(), error))
}

/// Runs a future on threads with large stacks, and asks several times a second whether it is interrupted.
///
/// After the time limit or an interruption, the future is dropped. What it computes may go on until the next point
/// where it waits.
///
/// # Errors
///
/// The time limit, the interruption, or a thread that cannot be started.
pub fn block_on<T: Send + 'static>(
    limit: Duration,
    work: impl Future<Output = T> + Send + 'static,
    mut is_interrupted: impl FnMut() -> bool,
) -> Result<T, Error> {
    let (to, from) = mpsc::channel();
    let runtime = Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build();
    let runtime = runtime.map_err(Problem::Thread)?;
    let (work, stop) = future::abortable(work);
    let thread = thread::Builder::new().stack_size(4 * STACK).spawn(move || {
        // If nobody waits any longer, the result is not needed.
        let _ = runtime.block_on(work).map(|found| to.send(found));
        // The end of the runtime cancels its tasks, and a task of the engine that waits for a cancelled one panics.
        let is_busy = |_: &usize| runtime.metrics().num_alive_tasks() > 0;
        (0..20).take_while(is_busy).for_each(|_| thread::sleep(PAUSE));
        runtime.shutdown_background();
    });
    thread.map_err(Problem::Thread)?;
    // This thread has its own clock, because the timers of the runtime stop while all its threads compute.
    let start = Instant::now();
    let problem = loop {
        match from.recv_timeout(PAUSE) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Disconnected) => {
                break Problem::Thread(io::Error::other("a thread ended early"));
            }
            Err(_) if start.elapsed() >= limit => break Problem::Timeout(limit),
            Err(_) if is_interrupted() => break Problem::Interrupted,
            Err(_) => {}
        }
    };
    stop.abort();
    Err(problem.into())
}

/// Reads the arguments of a program. For wrong arguments and for `--help` it prints text and returns the exit code.
///
/// # Errors
///
/// The exit code with which the program ends: 0 after help, otherwise 2.
pub fn parse<P: Parser>() -> Result<P, ExitCode> {
    // A query may begin with a comment.
    let words = env::args_os().map(|word| match word.to_str() {
        Some(sql) if sql.starts_with("--") && sql.contains(char::is_whitespace) => {
            OsString::from(format!("\n{sql}"))
        }
        _ => word,
    });
    P::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        // There is nowhere else to report a closed stream.
        if error.use_stderr() {
            let _ = writeln!(io::stderr(), "{}", one_line(&text));
            ExitCode::from(2)
        } else {
            let _ = write!(io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
    })
}

/// Joins the lines of a message.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take_while(|line| !line.starts_with("For more")).collect::<Vec<_>>().join("; ")
}

/// A number and its unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    Some((number.parse().ok()?, unit.trim()))
}

fn bytes(text: &str) -> Result<usize, String> {
    let found = split(text).and_then(|(number, unit)| {
        let factor = match unit.to_ascii_lowercase().as_str() {
            "kb" | "k" => 1e3,
            "mb" | "m" => 1e6,
            "gb" | "g" => 1e9,
            "kib" => 1024.0,
            "mib" => 1_048_576.0,
            "gib" => 1_073_741_824.0,
            _ => return None,
        };
        Some(number * factor)
    });
    match found {
        Some(bytes) if bytes >= 1e6 => Ok(bytes as usize),
        _ => {
            Err("a size is a number and a unit, at least 1MB, for example 512MB or 4GB".to_owned())
        }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let found = split(text).and_then(|(number, unit)| match unit {
        "ms" => Some(number / 1e3),
        "s" => Some(number),
        "m" | "min" => Some(number * 60.0),
        "h" => Some(number * 3_600.0),
        _ => None,
    });
    found
        .filter(|&seconds| seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|&time| time <= FOREVER)
        .ok_or_else(|| "a time is a number and a unit, for example 500ms, 60s, 5m or 1h".to_owned())
}
