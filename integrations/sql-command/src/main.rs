//! Runs a query with the functions of `sql-functions` on files, in one process.
//!
//! ```text
//! agent-scorecard-sql [OPTIONS] SQL TABLE=PATH…
//! ```
//!
//! `sql_tables::Query::plan` says which files and folders a path may name. The query only reads. The rows are printed as a
//! table, or written to a new file. After an error the exit code is 2, with one line on standard error and nothing on
//! standard output.

use std::{error::Error, io::Write, process::ExitCode};

use clap::Parser;
use datafusion::prelude::SessionContext;
use sql_tables::{Arguments, block_on, parse};

/// Runs one query on Parquet, CSV and JSON Lines files, and prints its rows or writes them to a new file.
#[derive(Debug, Parser)]
#[command(
    name = "agent-scorecard-sql",
    version,
    override_usage = "agent-scorecard-sql [OPTIONS] SQL TABLE=PATH…"
)]
struct Program {
    #[command(flatten)]
    arguments: Arguments,
}

async fn run(arguments: &Arguments) -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut session = SessionContext::from(arguments.memory.session()?.build());
    sql_functions::register_all(&mut session)?;
    Ok(arguments.plan(&session).await?.run().await?)
}

fn main() -> ExitCode {
    let Program { arguments } = match parse() {
        Ok(program) => program,
        Err(code) => return code,
    };
    let work = arguments.clone();
    let found = block_on(arguments.timeout(), async move { run(&work).await }, || false);
    if found.is_err() {
        arguments.discard();
    }
    match found.map_err(Into::into).and_then(|found| found) {
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
