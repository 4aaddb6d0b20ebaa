//! Runs a query with the functions of `sql-functions` on files, in one process.
//!
//! ```text
//! agent-scorecard-sql [--output FILE] SQL TABLE=PATH…
//! ```
//!
//! `sql_tables::Query::plan` says which files and folders a path may name. The query only reads. The rows are printed as a
//! table, or written to a new file. After an error the exit code is 2, with one line on standard error and nothing on
//! standard output.

use std::{env, error::Error, io::Write, process::ExitCode};

use datafusion::prelude::SessionContext;
use sql_tables::{Query, take_output};

const USAGE: &str = "usage: agent-scorecard-sql [--output FILE] SQL TABLE=PATH…; for example \
'SELECT auroc(p, y) FROM runs' runs=runs.parquet";

async fn run(mut arguments: Vec<String>) -> Result<String, Box<dyn Error>> {
    let output = take_output(&mut arguments);
    let [sql, tables @ ..] = &arguments[..] else { return Err(USAGE.into()) };
    if matches!(&sql[..], "-h" | "--help") {
        return Ok(USAGE.to_owned());
    }
    if tables.is_empty() {
        return Err(USAGE.into());
    }
    let mut session = SessionContext::new();
    sql_functions::register_all(&mut session)?;
    Ok(Query::plan(&session, sql, tables, output.as_deref()).await?.run().await?)
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(env::args().skip(1).collect()).await {
        Ok(text) => {
            // A reader that has seen enough, such as `head`, is no error.
            let _ = writeln!(std::io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let line = error.to_string().replace('\n', " ");
            // There is nowhere else to report a closed standard error.
            let _ = writeln!(std::io::stderr(), "error: {line}");
            ExitCode::from(2)
        }
    }
}
