//! The names of columns given by the caller.

use std::path::PathBuf;

use crate::files::source::Source;

/// The option `--name`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Names {
    /// Name of a column in the report and in conditions, instead of the name of its file or folder. Give this option
    /// once per FILE, in the same order
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
}

impl Names {
    /// Pairs files with their names. A name is empty if none was given.
    ///
    /// # Errors
    ///
    /// A line that names the option, if there are not as many names as files, or if two are alike.
    pub(crate) fn of(self, files: Vec<PathBuf>) -> Result<Vec<Source>, String> {
        let Self { mut names } = self;
        let (n, wanted) = (names.len(), files.len());
        if n > 0 && n != wanted {
            return Err(format!("--name: {n} for {wanted} files; give one for each file"));
        }
        let is_wrong =
            |at: &usize| names[*at].trim().is_empty() || names[..*at].contains(&names[*at]);
        if let Some(at) = (0..n).find(is_wrong) {
            let problem = "is empty or given twice; give each file a name of its own";
            return Err(format!("--name: {:?} {problem}", names[at]));
        }
        names.resize(wanted, String::new());
        Ok(Source::all(files.into_iter().zip(names).collect()))
    }
}
