use std::collections::{BTreeMap, BTreeSet};

use knapsack_oracle::{Alpha, VariantScores};
use run_logs::json_lines::{self, InputError};
use scoring_rules::DecimalSum;

use crate::{
    error::Error,
    report::{
        block::{Block, Field, Position},
        key,
        sentence::counted,
        tables::shown,
    },
};

/// The range below which scores count as stable, as in the paper.
const STABLE: f64 = 0.1;

/// The score of a model on one data set, under one variant of a prompt, with one budget.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct VariantScore {
    /// The model.
    pub model: String,
    /// The mode of the model, such as with or without thinking; may be empty.
    #[serde(default)]
    pub mode: String,
    /// The data set; may be empty.
    #[serde(default)]
    pub dataset: String,
    /// The variant of the prompt; may be empty.
    #[serde(default)]
    pub variant: String,
    /// The budget.
    pub alpha: Alpha,
    /// The efficiency if allocations do not stop attempts.
    pub eta_advisory: Option<f64>,
    /// The efficiency if attempts stop at their allocations.
    pub eta_enforced: Option<f64>,
}

/// A model in one mode.
type Configuration = (String, String);

/// The scores of one regime: for each configuration and budget, and for each variant of the prompt, the
/// score on each data set.
type Scores = BTreeMap<(Configuration, Alpha), BTreeMap<String, BTreeMap<String, f64>>>;

/// Scores under several variants of a prompt: tables 1 to 3 of TRIAGE.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantTable {
    /// The scores of the advisory regime and of the enforced regime.
    regimes: [Scores; 2],
}

const REGIMES: [&str; 2] = ["advisory", "enforced"];

impl VariantTable {
    /// Adds a score.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] for a second score of the same model, mode, variant, budget and data set.
    pub fn insert(&mut self, score: VariantScore) -> Result<(), Error> {
        let VariantScore { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced } =
            score;
        let cell = ((model, mode), alpha);
        let etas = [eta_advisory, eta_enforced];
        for ((scores, regime), eta) in self.regimes.iter_mut().zip(REGIMES).zip(etas) {
            let Some(eta) = eta else { continue };
            let of_cell = scores.entry(cell.clone()).or_default();
            let of_variant = of_cell.entry(variant.clone()).or_default();
            if of_variant.contains_key(&dataset) {
                return Err(Error::Data(format!(
                    "an earlier line already has an eta_{regime} for this model, mode, variant, alpha and data set; give only one"
                )));
            }
            of_variant.insert(dataset.clone(), eta);
        }
        Ok(())
    }

    /// Adds the scores of a file of JSON Lines, one [`VariantScore`] per line. `file` names the source in errors.
    ///
    /// # Errors
    ///
    /// [`InputError`] with the line and the field. If a line cannot be read, no score of the file is added. If a score
    /// is repeated, the scores of the lines before it are kept.
    ///
    /// ```
    /// use agent_scorecard::triage::VariantTable;
    ///
    /// let line = br#"{"model": "m", "alpha": 0.5, "eta_advisory": 0.25, "eta_enforced": null}"#;
    /// let mut table = VariantTable::default();
    /// table.read("scores.jsonl", line)?;
    /// let error = table.read("scores.jsonl", line).unwrap_err();
    /// assert!(error.to_string().starts_with("scores.jsonl:1: "));
    /// # Ok::<(), agent_scorecard::InputError>(())
    /// ```
    pub fn read(&mut self, file: &str, bytes: &[u8]) -> Result<(), InputError> {
        for line in json_lines::parse::<VariantScore>(file, bytes)? {
            let inserted = self.insert(line.value).map_err(|error| error.to_string());
            inserted.map_err(|it| InputError::of_field(file, line.number, "dataset", it))?;
        }
        Ok(())
    }

    /// Returns the mean over data sets for each model, mode, alpha and variant, and the agreement of the rankings under
    /// the variants. Regimes without a score are left out. Combinations of model, mode and alpha that lack a score
    /// under some variant are left out and counted.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] if no combination of model, mode and alpha has a score under each variant, and for one whose
    /// variants have different data sets.
    pub fn block(&self) -> Result<Block, Error> {
        let known = self.regimes.iter().zip(REGIMES).filter(|(scores, _)| !scores.is_empty());
        let tables = known.map(|(scores, regime)| table(regime, scores));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        if tables.is_empty() {
            let problem = "no line has an eta_advisory or an eta_enforced".to_owned();
            return Err(Error::Data(problem));
        }
        let title = "Regimes: a range is the largest minus the smallest score of a model under the variants of the prompt";
        let clauses = tables.iter().flat_map(|table| table.said(Position::Conclusion));
        let mut conclusion: Vec<String> = clauses.map(str::to_owned).collect();
        if !conclusion.is_empty() {
            let noise =
                "these means have no intervals, so it is not known whether a range is noise";
            conclusion.push(noise.to_owned());
        }
        Ok(Block::of([Field::rows("tables", title, tables)])
            .saying(Position::Conclusion, conclusion))
    }
}

/// Returns the effect of the variants of a prompt in one regime.
fn clause(regime: &str, variants: usize, ranges: &VariantScores, by_alpha: &[Block]) -> String {
    let taus = by_alpha
        .iter()
        .filter_map(|row| Some([row.number(key::min_tau_b)?, row.number(key::alpha)?]));
    let least = taus.min_by(|a, b| a[0].total_cmp(&b[0])).map_or_else(String::new, |[tau, alpha]| {
        format!(
            "; rankings of models agree least at alpha {alpha} (tau-b {tau}, where 1 is the same order)",
            tau = shown(tau),
        )
    });
    format!(
        "with {variants} prompts in the {regime} regime, the efficiency of a model at one budget varies by {median} in the median and by at most {most}, over {pairs} of model and budget{least}",
        median = shown(ranges.median_range()),
        most = shown(ranges.max_range()),
        pairs = counted(ranges.ranges().len(), "pair"),
    )
}

fn table(regime: &'static str, scores: &Scores) -> Result<Block, Error> {
    let variants: BTreeSet<&String> = scores.values().flat_map(BTreeMap::keys).collect();
    let variants: Vec<&String> = variants.into_iter().collect();
    let is_complete = |of_cell: &BTreeMap<_, _>| of_cell.len() == variants.len();
    let kept: Vec<_> = scores.iter().filter(|(_, of_cell)| is_complete(of_cell)).collect();
    if kept.is_empty() {
        let problem = format!(
            "no combination of model, mode and alpha has an eta_{regime} under every variant"
        );
        return Err(Error::Data(problem));
    }
    let means = kept
        .iter()
        .map(|((configuration, alpha), of_cell)| means(regime, configuration, *alpha, of_cell));
    let means = means.collect::<Result<Vec<Vec<f64>>, Error>>()?;
    let cells = || kept.iter().map(|(cell, _)| *cell);
    // The rows of one budget, or all; `None` without a second variant.
    let compared = |alpha: Option<Alpha>| {
        let rows = cells().zip(&means);
        let rows = rows.filter(|((_, of_row), _)| alpha.is_none_or(|alpha| alpha == *of_row));
        let rows: Vec<&[f64]> = rows.map(|(_, means)| means.as_slice()).collect();
        (variants.len() > 1).then(|| VariantScores::new(&rows)).transpose()
    };
    let all = compared(None)?;
    let ranges = all.as_ref().map(VariantScores::ranges);
    let row =
        |(at, (((model, mode), alpha), means)): (usize, (&(Configuration, Alpha), &Vec<f64>))| {
            let etas = variants.iter().zip(means);
            let etas = etas.map(|(variant, &eta)| {
                Field::shown(variant.to_string(), format!("eta {variant}"), eta)
            });
            Block::of([
                Field::shown("model", "model", model.as_str()),
                Field::shown("mode", "mode", mode.as_str()),
                Field::shown(key::alpha, "alpha", alpha.get()),
                Field::block("eta", Block::of(etas)),
                Field::shown("range", "range", ranges.as_ref().map(|ranges| ranges[at])),
            ])
        };
    let rows: Vec<Block> = cells().zip(&means).enumerate().map(row).collect();
    let n_left_out = scores.len() - rows.len();
    let left_out_label = if n_left_out > 0 { "left out because a variant is missing" } else { "" };
    let mut by_alpha = Vec::new();
    for alpha in cells().map(|(_, alpha)| *alpha).collect::<BTreeSet<_>>() {
        let Some(scores) = compared(Some(alpha))? else { continue };
        let pairs = scores.rank_correlations();
        // One model has no ranking.
        let has_tau = pairs.iter().any(|pair| pair.tau_b.is_some());
        let label = |label| if has_tau { label } else { "" };
        let pairs = pairs.iter().map(|pair| {
            Block::of([
                Field::shown("first", label("variant"), variants[pair.first].as_str()),
                Field::shown("second", label("other variant"), variants[pair.second].as_str()),
                Field::shown("tau_b", label("tau-b of their rankings"), pair.tau_b),
            ])
        });
        by_alpha.push(Block::of([
            Field::shown(key::alpha, "alpha", alpha.get()),
            Field::shown(key::min_tau_b, "smallest tau-b", min_tau_b(&scores)),
            Field::shown("max_range", "largest range", scores.max_range()),
            Field::rows("pairs", format!("{regime} regime, alpha {alpha}"), pairs.collect()),
        ]));
    }
    let of = |scores: &VariantScores| clause(regime, variants.len(), scores, &by_alpha);
    let conclusion: Vec<String> = all.iter().map(of).collect();
    let block = Block::of([
        Field::shown("regime", "regime", regime),
        Field::json("variants", variants.iter().map(|name| name.as_str()).collect::<Vec<_>>()),
        Field::shown("n_rows", "models and alphas", rows.len()),
        Field::shown("n_left_out", left_out_label, n_left_out),
        Field::shown(
            "ranges_below_0_1",
            "ranges below 0.1",
            all.as_ref().map(|all| all.count_ranges_below(STABLE)),
        ),
        Field::shown("median_range", "median range", all.as_ref().map(VariantScores::median_range)),
        Field::rows("rows", format!("{regime} regime, means over data sets"), rows),
        Field::rows("by_alpha", format!("{regime} regime, agreement of the variants"), by_alpha),
    ]);
    Ok(block.saying(Position::Conclusion, conclusion))
}

/// Returns the mean over data sets under each variant, in the order of their names.
fn means(
    regime: &str,
    (model, mode): &Configuration,
    alpha: Alpha,
    of_cell: &BTreeMap<String, BTreeMap<String, f64>>,
) -> Result<Vec<f64>, Error> {
    let wrong = |problem: String| {
        let place = format!("model {model:?}, mode {mode:?}, alpha {alpha}, eta_{regime}");
        Error::Data(format!("{place}: {problem}"))
    };
    let mut first: Option<(&String, &BTreeMap<String, f64>)> = None;
    let mut means = Vec::with_capacity(of_cell.len());
    for (variant, of_variant) in of_cell {
        let (of_first, expected) = *first.get_or_insert((variant, of_variant));
        if !expected.keys().eq(of_variant.keys()) {
            return Err(wrong(format!(
                "variants {of_first:?} and {variant:?} have scores on different data sets, so their means cannot be compared"
            )));
        }
        means.push(mean(of_variant.values().copied()));
    }
    Ok(means)
}

/// Returns the smallest tau-b of all pairs of variants. `None` if one of them is undefined.
fn min_tau_b(scores: &VariantScores) -> Option<f64> {
    let taus: Option<Vec<f64>> = scores.rank_correlations().iter().map(|pair| pair.tau_b).collect();
    taus?.into_iter().min_by(f64::total_cmp)
}

/// Returns the mean, from an exact sum, so that means that are equal as decimals tie in a ranking.
fn mean(scores: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = scores.len() as f64;
    let mut sum = DecimalSum::default();
    sum.extend(scores);
    sum.value() / n
}
