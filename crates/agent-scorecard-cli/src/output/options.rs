//! The forms in which a report is written: a table for people, Markdown, or JSON for programs.

use std::error::Error;

use agent_scorecard::Report;

use crate::{
    output::{
        fail_if::{self, Threshold},
        files::ReportFiles,
        program::{self, Written},
        table::Layout,
        text,
    },
    plain,
};

/// The options that every subcommand with a report has.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Forms {
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Print the table in GitHub's Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Exit with code 1 if a value of the JSON object meets a condition, such as 'tps_log < -0.6'. With several
    /// columns, give the name or number of the column, such as 'files.1.tps_log < -0.6'. difference.KEY is the
    /// difference of two columns, such as 'difference.tps_log.ci_high < 0'. With more columns, differences.NAME.KEY
    /// compares column NAME with the first column. May be given several times
    #[arg(long, value_name = "CONDITION", value_parser = fail_if::parse)]
    fail_if: Vec<Threshold>,
    #[command(flatten)]
    files: ReportFiles,
}

impl Forms {
    /// Returns the report in the form that was asked for.
    pub(crate) fn show(&self, report: Report) -> Result<Written, Box<dyn Error>> {
        let failures = match self.fail_if.is_empty() {
            true => Vec::new(),
            false => {
                let values = serde_json::to_value(&report)?;
                let found = self.fail_if.iter();
                let found = found.map(|limit| limit.failure(&values, |place| report.placed(place)));
                found.filter_map(Result::transpose).collect::<Result<_, String>>()?
            }
        };
        for (path, content) in self.files.contents(&report)? {
            if let Some(folder) = program::destination(path).parent() {
                program::remove_leftovers(folder);
            }
            program::write_file(path, &content)?;
        }
        let text = if self.json {
            plain::json(serde_json::to_string_pretty(&report)? + "\n")
        } else if self.markdown {
            plain::lines(Layout::paragraphs(&text::report(&report, Layout::Markdown)))
        } else {
            // The width is known of terminals alone, so that files and pipes have whole lines.
            let width = console::Term::stdout().size_checked().map(|(_, columns)| columns);
            plain::lines(text::report(&report, width.map_or(Layout::Aligned, Layout::Fitted)))
        };
        Ok(Written { failures, ..Written::from(text) })
    }

    /// Returns whether figures are wanted, in the JSON object, in a page or in a picture.
    pub(crate) fn has_figures(&self) -> bool {
        self.json || !self.files.is_empty()
    }

    /// Returns whether a page or a picture is wanted.
    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }
}
