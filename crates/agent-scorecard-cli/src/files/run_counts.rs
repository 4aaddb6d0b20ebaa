//! How many runs of files succeeded, and why others are not scored.

pub(crate) use run_logs::json_lines::RunCounts;

/// A line for each file.
pub(crate) fn lines<'a>(files: impl ExactSizeIterator<Item = (&'a str, &'a RunCounts)>) -> String {
    let several = files.len() > 1;
    let line = |(name, counts): (&str, &RunCounts)| match several {
        true => format!("{name}: {}\n", counts.line()),
        false => counts.line() + "\n",
    };
    files.map(line).collect()
}
