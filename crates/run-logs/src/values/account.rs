use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use crate::values::evaluation::Evaluation;

/// Counts of the runs that were read: how many were found, how many were kept, and how many were left out for each
/// reason.
///
/// It is printed below the conclusion of a report. A report on several columns has the sums over them and an account of each
/// column.
///
/// ```
/// use run_logs::Account;
///
/// let mut account = Account { name: "small".to_owned(), n_found: 12, n_kept: 12, ..Account::default() };
/// account.leave_out("no_confidence", 2);
/// assert_eq!((account.n_kept, account.left_out["no_confidence"]), (10, 2));
/// assert_eq!(account.lines(), ["small: 12 runs found, 10 kept; left out: 2 no_confidence"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Account {
    /// The name of the column; empty if the counts are sums over several columns.
    pub name: String,
    /// The logs, each identified by the file or folder that was read and the number of the log in it. JSON has only
    /// the number of logs, as `n_logs`, which is 0 for files in a format of this project.
    #[serde(rename = "n_logs", serialize_with = "number")]
    pub logs: BTreeSet<(String, usize)>,
    /// The evaluations that the logs name.
    pub evaluations: Vec<AccountedEvaluation>,
    /// Runs that were found.
    pub n_found: u64,
    /// Runs that are in the figures.
    pub n_kept: u64,
    /// The numbers of runs that are not in the figures, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// The number of runs that each scorer has graded.
    pub scorers: BTreeMap<String, u64>,
    /// The definition of a success, in words; empty if nothing defines it.
    pub success: String,
    /// Runs that a limit ended and that have a grade.
    pub n_at_limit_graded: u64,
    /// Runs that a limit ended and that have no grade.
    pub n_at_limit_ungraded: u64,
    /// The name of the rule for runs that a limit ended, such as `graded`; empty if nothing depends on it.
    pub at_limit: String,
    /// Runs that succeeded in part.
    pub n_partial: u64,
    /// Runs that an error ended.
    pub n_errors: u64,
    /// Repeats of runs that were already found; repeats are dropped.
    pub n_repeats: u64,
    /// The number of planned runs, if logs state it.
    pub n_planned: Option<u64>,
    /// The number of planned runs that no log contains.
    pub n_missing: u64,
    /// For each log whose own mean score or standard error differs from that of its runs, the log's statistics and how
    /// the log computed them.
    pub unlike_log: Vec<String>,
    /// Columns of a table that are not read.
    pub columns_not_read: Vec<String>,
    /// Names that differ only in case, blanks or the form of their letters.
    pub similar_names: Vec<String>,
    /// Other rules by which runs are counted, if they differ from the default, each with the option that sets it.
    pub rules: Vec<String>,
    /// Models whose runs have no cost because of a missing price.
    pub models_without_price: Vec<String>,
    /// The account of each column, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Self>,
}

/// An evaluation whose runs are counted in an [`Account`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AccountedEvaluation {
    /// The task, such as the name of a benchmark.
    pub task: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The time of the start, as the log writes it.
    pub created: Option<String>,
    /// The status at the end of the evaluation.
    pub status: Option<String>,
    /// An id that a retry or a copy of the evaluation shares with the original.
    #[serde(skip)]
    pub task_id: Option<String>,
}

impl From<&Evaluation> for AccountedEvaluation {
    fn from(of: &Evaluation) -> Self {
        let Evaluation { task, model, created, status, task_id, .. } = of.clone();
        Self { task, model, created, status, task_id }
    }
}

impl AccountedEvaluation {
    /// "sums of small, 2026-11-26 10:00:00, success"
    fn text(&self) -> String {
        let of = self.model.iter().map(|model| format!("of {model}"));
        let name = self.task.iter().cloned().chain(of).collect::<Vec<_>>().join(" ");
        // To the second, which distinguishes an evaluation from its retry.
        let time = self.created.as_ref().map(|text| {
            let (time, rest) = text.split_at_checked(19).unwrap_or((text, ""));
            let zone = rest.find(['+', '-']).map_or("", |at| &rest[at..]);
            let is_utc = zone.chars().all(|it| !it.is_ascii_digit() || it == '0');
            time.replacen('T', " ", 1) + if is_utc { "" } else { zone }
        });
        let parts = [Some(name), time, self.status.clone()].into_iter().flatten();
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// Evaluations that a line names.
const MOST_EVALUATIONS: usize = 3;
/// The number of columns that get separate lines.
const MOST_COLUMNS: usize = 6;
/// Names in a list.
const MOST_NAMES: usize = 8;

impl Account {
    /// Moves kept runs that are in no figure to the runs left out. Each entry of `runs` has the reason and the number
    /// of runs to move.
    #[must_use]
    pub fn without<R: AsRef<str>>(mut self, runs: impl IntoIterator<Item = (R, u64)>) -> Self {
        runs.into_iter().for_each(|(reason, n)| self.leave_out(reason.as_ref(), n));
        self
    }

    /// Moves kept runs to the runs left out for this reason.
    pub fn leave_out(&mut self, reason: &str, runs: u64) {
        let runs = runs.min(self.n_kept);
        if runs > 0 {
            self.n_kept -= runs;
            *self.left_out.entry(reason.to_owned()).or_default() += runs;
        }
    }

    /// Combines the accounts of report columns: the summed counts, followed by the account of each column. A single
    /// account is returned unchanged.
    #[must_use]
    pub fn of_columns(columns: Vec<Self>) -> Self {
        if let [_] = columns.as_slice() {
            return columns.into_iter().next().unwrap_or_default();
        }
        let mut all = Self::default();
        for column in &columns {
            all.logs.extend(column.logs.iter().cloned());
            for evaluation in &column.evaluations {
                if !all.evaluations.contains(evaluation) {
                    all.evaluations.push(evaluation.clone());
                }
            }
            all.n_found += column.n_found;
            all.n_kept += column.n_kept;
            for (counts, of) in
                [(&mut all.left_out, &column.left_out), (&mut all.scorers, &column.scorers)]
            {
                for (name, count) in of {
                    *counts.entry(name.clone()).or_default() += count;
                }
            }
            if all.success.is_empty() {
                all.success.clone_from(&column.success);
            }
            if all.at_limit.is_empty() {
                all.at_limit.clone_from(&column.at_limit);
            }
            all.n_at_limit_graded += column.n_at_limit_graded;
            all.n_at_limit_ungraded += column.n_at_limit_ungraded;
            all.n_partial += column.n_partial;
            all.n_errors += column.n_errors;
            all.n_repeats += column.n_repeats;
            all.n_planned = match (all.n_planned, column.n_planned) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            };
            all.n_missing += column.n_missing;
            for (names, of) in [
                (&mut all.unlike_log, &column.unlike_log),
                (&mut all.columns_not_read, &column.columns_not_read),
                (&mut all.similar_names, &column.similar_names),
                (&mut all.rules, &column.rules),
                (&mut all.models_without_price, &column.models_without_price),
            ] {
                names.extend(of.iter().cloned());
                *names = BTreeSet::from_iter(std::mem::take(names)).into_iter().collect();
            }
        }
        Self { columns, ..all }
    }

    /// Returns the account in a few lines of text: the runs of each report column, and the rules for counting them.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = match self.columns.len() {
            0 => vec![self.runs()],
            n if n <= MOST_COLUMNS => self.columns.iter().map(Self::runs).collect(),
            n => vec![format!("{n} columns: {}", self.runs())],
        };
        let mut rules = Vec::new();
        if !self.success.is_empty() {
            let by = match self.scorers.keys().map(String::as_str).collect::<Vec<_>>().as_slice() {
                [] => String::new(),
                scorers => format!(" by {}", listed(scorers)),
            };
            rules.push(format!("success is {}{by}", self.success));
        }
        let n_at_limit = self.n_at_limit_graded + self.n_at_limit_ungraded;
        if !self.at_limit.is_empty() && (n_at_limit > 0 || self.at_limit != "graded") {
            let how = match self.at_limit.as_str() {
                "failed" => "count as failures",
                "unknown" => "count as unknown, even with a grade",
                _ => "count by their grade, if they have one",
            };
            rules.push(format!("runs at a limit {how} (--at-limit {})", self.at_limit));
        }
        if self.n_partial > 0 {
            rules.push("partial successes count by their score (--success-at X makes them successes or failures)".to_owned());
        }
        if self.n_repeats > 0 {
            rules
                .push("repeated runs count once (with --repeats keep, each one counts)".to_owned());
        }
        rules.extend(self.rules.iter().cloned());
        let names = [
            ("columns not read", &self.columns_not_read),
            ("names that differ only in case, blanks or Unicode form", &self.similar_names),
            ("models without a price", &self.models_without_price),
        ];
        for (what, names) in names {
            if !names.is_empty() {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                rules.push(format!("{what}: {}", listed(&names)));
            }
        }
        if let Some((last, few)) =
            self.unlike_log.iter().take(MOST_EVALUATIONS).collect::<Vec<_>>().split_last()
        {
            rules.extend(few.iter().map(|it| (*it).clone()));
            let more = self.unlike_log.len().saturating_sub(MOST_EVALUATIONS);
            rules.push(if more > 0 {
                format!("{last}, and likewise {more} more logs")
            } else {
                (*last).clone()
            });
        }
        if !rules.is_empty() {
            let text = rules.join("; ");
            let mut letters = text.chars();
            let first = letters.next().map(|first| first.to_uppercase().to_string());
            lines.push(first.unwrap_or_default() + letters.as_str());
        }
        lines
    }

    /// "small: 60 runs found in 1 log (sums of small, 2026-11-26 10:00:00, success), 12 kept; left out: 48 error"
    fn runs(&self) -> String {
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        let mut text = match self.name.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        };
        text.push_str(&format!("{} run{} found", self.n_found, plural(self.n_found)));
        if !self.logs.is_empty() {
            let n = self.logs.len() as u64;
            text.push_str(&format!(" in {n} log{}", plural(n)));
        }
        let texts: Vec<String> = self.evaluations.iter().map(AccountedEvaluation::text).collect();
        let texts: Vec<&str> =
            texts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
        if !texts.is_empty() {
            let more = texts.len().saturating_sub(MOST_EVALUATIONS);
            let shown = texts[..texts.len() - more].join("; ");
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            text.push_str(&format!(" ({shown}{more})"));
        }
        text.push_str(&format!(", {} kept", self.n_kept));
        if !self.left_out.is_empty() {
            let reasons = self.left_out.iter().map(|(reason, count)| format!("{count} {reason}"));
            text.push_str(&format!("; left out: {}", reasons.collect::<Vec<_>>().join(", ")));
        }
        let at_limit = [(self.n_at_limit_graded, "with"), (self.n_at_limit_ungraded, "without")];
        let at_limit = at_limit.iter().filter(|(count, _)| *count > 0);
        let at_limit: Vec<String> =
            at_limit.map(|(count, with)| format!("{count} {with} a grade")).collect();
        if !at_limit.is_empty() {
            text.push_str(&format!("; at a limit: {}", at_limit.join(", ")));
        }
        let counts = [
            (self.n_partial, "succeeded in part"),
            (self.n_errors, "ended with an error"),
            (self.n_missing, "planned and missing"),
        ];
        for (count, what) in counts {
            if count > 0 {
                text.push_str(&format!("; {count} {what}"));
            }
        }
        text
    }
}

fn number<S: Serializer>(
    logs: &BTreeSet<(String, usize)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    logs.len().serialize(serializer)
}

fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
