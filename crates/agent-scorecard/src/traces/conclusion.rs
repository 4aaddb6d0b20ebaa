//! Conclusions on the scores of forecasts.

use std::cmp::Ordering;

use crate::{
    confidence::{self, VERDICTS},
    options::LEVEL,
    report::{
        block::{Block, Value},
        key,
        sentence::{left_out, side_of, size_with_ends, with_ends},
        tables::shown,
    },
    traces::figures::{AUROC, OF_CALIBRATED, T_ECE, TPS_LOG},
};

/// Returns the conclusions on one column.
pub(super) fn of_column(block: &Block, how: &str) -> Vec<String> {
    let scored = match confidence::clause(&VERDICTS, block, block.count(key::n), how) {
        None => "there is no complete run to score".to_owned(),
        Some(clause) => clause + &calibration(block, how) + &ranking(block),
    };
    let reasons = |key| {
        let fields = block.inner(key).map_or(&[][..], |block| &block.fields);
        fields.iter().filter_map(move |field| {
            let n = block.inner(key)?.count(&field.key);
            Some((n, format!("({})", field.label.replace('_', " "))))
        })
    };
    let cut_off = [(block.count(key::n_censored), "that a budget cut off".to_owned())];
    let all = cut_off.into_iter().chain(reasons(key::excluded)).chain(reasons(key::left_out));
    [scored].into_iter().chain(left_out(all)).collect()
}

/// Returns whether forecasts are not calibrated beyond noise; nothing where they may be.
fn calibration(block: &Block, how: &str) -> String {
    let figures = [T_ECE, OF_CALIBRATED[0], OF_CALIBRATED[2]].map(|it| block.figure(it.key));
    let [Ok(found), Ok(expected), Ok(p)] = figures else { return String::new() };
    if p.value > 1.0 - LEVEL.get() {
        return String::new();
    }
    let [found, expected, p] = [found, expected, p].map(|it| shown(it.value));
    let verdict = match how == confidence::AVERAGED {
        true => {
            "the mean forecasts of runs are not calibrated, but this alone is no fault, because even the means of true probabilities may be uncalibrated"
        }
        false => "not calibrated",
    };
    format!(
        "; {verdict}: T-ECE is {found}, but would be {expected} for calibrated forecasts (p = {p})"
    )
}

/// Returns whether forecasts are higher on runs that succeed.
fn ranking(block: &Block) -> String {
    let Ok(auroc) = block.figure(AUROC.key) else { return String::new() };
    let verdict = match side_of(&auroc, 0.5) {
        Some(Ordering::Greater) => "forecasts tell successes from failures",
        Some(Ordering::Less) => "forecasts are higher on failures than on successes",
        Some(Ordering::Equal) => "it is not clear whether forecasts tell successes from failures",
        None => {
            return format!("; AUROC is {auroc}, where 0.5 is chance", auroc = with_ends(&auroc));
        }
    };
    format!("; {verdict} (AUROC {auroc}, where 0.5 is chance)", auroc = with_ends(&auroc))
}

/// Returns the conclusions on the difference of two columns, the second minus the first. The difficulty of forecasts
/// depends on the success rate, so that a better score on other runs does not show a better forecaster.
pub(super) fn of_difference(block: &Block, [first, second]: [&str; 2]) -> Option<String> {
    let found = block.figure(TPS_LOG.key).ok()?;
    let size = size_with_ends(&found);
    let (better, worse) = if found.value < 0.0 { (first, second) } else { (second, first) };
    let higher = format!("the log score of {better} is {size} higher than that of {worse}");
    Some(match side_of(&found, 0.0) {
        Some(Ordering::Equal) => format!("{higher}, which may be noise: they cannot be told apart"),
        Some(_) if is_same_runs(block) => format!("{higher}: its forecasts are better"),
        Some(_) => format!(
            "{higher}, which is beyond noise, but may be due in part to their different success rates"
        ),
        None => format!("{higher}; without an interval, it is not known whether this is noise"),
    })
}

fn is_same_runs(block: &Block) -> bool {
    block.get(key::pairing) == Some(&Value::Json("runs".into()))
}
