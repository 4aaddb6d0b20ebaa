//! Runs SQL with the functions of `sql-functions` on several worker processes.
//!
//! ```text
//! sql-cluster worker ADDRESS
//! sql-cluster query [--output FILE] WORKER[,WORKER…] TABLE=PATH… SQL
//! ```
//!
//! A worker listens on an address such as `127.0.0.1:7001`, prints it, and serves until it is ended. A
//! query reads files or folders as `sql_tables::Query::plan` describes, which every worker must see under the same
//! path, and prints the rows or writes them to a new file. If a worker cannot be reached, or ends during the query,
//! the query fails with exit code 1; a query that is refused before has the exit code 2.

use std::{env, error::Error, io::Write, path::Path, process::ExitCode};

use datafusion::{
    common::DataFusionError,
    execution::{SessionState, SessionStateBuilder},
    prelude::SessionContext,
};
use datafusion_distributed::{
    DistributedExt, SessionStateBuilderExt, Worker, WorkerQueryContext, WorkerResolver,
};
use sql_tables::{Query, take_output};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use url::Url;

const USAGE: &str =
    "usage: sql-cluster worker ADDRESS | query [--output FILE] WORKER[,WORKER…] TABLE=PATH… SQL";

/// The session of a part of a query on a worker.
async fn worker_session(context: WorkerQueryContext) -> Result<SessionState, DataFusionError> {
    let mut state = context.builder.build();
    sql_functions::register_all(&mut state)?;
    Ok(state)
}

async fn work(address: &str) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(address).await?;
    writeln!(std::io::stdout(), "listening on {}", listener.local_addr()?)?;
    Server::builder()
        .add_service(Worker::from_session_builder(worker_session).into_worker_server())
        .serve_with_incoming(TcpListenerStream::new(listener))
        .await?;
    Ok(())
}

/// The addresses of the workers.
struct Workers(Vec<Url>);

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>, DataFusionError> {
        Ok(self.0.clone())
    }
}

async fn plan(
    workers: &str,
    tables: &[&str],
    sql: &str,
    output: Option<&Path>,
) -> Result<Query, Box<dyn Error>> {
    let urls = workers.split(',').map(|worker| Url::parse(&format!("http://{worker}")));
    let urls: Vec<Url> = urls.collect::<Result<_, _>>()?;
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_distributed_worker_resolver(Workers(urls))
        .with_distributed_planner()
        // Scans are spread over all workers however small the files are.
        .with_distributed_file_scan_config_bytes_per_partition(1)?
        .build();
    let mut session = SessionContext::from(state);
    sql_functions::register_all(&mut session)?;
    Ok(Query::plan(&session, sql, tables, output).await?)
}

async fn run(query: Query) -> Result<(), Box<dyn Error>> {
    let text = query.run().await?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}

/// What the arguments ask for, or an error with its exit code: 2 before a query runs, otherwise 1.
async fn start(mut arguments: Vec<String>) -> Result<(), (u8, Box<dyn Error>)> {
    let output = take_output(&mut arguments);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["worker", address] => work(address).await.map_err(|error| (1, error)),
        ["query", workers, tables @ .., sql] if !tables.is_empty() => {
            let query = plan(workers, tables, sql, output.as_deref()).await;
            run(query.map_err(|error| (2, error))?).await.map_err(|error| (1, error))
        }
        _ => Err((2, USAGE.into())),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match start(env::args().skip(1).collect()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, error)) => {
            // There is nowhere else to report a closed standard error.
            let _ = writeln!(std::io::stderr(), "sql-cluster: {error}");
            ExitCode::from(code)
        }
    }
}
