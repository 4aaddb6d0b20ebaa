//! The forms in which a report is written: a table for people, Markdown, or JSON for programs.

use std::error::Error;

use crate::output::{
    table::Layout,
    threshold::{self, Threshold},
};

/// The options that every subcommand with a report has.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Forms {
    /// Print one JSON object in place of the table
    #[arg(long)]
    json: bool,
    /// Print the table in GitHub's Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Exit with code 1 if a value of the JSON object is beyond a limit, as in 'tps_log < -0.6'; with two
    /// files, difference.KEY is the second file's value minus the first's; may be given several times
    #[arg(long, value_name = "CONDITION", value_parser = threshold::parse)]
    fail_if: Vec<Threshold>,
}

impl Forms {
    /// The report in the form that was asked for; tables and the JSON object are made only if needed.
    pub(crate) fn write(
        &self,
        table: impl FnOnce(Layout) -> Result<String, Box<dyn Error>>,
        json: impl FnOnce() -> Result<String, Box<dyn Error>>,
    ) -> Result<Written, Box<dyn Error>> {
        if self.json {
            let text = json()?;
            return Ok(Written { failures: self.failures(&text)?, text });
        }
        let failures = if self.fail_if.is_empty() { Vec::new() } else { self.failures(&json()?)? };
        let text = if self.markdown {
            table(Layout::Markdown).map(|text| Layout::paragraphs(&text))
        } else {
            table(Layout::Aligned)
        };
        Ok(Written { text: text?, failures })
    }

    fn failures(&self, json: &str) -> Result<Vec<String>, Box<dyn Error>> {
        if self.fail_if.is_empty() {
            return Ok(Vec::new());
        }
        let report = serde_json::from_str(json)?;
        let found = self.fail_if.iter().filter_map(|limit| limit.failure(&report).transpose());
        Ok(found.collect::<Result<_, String>>()?)
    }
}

/// What a subcommand prints, and the conditions of `--fail-if` that hold.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) failures: Vec<String>,
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        Self { text, failures: Vec::new() }
    }
}
