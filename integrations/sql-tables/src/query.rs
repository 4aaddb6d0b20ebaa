//! A query that only reads.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use datafusion::{
    arrow::{
        array::RecordBatch, datatypes::SchemaRef, util::pretty::pretty_format_batches_with_schema,
    },
    catalog::TableProvider,
    common::{DataFusionError, config::ConfigNonZeroUsize},
    execution::TaskContext,
    physical_plan::{ExecutionPlan, collect, execute_stream},
    prelude::{SQLOptions, SessionContext},
    sql::sqlparser::{
        dialect::GenericDialect,
        keywords::Keyword,
        tokenizer::{Token, Tokenizer},
    },
};
use futures::StreamExt;

use crate::{
    casts,
    error::{Error, LEVELS, Problem},
    files,
    output::Output,
    table::Table,
};

/// The most operators that may nest. The stacks of the programs hold several times as many.
const DEPTH: usize = 2_000;

/// The limit of the parser, which counts up to three for a level. Beyond it, some messages name another problem.
const PARSED: usize = 800;

/// The most rows of a printed table, which is formatted as a whole.
const PRINTED: usize = 100_000;

/// A planned query, with the file that its rows are written to, if any.
#[derive(Debug)]
pub struct Query {
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    output: Option<Output>,
}

impl Query {
    /// Opens the tables and plans the query, without reading rows other than those of JSON and CSV files, whose types
    /// depend on all rows.
    ///
    /// Each table is `NAME=PATH`. A path is a file that ends in `.parquet`, `.parq`, `.pq`, `.csv`, `.json`, `.jsonl`
    /// or `.ndjson` (JSON Lines), or a folder that holds, on any level, files of one of these kinds and no others.
    /// Names that begin with `.` or `_` are ignored if they hold no data. `key=value` folders are columns of texts.
    ///
    /// # Errors
    ///
    /// A table that cannot be read whole, a statement that is not a query, or an output file that exists or is inside
    /// a folder that the query reads.
    pub async fn plan<T: AsRef<str>>(
        session: &SessionContext,
        sql: &str,
        tables: &[T],
        output: Option<&Path>,
    ) -> Result<Self, Error> {
        check_depth(sql)?;
        let functions = functions(sql);
        let sql = functions.as_deref().unwrap_or(sql);
        let mut state = session.state();
        state.config_mut().options_mut().sql_parser.recursion_limit =
            ConfigNonZeroUsize::try_new(PARSED).map_err(Problem::from)?;
        let (mut folders, mut refused) = (Vec::new(), Vec::new());
        let (mut keys, mut columns) = (BTreeSet::new(), BTreeSet::new());
        for table in tables.iter().map(AsRef::as_ref) {
            let not_a_table = || Problem::NotATable(table.to_owned());
            let (name, path) = table.split_once('=').ok_or_else(not_a_table)?;
            let found = files::find(Path::new(path))?;
            let table = Table::open(&state, &found).await?;
            refused.extend(table.refused.iter().flatten().cloned());
            let of_file = found.files.first().map(|file| &file.keys[..]).unwrap_or_default();
            keys.extend(of_file.iter().map(|(key, _)| key.clone()));
            let names =
                table.schema().fields().iter().map(|it| it.name().clone()).collect::<Vec<_>>();
            columns.extend(names.into_iter().rev().skip(of_file.len()));
            session.register_table(name, Arc::new(table)).map_err(Problem::from)?;
            folders.extend(found.folders);
        }
        // The texts of a column are not those of a folder of the same name.
        keys.retain(|key| !columns.contains(key));
        let output = output.map(|path| Output::new(path, &folders)).transpose()?;
        // A column that its type does not hold may be the reason why types do not fit.
        let explain = |problem| match problem {
            Problem::Engine(_) | Problem::TextAsNumber(_) if !refused.is_empty() => {
                Problem::Column(format!("{problem}; {}", refused.join("; ")))
            }
            problem => problem,
        };
        let plan = state.create_logical_plan(sql).await.map_err(|it| explain(it.into()))?;
        SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false)
            .verify_plan(&plan)
            .map_err(|refused| {
                let message = refused.message();
                let statement = message.split(": ").last().unwrap_or_default().to_owned();
                Problem::NotAQuery(statement)
            })?;
        casts::check(&plan, &state, &keys).map_err(explain)?;
        let plan = state.create_physical_plan(&plan).await.map_err(|it| explain(it.into()))?;
        Ok(Self { plan, context: state.task_ctx(), output })
    }

    /// Runs the query and returns its rows as a table, or writes them and returns a line that says so.
    ///
    /// # Errors
    ///
    /// The first error of a row or of the engine, or the reason why the file cannot be written.
    pub async fn run(self) -> Result<String, Error> {
        let schema = self.plan.schema();
        let batches = execute_stream(self.plan, Arc::clone(&self.context));
        let explain = |batch: Result<_, _>| batch.map_err(|error| explained(error, &self.context));
        let mut batches = batches.map_err(Problem::from)?.map(explain);
        if let Some(output) = self.output {
            return Ok(output.write(schema, batches).await?);
        }
        let (mut printed, mut rows) = (Vec::new(), 0);
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            rows += batch.num_rows();
            if rows > PRINTED {
                return Err(Problem::TooManyRows.into());
            }
            printed.push(batch);
        }
        let table = pretty_format_batches_with_schema(schema, &printed);
        Ok(table.map_err(|error| Problem::from(DataFusionError::from(error)))?.to_string())
    }

    /// Runs the query and returns its columns and rows.
    ///
    /// # Errors
    ///
    /// The first error of a row or of the engine.
    pub async fn rows(self) -> Result<(SchemaRef, Vec<RecordBatch>), Error> {
        let schema = self.plan.schema();
        let rows = collect(self.plan, Arc::clone(&self.context)).await;
        Ok((schema, rows.map_err(|error| explained(error, &self.context))?))
    }
}

/// Says how to find the rows that a function refuses, which the error of the engine does not name.
fn explained(error: DataFusionError, context: &TaskContext) -> Problem {
    let problem = Problem::from(error);
    if let Problem::Engine(text) = &problem
        && let Some((name, _)) = text.split_once(": ")
        && context.scalar_functions().contains_key(&format!("try_{name}"))
    {
        return Problem::Engine(format!("{text}; try_{name} gives NULL for such rows"));
    }
    problem
}

/// Returns the query for SHOW FUNCTIONS. The engine leaves out functions whose arguments have no fixed types.
fn functions(sql: &str) -> Option<String> {
    let words: Vec<&str> = sql.trim_end_matches([';', ' ', '\n']).split_whitespace().collect();
    let [show, functions, like @ ..] = &words[..] else { return None };
    let is_like = like.first().is_none_or(|word| word.eq_ignore_ascii_case("like"));
    if !show.eq_ignore_ascii_case("show")
        || !functions.eq_ignore_ascii_case("functions")
        || !is_like
    {
        return None;
    }
    let filter = if like.is_empty() { "" } else { " WHERE routine_name " };
    Some(format!(
        "SELECT DISTINCT routine_name, syntax_example, description \
        FROM information_schema.routines{filter}{} ORDER BY routine_name",
        like.join(" ")
    ))
}

/// What stands before a word, and tells whether it is a name.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// A value or a keyword, after which an operator follows, or the next part of a `CASE`.
    Value,
    Case,
    /// An operator, after which a value follows.
    Operator,
    /// A point or `AS`, after which a name follows.
    Name,
}

/// Refuses a query that nests too deep. The engine needs stack for each operator.
fn check_depth(sql: &str) -> Result<(), Problem> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize().unwrap_or_default();
    // For each open parenthesis and CASE, what is open around it, and whether it is a CASE.
    let (mut outer, mut now, mut before) = (Vec::<(usize, bool)>::new(), 0_usize, Before::Operator);
    // Operators before a value, such as in NOT NOT y. Each is a level of the parser.
    let mut prefixes = 0;
    for token in tokens {
        let around = outer.last().map_or(0, |it| it.0);
        let is_in_case = outer.last().is_some_and(|it| it.1);
        let mut value = Before::Value;
        match token {
            Token::Whitespace(_) => continue,
            Token::Period => value = Before::Name,
            Token::Number(..) | Token::SingleQuotedString(_) => {}
            Token::LParen | Token::LBracket => {
                outer.push((now, false));
                value = Before::Operator;
            }
            Token::RParen | Token::RBracket => now = outer.pop().map_or(now, |it| it.0),
            // The next item begins.
            Token::Comma => (now, value) = (around, Before::Operator),
            Token::Word(word) => match word.keyword {
                _ if before == Before::Name => {}
                Keyword::AS => value = Before::Name,
                Keyword::CASE if before != Before::Value || !is_in_case => {
                    outer.push((now, true));
                    value = Before::Case;
                }
                Keyword::WHEN | Keyword::THEN | Keyword::ELSE
                    if is_in_case && before != Before::Operator =>
                {
                    (now, value) = (around, Before::Operator);
                }
                Keyword::END if is_in_case && before == Before::Value => {
                    now = outer.pop().map_or(now, |it| it.0);
                }
                Keyword::AND | Keyword::OR | Keyword::NOT | Keyword::IS | Keyword::IN => {
                    (now, value) = (now + 1, Before::Operator);
                }
                Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::JOIN => now += 1,
                _ => {}
            },
            _ => (now, value) = (now + 1, Before::Operator),
        }
        let is_prefix = value == Before::Operator && before == Before::Operator;
        prefixes = if is_prefix { prefixes + 1 } else { 0 };
        before = value;
        if now > DEPTH {
            return Err(Problem::Depth(DEPTH));
        }
        if outer.len().max(prefixes) > LEVELS {
            return Err(Problem::Levels(LEVELS));
        }
    }
    Ok(())
}
