//! Runs a query with the functions of `sql-functions` on files, in one process.
//!
//! ```text
//! agent-scorecard-sql SQL TABLE=PATH…
//! ```
//!
//! A path is a file that ends in `.parquet`, `.csv`, `.json`, `.jsonl` or `.ndjson` (JSON Lines), or a folder of
//! Parquet files. The rows are printed as a table. After an error the exit code is 2, with one line on standard
//! error and nothing on standard output.

use std::{env, error::Error, io::Write, path::Path, process::ExitCode};

use datafusion::{
    arrow::util::pretty::pretty_format_batches,
    prelude::{CsvReadOptions, JsonReadOptions, ParquetReadOptions, SessionContext},
};

const USAGE: &str = "usage: agent-scorecard-sql SQL TABLE=PATH…; for example \
'SELECT auroc(p, y) FROM runs' runs=runs.parquet";

async fn register(session: &SessionContext, table: &str) -> Result<(), Box<dyn Error>> {
    let (name, path) = table.split_once('=').ok_or_else(|| format!("{table:?}: {USAGE}"))?;
    if !Path::new(path).exists() {
        return Err(format!("{path}: there is no such file or folder").into());
    }
    let is_folder = Path::new(path).is_dir();
    let ending = Path::new(path).extension().unwrap_or_default().to_string_lossy();
    match ending.as_ref() {
        _ if is_folder => session.register_parquet(name, path, ParquetReadOptions::default()).await,
        "parquet" => session.register_parquet(name, path, ParquetReadOptions::default()).await,
        "csv" => session.register_csv(name, path, CsvReadOptions::new()).await,
        "json" | "jsonl" | "ndjson" => {
            let ending = format!(".{ending}");
            let options = JsonReadOptions::default().file_extension(&ending);
            session.register_json(name, path, options).await
        }
        _ => {
            return Err(
                format!("{path}: give a .parquet, .csv, .json, .jsonl or .ndjson file").into()
            );
        }
    }
    .map_err(|error| format!("{path}: {error}").into())
}

async fn run(arguments: &[String]) -> Result<String, Box<dyn Error>> {
    let (sql, tables) = arguments.split_first().ok_or(USAGE)?;
    if tables.is_empty() {
        return Err(USAGE.into());
    }
    let mut session = SessionContext::new();
    sql_functions::register_all(&mut session)?;
    for table in tables {
        register(&session, table).await?;
    }
    let rows = session.sql(sql).await?.collect().await?;
    Ok(pretty_format_batches(&rows)?.to_string())
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is_help = matches!(arguments.first().map(String::as_str), Some("-h" | "--help"));
    let written = match run(&arguments).await {
        _ if is_help => writeln!(std::io::stdout(), "{USAGE}"),
        Ok(text) => writeln!(std::io::stdout(), "{text}"),
        Err(error) => {
            let line = error.to_string().replace('\n', " ");
            // There is nowhere else to report a closed standard error.
            let _ = writeln!(std::io::stderr(), "error: {line}");
            return ExitCode::from(2);
        }
    };
    // A reader that has seen enough, such as `head`, is no error.
    written.map_or(ExitCode::SUCCESS, |()| ExitCode::SUCCESS)
}
