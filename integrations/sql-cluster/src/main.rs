//! Runs SQL with the functions of `sql-functions` on several worker processes.
//!
//! ```text
//! sql-cluster worker ADDRESS
//! sql-cluster query WORKER[,WORKER…] TABLE=FOLDER SQL
//! ```
//!
//! A worker listens on an address such as `127.0.0.1:7001`, prints it, and serves until it is ended. A
//! query reads the Parquet files of a folder, which every worker must see under the same path, and
//! prints the rows. If a worker cannot be reached, or ends during the query, the query fails.

use std::{env, error::Error, io::Write, process::ExitCode};

use datafusion::{
    arrow::util::pretty::pretty_format_batches,
    common::DataFusionError,
    execution::{SessionState, SessionStateBuilder},
    prelude::{ParquetReadOptions, SessionContext},
};
use datafusion_distributed::{
    DistributedExt, SessionStateBuilderExt, Worker, WorkerQueryContext, WorkerResolver,
};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use url::Url;

const USAGE: &str = "usage: sql-cluster worker ADDRESS | query WORKER[,WORKER…] TABLE=FOLDER SQL";

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

async fn query(workers: &str, table: &str, sql: &str) -> Result<(), Box<dyn Error>> {
    let (name, folder) = table.split_once('=').ok_or(USAGE)?;
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
    session.register_parquet(name, folder, ParquetReadOptions::default()).await?;
    let rows = session.sql(sql).await?.collect().await?;
    writeln!(std::io::stdout(), "{}", pretty_format_batches(&rows)?)?;
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["worker", address] => work(address).await,
        ["query", workers, table, sql] => query(workers, table, sql).await,
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nowhere else to report a closed standard error.
            let _ = writeln!(std::io::stderr(), "sql-cluster: {error}");
            ExitCode::FAILURE
        }
    }
}
