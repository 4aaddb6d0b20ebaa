//! Files of scores by model, mode, data set, prompt variant and share of the budget, and the tables
//! that follow from them: tables 1 to 3 of TRIAGE.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    path::Path,
};

use knapsack_oracle::{Alpha, VariantScores};
use scoring_rules::DecimalSum;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    files::json_lines::{self, InputError},
    output::table::{Layout, number},
};

/// A range below this limit counts as stable, as in the paper.
const STABLE: f64 = 0.1;

#[derive(Deserialize)]
struct Row {
    model: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    dataset: String,
    #[serde(default)]
    variant: String,
    alpha: f64,
    eta_advisory: Option<f64>,
    eta_enforced: Option<f64>,
}

/// A model in one mode.
type Configuration = (String, String);

/// The scores of one regime: for each configuration and share of the budget, and for each variant of
/// the prompt, the score on each data set.
type Scores = BTreeMap<(Configuration, Alpha), BTreeMap<String, BTreeMap<String, f64>>>;

/// The tables of one regime.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// `advisory` or `enforced`.
    pub regime: &'static str,
    variants: Vec<String>,
    /// The mean over the data sets under each variant.
    rows: Vec<(Configuration, Alpha, Vec<f64>)>,
}

/// Reads a file and averages over data sets. Regimes without any score are left out.
///
/// # Errors
///
/// [`InputError`] for a file that cannot be read or has an invalid line, for two scores of one cell,
/// and for a configuration whose data sets or variants differ from those of the others.
pub(crate) fn read(path: &Path) -> Result<Vec<Tables>, InputError> {
    let file = path.display().to_string();
    let wrong = |line: Option<usize>, field: Option<&str>, problem: String| InputError {
        file: file.clone(),
        line,
        field: field.map(str::to_owned),
        problem,
    };
    let mut regimes: [(&'static str, Scores); 2] =
        [("advisory", Scores::new()), ("enforced", Scores::new())];
    for line in json_lines::read::<Row>(path)? {
        let Row { model, mode, dataset, variant, alpha, eta_advisory, eta_enforced } = line.value;
        let alpha = Alpha::new(alpha)
            .map_err(|error| wrong(Some(line.number), Some("alpha"), error.to_string()))?;
        let cell = ((model, mode), alpha);
        for ((regime, scores), eta) in regimes.iter_mut().zip([eta_advisory, eta_enforced]) {
            let Some(eta) = eta else { continue };
            let of_cell = scores.entry(cell.clone()).or_default();
            let of_variant = of_cell.entry(variant.clone()).or_default();
            if of_variant.insert(dataset.clone(), eta).is_some() {
                let problem = format!(
                    "an earlier line has this model, mode, variant, alpha and data set too, with \
                     an eta_{regime}; give one"
                );
                return Err(wrong(Some(line.number), Some("dataset"), problem));
            }
        }
    }
    let tables: Result<Vec<Tables>, String> = regimes
        .into_iter()
        .filter(|(_, scores)| !scores.is_empty())
        .map(|(regime, scores)| Tables::new(regime, scores))
        .collect();
    let tables = tables.map_err(|problem| wrong(None, None, problem))?;
    if tables.is_empty() {
        let problem = "no line has an eta_advisory or an eta_enforced".to_owned();
        return Err(wrong(None, None, problem));
    }
    Ok(tables)
}

impl Tables {
    fn new(regime: &'static str, scores: Scores) -> Result<Self, String> {
        let variants: BTreeSet<&String> = scores.values().flat_map(BTreeMap::keys).collect();
        let mut rows = Vec::with_capacity(scores.len());
        for ((configuration, alpha), of_cell) in &scores {
            let (model, mode) = configuration;
            let place = format!("model {model:?}, mode {mode:?}, alpha {alpha}, eta_{regime}");
            let mut first: Option<(&String, &BTreeMap<String, f64>)> = None;
            let mut means = Vec::with_capacity(variants.len());
            for &variant in &variants {
                let of_variant = of_cell.get(variant).ok_or_else(|| {
                    format!("{place}: there is no score under variant {variant:?}")
                })?;
                let (of_first, expected) = *first.get_or_insert((variant, of_variant));
                if !expected.keys().eq(of_variant.keys()) {
                    return Err(format!(
                        "{place}: variants {of_first:?} and {variant:?} have scores on different \
                         data sets, so their means cannot be compared"
                    ));
                }
                means.push(mean(of_variant.values().copied()));
            }
            rows.push((configuration.clone(), *alpha, means));
        }
        Ok(Self { regime, variants: variants.into_iter().cloned().collect(), rows })
    }

    /// The rows with a share of the budget, or all rows, if there are several variants.
    fn scores(
        &self,
        alpha: Option<Alpha>,
    ) -> Option<Result<VariantScores, knapsack_oracle::Error>> {
        let rows = self.rows.iter().filter(|(_, of_row, _)| alpha.is_none_or(|a| a == *of_row));
        let rows: Vec<&[f64]> = rows.map(|(_, _, means)| means.as_slice()).collect();
        (self.variants.len() > 1).then(|| VariantScores::new(&rows))
    }

    fn alphas(&self) -> BTreeSet<Alpha> {
        self.rows.iter().map(|(_, alpha, _)| *alpha).collect()
    }

    /// The tables as JSON.
    ///
    /// # Errors
    ///
    /// The errors of the crates.
    pub(crate) fn to_json(&self) -> Result<Value, Box<dyn Error>> {
        let all = self.scores(None).transpose()?;
        let ranges = all.as_ref().map(VariantScores::ranges);
        let row = |(i, ((model, mode), alpha, means)): (
            usize,
            &(Configuration, Alpha, Vec<f64>),
        )| {
            let scores: BTreeMap<_, _> = self.variants.iter().zip(means).collect();
            let range = ranges.as_ref().map(|ranges| ranges[i]);
            json!({ "model": model, "mode": mode, "alpha": alpha.get(), "eta": scores, "range": range })
        };
        let rows: Vec<Value> = self.rows.iter().enumerate().map(row).collect();
        let mut by_alpha = Vec::new();
        for alpha in self.alphas() {
            let Some(scores) = self.scores(Some(alpha)).transpose()? else { continue };
            let pairs = scores.rank_correlations();
            let taus = pairs.iter().map(|pair| {
                let (first, second) = (&self.variants[pair.first], &self.variants[pair.second]);
                json!({ "first": first, "second": second, "tau_b": pair.tau_b })
            });
            by_alpha.push(json!({
                "alpha": alpha.get(),
                "pairs": taus.collect::<Vec<_>>(),
                "min_tau_b": min_tau_b(&scores),
                "max_range": scores.max_range(),
            }));
        }
        Ok(json!({
            "regime": self.regime,
            "variants": self.variants,
            "rows": rows,
            "ranges_below_0_1": all.as_ref().map(|all| all.count_ranges_below(STABLE)),
            "median_range": all.as_ref().map(VariantScores::median_range),
            "by_alpha": by_alpha,
        }))
    }

    /// The tables as text.
    ///
    /// # Errors
    ///
    /// The errors of the crates.
    pub(crate) fn to_text(&self, layout: Layout) -> Result<String, Box<dyn Error>> {
        let all = self.scores(None).transpose()?;
        let ranges = all.as_ref().map(VariantScores::ranges);
        let mut header = vec!["model".to_owned(), "mode".to_owned(), "alpha".to_owned()];
        header.extend(self.variants.iter().map(|variant| format!("eta {variant}")));
        header.extend(ranges.as_ref().map(|_| "range".to_owned()));
        let mut table = vec![header];
        for (i, ((model, mode), alpha, means)) in self.rows.iter().enumerate() {
            let mut row = vec![model.clone(), mode.clone(), alpha.to_string()];
            row.extend(means.iter().map(|&mean| number(Some(mean))));
            row.extend(ranges.as_ref().map(|ranges| number(Some(ranges[i]))));
            table.push(row);
        }
        let mut text = format!("{} regime\n{}", self.regime, layout.table(&table));
        let Some(all) = all else { return Ok(text) };
        text.push_str(&format!(
            "ranges below {STABLE}: {} of {}; median range {:.3}\n\n",
            all.count_ranges_below(STABLE),
            self.rows.len(),
            all.median_range()
        ));
        let mut table = Vec::new();
        for alpha in self.alphas() {
            let Some(scores) = self.scores(Some(alpha)).transpose()? else { continue };
            let pairs = scores.rank_correlations();
            if table.is_empty() {
                let mut header = vec!["alpha".to_owned()];
                header.extend(pairs.iter().map(|pair| {
                    format!("tau({},{})", self.variants[pair.first], self.variants[pair.second])
                }));
                header.extend(["min tau".to_owned(), "max range".to_owned()]);
                table.push(header);
            }
            let mut row = vec![alpha.to_string()];
            row.extend(pairs.iter().map(|pair| number(pair.tau_b)));
            row.extend([number(min_tau_b(&scores)), number(Some(scores.max_range()))]);
            table.push(row);
        }
        text.push_str(&layout.table(&table));
        Ok(text)
    }
}

/// The smallest tau-b of all pairs of variants. `None` if one of them is undefined.
fn min_tau_b(scores: &VariantScores) -> Option<f64> {
    let taus: Option<Vec<f64>> = scores.rank_correlations().iter().map(|pair| pair.tau_b).collect();
    taus?.into_iter().min_by(f64::total_cmp)
}

/// The mean, from an exact sum, so that means that are equal as decimals tie in a ranking.
fn mean(scores: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = scores.len() as f64;
    let mut sum = DecimalSum::default();
    sum.extend(scores);
    sum.value() / n
}
