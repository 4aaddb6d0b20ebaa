//! The sentences on caps.

use trajectory_metrics::{Figure, Measure, NoInterval};

use crate::{
    budget::caps::measures::{
        ENOUGH, HIGHEST, KEPT, LEFT_OUT, LOST, LOWEST, SAVED, SAVED_AMOUNT, SAVED_USD, SPENT,
        UNKNOWN,
    },
    report::{
        block::{Block, Column},
        key,
        sentence::{counted, percent, percent_of, sentence},
    },
};

/// The maximum number of caps in a conclusion on several columns.
const MOST_CAPS: usize = 5;

/// Formats a share of successes for a sentence: "96 % of 77 successes [89, 99]", or "from 83 % to 100 % of 30 successes
/// [66, 100]".
fn of_successes(row: &Block, figure: &Figure) -> String {
    let unknown = row.count(UNKNOWN);
    let n = row.count(key::n_kept) + unknown + row.count(LOST.key);
    let of = format!(" of {}", counted(n, "success"));
    let shown = |figure, of: &str| percent_of(&figure, of, ENOUGH as f64 / 100.0);
    match row.number(HIGHEST).filter(|_| unknown > 0) {
        Some(highest) => format!(
            "from {} to {}",
            shown(Figure::from(figure.value), ""),
            shown(Figure { value: highest, ..*figure }, &of)
        ),
        None => shown(*figure, &of),
    }
}

/// Returns whether a row keeps enough of the successes, if it keeps this many whose spending is not known.
fn is_enough(row: &Block, unknown: u64) -> bool {
    let [kept, lost, all_unknown] = [key::n_kept, LOST.key, UNKNOWN].map(|key| row.count(key));
    100 * (kept + unknown) >= ENOUGH as u64 * (kept + lost + all_unknown)
}

/// Returns the clause on the runs whose spending is not known, with their numbers in all columns.
fn on_left_out<'a>(blocks: impl Iterator<Item = &'a Block> + Clone, unit: &str) -> Option<String> {
    let [successes, failures]: [u64; 2] =
        LEFT_OUT.map(|key| blocks.clone().map(|it| it.count(key)).sum());
    let all: u64 = blocks.map(|block| block.count(key::n_left_out)).sum();
    (all > 0).then(|| {
        format!(
            "the {unit} of {runs} ({successes}, {failures}) are not known in full; a cap would certainly have ended such a run only if the known part is above the cap",
            runs = counted(all, "run"),
            successes = counted(successes, "success"),
            failures = counted(failures, "failure"),
        )
    })
}

/// Returns the clauses of the conclusion. The first is on the lowest given cap that keeps nearly all successes, or on the
/// highest given cap if none does. The next are on the lowest of all caps that keep nearly all successes, and on the runs
/// whose spending is not known.
pub(super) fn clauses(block: &Block, unit: &str) -> Vec<String> {
    let rows = block.rows_of(key::caps);
    let Some(row) = rows.iter().find(|row| is_enough(row, 0)).or(rows.last()) else {
        return Vec::new();
    };
    let left_out = on_left_out(std::iter::once(block), unit);
    if block.count(key::n_rollouts) == 0 && left_out.is_none() {
        return vec![format!("no run states its spending of {unit}")];
    }
    let cap = row.number(key::cap).unwrap_or_default();
    let saved = |of: Measure, what: &str| {
        Some(format!("{} of the {what}", percent(&row.figure(of.key).ok()?)))
    };
    let runs = block.count(key::n_rollouts);
    let of = |unit: &str, n: u64, quantity: &str| match n == runs && left_out.is_none() {
        true => unit.to_owned(),
        false => {
            format!("{unit} of the {runs} whose {quantity} is known", runs = counted(n, "run"))
        }
    };
    let of_known = of(if unit == "USD" { "money" } else { unit }, runs, "spending");
    let of_money = of("money", block.count(key::n_priced), "cost");
    let saved = [saved(SAVED, &of_known), saved(SAVED_USD, &of_money)];
    let saved: Vec<String> = saved.into_iter().flatten().collect();
    let saved = match saved.is_empty() {
        true if runs == 0 => "an amount that is not known".to_owned(),
        true => "nothing, because nothing was spent".to_owned(),
        false => saved.join(" and "),
    };
    let kept = match row.figure(KEPT.key) {
        Ok(kept) => kept,
        Err(reason) => {
            let on_caps = format!(
                "a cap of {cap} {unit} would have saved {saved}; it would have lost no success, because {reason}"
            );
            return std::iter::once(on_caps).chain(left_out).collect();
        }
    };
    let (is_sure, is_possible) = (is_enough(row, 0), is_enough(row, row.count(UNKNOWN)));
    let target = ENOUGH as f64 / 100.0;
    let would_have = would_have(block.count(LEFT_OUT[0]));
    let subject = match is_sure || rows.len() == 1 {
        true => format!("a cap of {cap} {unit}"),
        false => {
            let would_have = if is_possible { would_have } else { "would have" };
            format!(
                "none of these caps {would_have} kept {ENOUGH} % of the successes; the highest, {cap} {unit},"
            )
        }
    };
    let verdict = match kept.interval {
        _ if is_possible && !is_sure => {
            format!(
                "; whether this cap keeps at least {ENOUGH} % of the successes depends on those whose spending is not known"
            )
        }
        Err(_) => String::new(),
        Ok(ends) => match is_sure {
            true if ends.low() >= target => {
                format!("; the true share of successes kept is at least {ENOUGH} %, beyond noise")
            }
            true => format!("; the true share of successes kept may be below {ENOUGH} %"),
            false if ends.high() < target => {
                format!("; the true share of successes kept is below {ENOUGH} %, beyond noise")
            }
            false => format!("; the true share of successes kept may be {ENOUGH} % or more"),
        },
    };
    let of_kept = of_successes(row, &kept);
    let on_caps = format!("{subject} would have kept {of_kept} and saved {saved}{verdict}");
    let on_lowest = match block.figure(LOWEST[1].1.key) {
        Ok(lowest) => format!(
            "the lowest cap that {would_have} kept {ENOUGH} % of the successes is {cap} {unit}{interval}",
            cap = lowest.value,
            interval = ends_of_cap(&lowest),
        ),
        Err(reason) => {
            format!("no cap {would_have} kept {ENOUGH} % of the successes, because {reason}")
        }
    };
    [on_caps, on_lowest].into_iter().chain(left_out).collect()
}

/// Returns the words for what a cap would have done, if the spending of so many successes is not known.
const fn would_have(unknown: u64) -> &'static str {
    if unknown > 0 { "is known to have" } else { "would have" }
}

/// Returns the interval of a lowest cap in words, or the reason why it has no interval.
fn ends_of_cap(lowest: &Figure) -> String {
    match lowest.interval {
        Ok(ends) => format!(" [{}, {}]", ends.low(), ends.high()),
        Err(NoInterval::TooFewClusters { .. }) => " (too few tasks for an interval)".to_owned(),
        Err(_) => " (no interval, because the spending of some successes is not known)".to_owned(),
    }
}

/// States for each cap the number of columns in which it loses successes, the column in which it loses most, and its
/// saving. Adds the range of the lowest caps that keep nearly all successes.
pub(super) fn of_many(columns: &[Column], unit: &str) -> Vec<String> {
    let rows = columns.iter().map(|column| (column.name.as_str(), column.block.rows_of(key::caps)));
    let rows: Vec<(&str, &[Block])> = rows.collect();
    let n_caps = rows.first().map_or(0, |(_, rows)| rows.len());
    let mut sentences: Vec<String> =
        (0..n_caps.min(MOST_CAPS)).filter_map(|at| of_cap(&rows, at, unit)).collect();
    let blocks = columns.iter().map(|column| &column.block);
    let would_have = would_have(blocks.clone().map(|block| block.count(LEFT_OUT[0])).sum());
    let lowest = columns.iter().filter_map(|column| {
        Some((column.block.figure(LOWEST[1].1.key).ok()?, column.name.as_str()))
    });
    let mut lowest: Vec<(Figure, &str)> = lowest.collect();
    lowest.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
    if let [(least, first), .., (most, last)] = &lowest[..] {
        sentences.push(format!(
            "The lowest cap that {would_have} kept {ENOUGH} % of the successes ranges from {low} {unit}{low_interval} for {first} to {high}{high_interval} for {last}.",
            low = least.value,
            low_interval = ends_of_cap(least),
            high = most.value,
            high_interval = ends_of_cap(most),
        ));
    }
    let is_unsure =
        |block: &&Block| block.count(LEFT_OUT[0]) > 0 && block.figure(LOWEST[1].1.key).is_err();
    match blocks.clone().filter(is_unsure).count() {
        0 => {}
        n => sentences.push(format!(
            "In {columns}, no cap {would_have} kept {ENOUGH} % of the successes.",
            columns = counted(n, "column"),
        )),
    }
    sentences.extend(on_left_out(blocks, unit).map(|clause| sentence(&clause)));
    sentences
}

fn of_cap(columns: &[(&str, &[Block])], at: usize, unit: &str) -> Option<String> {
    let kept = columns.iter().filter_map(|(name, rows)| {
        let row = rows.get(at)?;
        Some((*name, row, row.figure(KEPT.key).ok()?))
    });
    let mut kept: Vec<(&str, &Block, Figure)> = kept.collect();
    // If shares are equal, the one of more successes counts.
    kept.sort_by(|(_, a, x), (_, b, y)| {
        x.value.total_cmp(&y.value).then(b.count(key::n_kept).cmp(&a.count(key::n_kept)))
    });
    let (worst, row, least) = kept.first()?;
    let (cap, n) = (row.number(key::cap)?, kept.len());
    let sum = |key| kept.iter().filter_map(|(_, row, _)| row.number(key)).sum::<f64>();
    let (spent, saved) = (sum(SPENT), sum(SAVED_AMOUNT));
    let saved = match spent + saved {
        0.0 => String::new(),
        all => format!(
            "; the cap would have saved {saved:.0} % of the {unit} of these columns",
            saved = 100.0 * saved / all,
        ),
    };
    let losing = kept.iter().filter(|(_, row, _)| row.count(LOST.key) > 0).count();
    if losing == 0 {
        let known = if sum(UNKNOWN) > 0.0 { " whose spending is known" } else { "" };
        return Some(format!(
            "A cap of {cap} {unit} would have lost no success{known} in any of {n} columns{saved}."
        ));
    }
    let second = kept.get(1).and_then(|(.., it)| it.interval.ok());
    let is_clear = least.interval.ok().zip(second).is_some_and(|(a, b)| a.high() < b.low());
    let noise = if is_clear || n == 1 { "" } else { " (which column loses most may be noise)" };
    let is = if sum(UNKNOWN) > 0.0 { "may be" } else { "is" };
    Some(format!(
        "A cap of {cap} {unit} would have lost successes in {losing} of {n} columns. The largest share {is} lost in {worst}, which would have kept {kept}{noise}{saved}.",
        kept = of_successes(row, least),
    ))
}
