//! The columns of files: their names, and what is said where they are pooled.

use std::error::Error;

use agent_scorecard::Block;

use crate::output::program::with_causes;

/// What is said of columns that were pooled.
pub(crate) const POOLED: &str =
    "these figures are over all columns together, a run in two of them counting twice; see files";

/// What is said of all columns together, of their pooled runs.
pub(crate) fn pooled(mut block: Block) -> Block {
    block.title = "All columns together".to_owned();
    block.lines.clear();
    block.notes.get_or_insert_default().push(POOLED.to_owned());
    block
}

/// Names the file, unless the error does.
#[must_use]
pub(crate) fn at(file: &str, error: Box<dyn Error>) -> Box<dyn Error> {
    let message = with_causes(&*error);
    if message.starts_with(file) { error } else { format!("{file}: {message}").into() }
}
