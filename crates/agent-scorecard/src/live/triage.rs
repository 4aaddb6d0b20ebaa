use std::collections::BTreeMap;

use agent_benchmarks::triage::{Framing, Regime, SolveRecord, TriageFigures, TriageRecord};
use knapsack_oracle::{BudgetAware, ReSolve};
use scoring_rules::Weight;
use trajectory_metrics::{Clustered, Figure};

use crate::{
    error::Error,
    live::{LiveOptions, Setting, report},
    report::{
        block::{Block, Field, Report},
        picture::Picture,
        sentence::sentence,
    },
    triage::{
        REGIMES, conclusion, efficiency_picture,
        re_solved::{RE_SOLVING, clause},
        variants::VariantScore,
    },
};

/// A problem that the model attempted a second time, after it was told the allocation in its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReSolved {
    /// The framing of the plan.
    pub framing: Framing,
    /// The id of the problem.
    pub problem: String,
    /// Both attempts; `None` if the second one does not count, for example because it is a refusal.
    pub attempts: Option<ReSolve>,
}

/// Efficiencies by budget.
type ByAlpha = Vec<(f64, Figure)>;

/// The problems that were solved again under one framing.
#[derive(Default)]
struct Again<'a> {
    rows: Clustered<&'a str, ReSolve>,
    counts: BudgetAware,
    left_out: usize,
}

/// Scores a model's `plans` for pools of questions, for each budget, framing and regime. `solved` has the model's
/// separate attempts at questions. The report includes the effect of telling the model its allocations, from the second
/// attempts in `re_solved`.
///
/// # Errors
///
/// Errors of [`TriageFigures::of`].
pub fn triage(
    solved: &[SolveRecord],
    plans: &[TriageRecord],
    re_solved: &[ReSolved],
    options: &LiveOptions,
) -> Result<Report, Error> {
    let how = options.how();
    let count = |which: fn(&SolveRecord) -> bool| solved.iter().filter(|it| which(it)).count();
    let questions = [
        ("questions", solved.len()),
        ("questions_solved", count(|it| it.attempt.is_some_and(|attempt| attempt.solved))),
        ("questions_recorded", count(SolveRecord::is_recorded)),
        ("questions_cut_off", count(|it| it.is_cut_off)),
        ("questions_left_out", count(|it| it.attempt.is_none())),
        ("questions_refused", count(|it| it.is_refused)),
    ];
    let rows = TriageFigures::of(plans, how)?;
    let picture = by_alpha(&rows);
    let clauses = clauses(&rows);
    let settings = rows.into_iter().map(|row| {
        let name = format!("alpha {}, {}", row.alpha, named(&row));
        let mut counts = questions.to_vec();
        counts.extend([
            ("pools", row.pools),
            ("pools_informative", row.informative_pools),
            ("plans_over_budget", row.over_budget),
            ("plans_unreadable", row.unreadable),
            ("plans_unfinished", row.unfinished),
            ("plans_above_oracle", row.above_oracle),
        ]);
        Setting { name, counts, figures: row.figures, ..Setting::default() }
    });
    let mut again: BTreeMap<Framing, Again<'_>> = BTreeMap::new();
    for ReSolved { framing, problem, attempts } in re_solved {
        let again = again.entry(*framing).or_default();
        match attempts {
            Some(row) => {
                again.counts.update(*row)?;
                again.rows.update(problem, Weight::ONE, *row);
            }
            None => again.left_out += 1,
        }
    }
    let again = again.into_iter().map(|(framing, Again { rows, counts, left_out })| {
        // In a resample, a problem counts as often as it is drawn.
        let add = |counts: &mut BudgetAware, row: &ReSolve, weight: Weight| {
            (0..weight.get() as u64).try_for_each(|_| counts.update(*row)).map_err(Error::from)
        };
        let figures = rows.figures(&RE_SOLVING, &BudgetAware::default(), add, Some(how))?;
        let each = [
            ("compliant", counts.compliant),
            ("kept_correct", counts.kept_correct),
            ("lost_correct", counts.lost_correct),
            ("newly_correct", counts.newly_correct),
            ("still_wrong", counts.still_wrong),
        ];
        let each = each.map(|(key, count)| (key, usize::try_from(count).unwrap_or(usize::MAX)));
        let problems = [("problems", rows.rows().len()), ("problems_left_out", left_out)];
        let n = counts.items();
        let figures: Vec<_> = RE_SOLVING.iter().map(|metric| metric.measure).zip(figures).collect();
        let fields =
            figures.iter().cloned().map(|(measure, figure)| Field::figure(measure, figure));
        Ok(Setting {
            conclusion: clause(&options.model, n, &Block::of(fields)).into_iter().collect(),
            name: format!("alpha 1, {framing}, solved again with announced allocations"),
            counts: problems.into_iter().chain(each).collect(),
            figures,
        })
    });
    let again = again.collect::<Result<Vec<_>, Error>>()?;
    let mut report = report(&options.model, settings.chain(again), None);
    report.conclusion.splice(0..0, clauses);
    report.together.draw([("efficiency", picture)]);
    report.main_pictures.push("efficiency");
    Ok(report)
}

/// Returns the conclusions on the efficiencies of plans, for each framing and regime.
fn clauses(rows: &[TriageFigures]) -> Vec<String> {
    let mut found: Vec<(String, u64, ByAlpha)> = Vec::new();
    for row in rows {
        let Some(eta) = row.figure("efficiency_informative") else { continue };
        let regime = REGIMES[usize::from(row.regime == Regime::Enforced)].0;
        let own = format!("with the {} framing{}, {regime}", row.framing, live(row));
        let at = found.iter().position(|(known, ..)| *known == own).unwrap_or(found.len());
        if at == found.len() {
            found.push((own, row.pools as u64, Vec::new()));
        }
        found[at].2.push((row.alpha.get(), eta));
    }
    let clauses = found.iter().filter_map(|(own, pools, found)| conclusion(own, *pools, found));
    clauses.map(|clause| sentence(&clause)).collect()
}

/// Returns the suffix of a row's name that says how its problems were solved.
const fn live(row: &TriageFigures) -> &'static str {
    match (row.is_live, row.is_announced) {
        (false, _) => "",
        (true, false) => ", live",
        (true, true) => ", live and announced",
    }
}

/// Returns the framing and the regime of a row.
fn named(row: &TriageFigures) -> String {
    format!("{}, {}{}", row.framing, format!("{:?}", row.regime).to_lowercase(), live(row))
}

/// Returns the efficiencies by budget, with those of the baselines in the first framing and regime.
fn by_alpha(rows: &[TriageFigures]) -> Picture {
    let mut curves: Vec<(String, ByAlpha)> = Vec::new();
    let first = rows.first().map(named);
    for row in rows {
        let own = named(row);
        let baselines = [
            ("efficiency_cheapest_first", "cheapest first"),
            ("efficiency_greedy", "value per cost"),
        ];
        let baselines = baselines.into_iter().filter(|_| first.as_ref() == Some(&own));
        for (key, name) in std::iter::once(("efficiency", own.as_str())).chain(baselines) {
            let Some(figure) = row.figure(key) else { continue };
            let point = (row.alpha.get(), figure);
            match curves.iter_mut().find(|(known, _)| known == name) {
                Some((_, points)) => points.push(point),
                None => curves.push((name.to_owned(), vec![point])),
            }
        }
    }
    efficiency_picture(curves, "the model")
}

/// Returns the rows of a [`VariantTable`](crate::triage::VariantTable) for one model, mode and data set: the mean
/// efficiencies of the model, with each framing as a variant of the prompt. The table has the form of tables 1 to 3 of
/// the paper.
///
/// # Errors
///
/// Errors of [`TriageFigures::of`].
pub fn triage_scores(
    plans: &[TriageRecord],
    model: &str,
    mode: &str,
    dataset: &str,
) -> Result<Vec<VariantScore>, Error> {
    let options = LiveOptions { model: model.to_owned(), resamples: 0, seed: 0 };
    let rows = TriageFigures::of(plans, options.how())?;
    let scores = rows.into_iter().map(|row| {
        let eta = row.figure("efficiency").map(|figure| figure.value);
        let of = |regime| eta.filter(|_| row.regime == regime);
        VariantScore {
            model: model.to_owned(),
            mode: mode.to_owned(),
            dataset: dataset.to_owned(),
            variant: row.framing.name().to_owned(),
            alpha: row.alpha,
            eta_advisory: of(Regime::Advisory),
            eta_enforced: of(Regime::Enforced),
        }
    });
    Ok(scores.collect())
}
