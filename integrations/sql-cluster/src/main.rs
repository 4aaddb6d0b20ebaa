//! Runs SQL with the functions of `sql-functions` on several worker processes.
//!
//! ```text
//! sql-cluster worker [OPTIONS] --root DIR ADDRESS
//! sql-cluster query [OPTIONS] WORKER[,WORKER…] SQL TABLE=PATH…
//! ```
//!
//! A worker listens on an address such as `127.0.0.1:7001` or `7001`, prints it, and serves until it is ended. It reads
//! files below the root folder only. A query reads files or folders as `sql_tables::Query::plan` describes, which
//! every worker must see under the same path, and prints the rows or writes them to a new file.
//!
//! All workers are contacted before a query. During the query, a worker that ends or does not answer is noticed, and
//! the query runs a second time, on the other workers. If this is impossible, the error names the worker, and the exit
//! code is 1. If the arguments, the files or the query are wrong, the exit code is 2.

mod channels;
mod client;
mod pool;
mod root;
mod worker;

use std::{
    error::Error,
    io::Write,
    path::PathBuf,
    process::{self, ExitCode},
    sync::Arc,
    time::Duration,
};

use clap::{Parser, Subcommand};
use client::Cluster;
use sql_tables::{Arguments, Memory, parse};
use tokio::{
    runtime::{Builder, Handle},
    select,
    time::{Instant, sleep_until, timeout},
};
use tonic::codegen::http::HeaderValue;

/// How long a worker may be silent, unless a quarter of the time of the query is shorter.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long an error may take that ends a query at its time limit.
const LAST_WORD: Duration = Duration::from_secs(1);

/// Bytes of the stack of a thread. They are reserved, and used only by queries of many nested terms.
const STACK: usize = 256 << 20;

/// Runs SQL with scores and metrics of agents on several worker processes.
#[derive(Debug, Parser)]
#[command(name = "sql-cluster", version)]
struct Program {
    #[command(subcommand)]
    task: Task,
    /// A file whose line the workers ask for
    #[arg(long, global = true, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Runs parts of queries on the files below a folder
    Worker {
        /// The only folder that is read
        #[arg(long, value_name = "DIR")]
        root: PathBuf,
        #[command(flatten)]
        memory: Memory,
        /// HOST:PORT, or PORT for this machine only
        address: String,
    },
    /// Runs one query, and prints its rows or writes them to a new file
    #[command(override_usage = "sql-cluster query [OPTIONS] WORKER[,WORKER…] SQL TABLE=PATH…")]
    Query {
        /// Addresses, such as 127.0.0.1:7001,127.0.0.1:7002
        #[arg(value_name = "WORKER[,WORKER…]")]
        workers: String,
        #[command(flatten)]
        arguments: Arguments,
    },
}

/// An error with its exit code: 1 if it is due to a worker, otherwise 2.
type Failure = (u8, Box<dyn Error + Send + Sync>);

fn wrong(error: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    (2, error.into())
}

async fn query(
    arguments: Arguments,
    workers: &str,
    token: Option<HeaderValue>,
    compute: &Handle,
) -> Result<String, Failure> {
    let limit = arguments.timeout();
    let end = Instant::now() + limit;
    let patience = PATIENCE.min(limit / 4);
    let mut cluster = Cluster::new(workers, token, patience).map_err(wrong)?;
    cluster.contact().await.map_err(|lost| (1, lost.into()))?;
    let arguments = Arc::new(arguments);
    let mut is_first = true;
    loop {
        let (part, given) = (cluster.clone(), Arc::clone(&arguments));
        let mut task = compute.spawn(async move {
            let session = part.session(given.memory.session()?)?;
            Ok::<_, Box<dyn Error + Send + Sync>>(given.plan(&session).await?.run().await?)
        });
        let mut is_done = false;
        let (lost, is_late) = select! {
            done = &mut task => match done.unwrap_or_else(|error| Err(error.into())) {
                Ok(text) => return Ok(text),
                Err(error) => {
                    is_done = true;
                    (cluster.lost_or(&error.to_string()).await?, false)
                }
            },
            lost = cluster.watch() => (lost, false),
            () = sleep_until(end) => (cluster.lost(LAST_WORD).await, true),
        };
        if !is_done {
            task.abort();
            // It may have finished in the meantime.
            if let Ok(Ok(Ok(text))) = timeout(LAST_WORD, task).await {
                return Ok(text);
            }
            arguments.discard();
        }
        if is_late {
            let late =
                format!("timeout: the query did not finish within {limit:?}; raise --timeout");
            return Err(if lost.0.is_empty() {
                wrong(late)
            } else {
                (1, format!("{late}; {lost}").into())
            });
        }
        match cluster.without(&lost) {
            // A query that ends its workers must not end all of them.
            Some(left) if is_first => cluster = left,
            _ => return Err((1, lost.into())),
        }
        is_first = false;
        // A closed standard error is no reason to fail.
        let _ = writeln!(
            std::io::stderr(),
            "sql-cluster: {lost}; the query runs again on {}",
            cluster.addresses()
        );
    }
}

async fn start(program: Program, compute: &Handle) -> Result<(), Failure> {
    let token = channels::read_token(program.token_file.as_deref()).map_err(wrong)?;
    match program.task {
        Task::Worker { root, memory, address } => {
            let runtime = memory.runtime().map_err(wrong)?;
            worker::work(&address, &root, token, runtime, compute.clone()).await.map_err(wrong)
        }
        Task::Query { workers, arguments } => {
            let text = query(arguments, &workers, token, compute).await?;
            // A reader that has seen enough, such as `head`, is no error.
            let _ = writeln!(std::io::stdout(), "{text}");
            Ok(())
        }
    }
}

fn main() -> ExitCode {
    let program: Program = match parse() {
        Ok(program) => program,
        Err(code) => return code,
    };
    // Queries have threads of their own, so that connections are served while they compute.
    let compute = Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build();
    let control = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let done = match (&compute, &control) {
        (Ok(compute), Ok(control)) => control.block_on(start(program, compute.handle())),
        (Err(error), _) | (_, Err(error)) => Err(wrong(error.to_string())),
    };
    let code = done.err().map_or(0, |(code, error)| {
        let line = error.to_string().replace('\n', " ");
        // There is nowhere else to report a closed standard error.
        let _ = writeln!(std::io::stderr(), "sql-cluster: {line}");
        code
    });
    // The end of a runtime would cancel tasks of the engine, which panic then.
    process::exit(code.into())
}
