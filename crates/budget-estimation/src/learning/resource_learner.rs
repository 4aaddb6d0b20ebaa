use scoring_rules::Level;

use super::{
    ROWS_OF_A_RUN,
    candidate_ends::Remaining,
    past_rows::{Ending, PastRows},
    stage_ends::{PastForecast, StageEnds},
};
use crate::{
    error::Error,
    forest::quantile_forest::QuantileForest,
    key_effects::{CostEffects, Keys},
    replay::{
        prefix::{Prefix, prefix},
        prefix_features::PrefixFeatures,
    },
    resource::Resource,
    rollouts::rollout::Rollout,
    state::Scratch,
};

/// Runs after which the first forest is grown.
const FIRST_FOREST: u64 = 8;

/// Rows without which no forest is grown.
const FEWEST_ROWS: usize = 20;

/// Number of runs up to which every run chooses the bounds again; afterwards one of [`RARELY`], a power of two.
const OFTEN: u64 = 1_000;
const RARELY: u64 = 16;

/// Number of runs after which a run counts half in the choice of the bounds, while every run is used.
const HALF_LIFE: f64 = 100.0;

/// Weights of the forest of all columns. The forest of turns has the rest.
const SHARES: [f64; 3] = [0.0, 0.5, 1.0];

/// Quantiles of the rest of a run that was cut off.
const RESTS: [f64; 3] = [1.0 / 6.0, 0.5, 5.0 / 6.0];

/// The knowledge learnt about one resource.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct ResourceLearner {
    features: PrefixFeatures,
    keys: CostEffects,
    rows: PastRows,
    runs: u64,
    /// The largest number of turns of a run.
    longest: usize,
    next_forest: u64,
    forests: Option<Box<[QuantileForest; 2]>>,
    /// By share of the forest of all columns.
    ends: [StageEnds; 3],
    /// The share that is used.
    share: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    space: Scratch<Space>,
}

/// Memory that is used again.
#[derive(Clone, Debug, Default)]
struct Space {
    row: Vec<f64>,
    names: Keys,
    cumulative: Vec<f64>,
    of_turns: Vec<f64>,
}

impl Space {
    /// Returns the distribution that the forests predict for the row; `None` before the first forest.
    fn remaining<'a>(
        &'a mut self,
        forests: Option<&'a [QuantileForest; 2]>,
        share: usize,
        coverage: Level,
        spent: f64,
        left: Option<f64>,
    ) -> Option<Remaining<'a>> {
        let [all, turns] = forests?;
        let share = SHARES.get(share).copied().unwrap_or(1.0);
        let Self { row, cumulative, of_turns, .. } = self;
        if share > 0.0 {
            all.distribution(row, cumulative);
        }
        if share < 1.0 {
            turns.distribution(row.get(..1).unwrap_or_default(), of_turns);
            if share > 0.0 {
                let both = cumulative.iter_mut().zip(&*of_turns);
                both.for_each(|(all, turns)| *all = share * *all + (1.0 - share) * turns);
            } else {
                std::mem::swap(cumulative, of_turns);
            }
        }
        let distribution = all.with_cumulative(cumulative);
        Some(Remaining::new(distribution, coverage, spent, left))
    }
}

/// The whole of a run: one ending, or several possible ones if it was cut off.
struct Endings {
    /// The amounts that may have been spent after the last known turn, equally likely.
    rests: Vec<f64>,
    /// Whether forecasts of this run are scored.
    is_scored: bool,
}

impl ResourceLearner {
    pub(crate) fn new(rollout: &Rollout<'_>, resource: Resource) -> Result<Self, Error> {
        let features = PrefixFeatures::new(rollout, resource)?;
        let rows = PastRows::new(features.len() + CostEffects::COLUMNS);
        Ok(Self {
            features,
            keys: CostEffects::default(),
            rows,
            runs: 0,
            longest: 0,
            next_forest: FIRST_FOREST,
            forests: None,
            ends: Default::default(),
            share: SHARES.len() - 1,
            space: Scratch::default(),
        })
    }

    #[cfg(feature = "serde")]
    pub(crate) fn resource_name(&self) -> &str {
        self.features.resource_name()
    }

    /// Returns the bounds of the interval for a prefix; `None` before the first forest.
    pub(crate) fn interval(
        &mut self,
        prefix: &Prefix<'_>,
        coverage: Level,
    ) -> Result<Option<(f64, f64)>, Error> {
        if self.forests.is_none() {
            return Ok(None);
        }
        self.set_row(prefix)?;
        let usage = prefix.usage();
        let (spent, left) = (usage.total(), usage.left());
        let forests = self.forests.as_deref();
        let remaining = self.space.0.remaining(forests, self.share, coverage, spent, left);
        let Some((remaining, ends)) = remaining.zip(self.ends.get(self.share)) else {
            return Ok(None);
        };
        let (low, high) = ends.chosen(remaining.progress());
        let (low, high) = (remaining.low(low), remaining.high(high));
        Ok(Some((low.min(high), high)))
    }

    /// Puts the row of a prefix into the memory.
    fn set_row(&mut self, prefix: &Prefix<'_>) -> Result<(), Error> {
        let Space { row, names, .. } = &mut self.space.0;
        row.clear();
        self.features.append_to(row, prefix)?;
        names.set(prefix.keys());
        row.extend(self.keys.effects(names));
        Ok(())
    }

    /// Learns from a run that has ended.
    pub(crate) fn learn(
        &mut self,
        rollout: &Rollout<'_>,
        resource: Resource,
        coverage: Level,
        seed: u64,
    ) -> Result<(), Error> {
        let (whole, total) = (rollout.usage(resource)?, rollout.run_total(resource)?);
        let turns = rollout.turns();
        let seen_after = |k: usize| prefix(rollout, resource, whole, k);
        let endings = self.endings(rollout, &seen_after(turns), coverage)?;
        let share_of_ending = 1.0 / endings.rests.len().max(1) as f64;
        let ending = match rollout.is_censored() {
            true if rollout.is_known_over() => Ending::Failed,
            true => Ending::CutOff { after: turns },
            false if rollout.succeeded() => Ending::Succeeded,
            false => Ending::Failed,
        };
        let mut forecasts: [Vec<PastForecast>; 3] = Default::default();
        for (k, weight) in learnt_turns(turns) {
            let seen = seen_after(k);
            self.set_row(&seen)?;
            let (spent, left) = (seen.usage().total(), seen.usage().left());
            let remaining = total.remaining_after(spent);
            self.rows.push(&self.space.0.row, remaining, weight, ending);
            let weight = weight * share_of_ending;
            if !endings.is_scored || k == 0 || !chooses_ends(self.runs) {
                continue;
            }
            for (share, forecasts) in forecasts.iter_mut().enumerate() {
                let forests = self.forests.as_deref();
                let predicted = self.space.0.remaining(forests, share, coverage, spent, left);
                let Some(predicted) = predicted else { continue };
                let ends = predicted.candidates();
                for rest in &endings.rests {
                    let longer = if total.total > 0.0 { 1.0 + rest / total.total } else { 1.0 };
                    let progress = k as f64 / (turns as f64 * longer);
                    let remaining = remaining + rest;
                    let (run, cut_off_after) = (self.runs, ending.cut_off_after());
                    forecasts.push(PastForecast {
                        ends,
                        remaining,
                        progress,
                        weight,
                        run,
                        cut_off_after,
                    });
                }
            }
        }
        self.rows.end_run();
        self.learn_keys(rollout, total.total, &endings);
        self.runs = self.runs.saturating_add(1);
        self.longest = self.longest.max(turns);
        self.choose(forecasts, coverage);
        if self.runs >= self.next_forest && self.rows.len() >= FEWEST_ROWS {
            self.forests = Some(Box::new(self.rows.forests(self.longest, seed)));
            self.next_forest = next_forest(self.runs);
        }
        Ok(())
    }

    /// No ending if the run was cut off before there was a forest to complete it.
    fn endings(
        &mut self,
        rollout: &Rollout<'_>,
        whole: &Prefix<'_>,
        coverage: Level,
    ) -> Result<Endings, Error> {
        let is_over = rollout.is_known_over();
        if !rollout.is_censored() {
            let is_scored = rollout.succeeded() && !is_over;
            return Ok(Endings { rests: vec![0.0], is_scored });
        }
        self.set_row(whole)?;
        let (forests, spent) = (self.forests.as_deref(), whole.usage().total());
        let predicted = self.space.0.remaining(forests, self.share, coverage, spent, None);
        let rests = predicted.map(|predicted| RESTS.map(|p| predicted.quantile(p)).to_vec());
        Ok(Endings { rests: rests.unwrap_or_default(), is_scored: !is_over })
    }

    fn learn_keys(&mut self, rollout: &Rollout<'_>, total: f64, endings: &Endings) {
        let Some(rest) = endings.rests.get(endings.rests.len() / 2).copied() else { return };
        if rollout.turns() > 0 && total > 0.0 {
            let whole = (total + rest).ln();
            // The quotient of the whole and the known total may overflow.
            let turns = (rollout.turns() as f64).ln() + (whole - total.ln());
            self.space.0.names.set(rollout.keys());
            self.keys.learn(&self.space.0.names, [whole, turns]);
        }
    }

    /// Chooses the bounds and the share with the least loss on the remembered runs.
    fn choose(&mut self, forecasts: [Vec<PastForecast>; 3], coverage: Level) {
        if forecasts.iter().all(Vec::is_empty) {
            return;
        }
        // The effective number of remembered runs stays about the same, whether all runs are used or few.
        let half_life = if self.runs < OFTEN { HALF_LIFE } else { HALF_LIFE * RARELY as f64 };
        let mut best = f64::INFINITY;
        for ((share, ends), forecasts) in self.ends.iter_mut().enumerate().zip(forecasts) {
            ends.push(forecasts);
            let cost = ends.choose(coverage, self.longest, (self.runs, half_life));
            if cost <= best {
                (best, self.share) = (cost, share);
            }
        }
    }
}

/// Returns whether the bounds are chosen again when a run follows the first `runs` runs: always at first, later for
/// a pseudorandom sample. In a regular sample, all runs might belong to the same task or model.
///
/// The finalizer of SplitMix64; Steele, Lea, Flood (2014), doi:10.1145/2660193.2660195.
const fn chooses_ends(runs: u64) -> bool {
    let mixed = runs.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    runs < OFTEN || (mixed ^ (mixed >> 31)).is_multiple_of(RARELY)
}

/// Turn 0 and evenly spaced turns from 1 to T - 1, with their weights: each prefix counts as one row.
fn learnt_turns(turns: usize) -> impl Iterator<Item = (usize, f64)> {
    let prefixes = turns.saturating_sub(1);
    let kept = prefixes.min(ROWS_OF_A_RUN);
    let weight = prefixes as f64 / kept.max(1) as f64;
    let later = (0..kept).map(move |i| (1 + (2 * i + 1) * prefixes / (2 * kept), weight));
    std::iter::once((0, 1.0)).take(usize::from(turns > 0)).chain(later)
}

/// Returns the number of runs at which the forest is grown again: often while runs are few.
const fn next_forest(runs: u64) -> u64 {
    let step = match runs {
        ..200 => runs / 10,
        200..1_000 => runs / 4,
        _ => runs,
    };
    runs.saturating_add(if step > 0 { step } else { 1 })
}
