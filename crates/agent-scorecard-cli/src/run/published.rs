//! Prompts published by the authors of the benchmarks.

use std::{collections::BTreeMap, path::PathBuf};

use crate::files::bundled::text;

/// The option that takes prompts from a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Published {
    /// Folder with the published prompts, such as a checkout of the released repository. Without this option, prompts
    /// use our wording
    #[arg(long = "published", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Published {
    /// Returns the texts of the files with these names, by name; `None` without the option.
    pub(crate) fn texts(
        &self,
        names: &[&'static str],
    ) -> Result<Option<BTreeMap<&'static str, String>>, String> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let text = |name: &&'static str| {
            let text = text(&folder.join(name)).map_err(|error| format!("--published: {error}"));
            Ok((*name, text?))
        };
        names.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    pub(crate) const fn is_given(&self) -> bool {
        self.folder.is_some()
    }

    /// Returns the name of the texts that are sent, for the journal.
    pub(crate) const fn name(&self) -> &'static str {
        if self.is_given() { "published texts" } else { "texts of our own" }
    }
}
