//! The loss that each choice of the bounds of intervals would have had.

use crate::learning::candidate_ends::{CANDIDATES, CENTRAL};

/// Stages of a run, by predicted progress.
pub(super) const STAGES: usize = 3;

/// Parts of a run, by its true progress.
const PARTS: usize = 5;

/// The largest error of the coverage of a part that is not penalised.
const PART_TOLERANCE: f64 = 0.03;

/// The largest error of the coverage of all parts together that is not penalised.
const TOLERANCE: f64 = 0.005;

/// The penalty of a coverage that is off by 1, relative to the loss of the central intervals.
const PENALTY: f64 = 0.5;

/// The gain that a candidate next to the central one must have if one run is known; less with more runs.
const RELUCTANCE: f64 = 0.02;

/// A candidate for each stage.
pub(super) type Chosen = [usize; STAGES];

type PerCandidate = [[f64; CANDIDATES]; STAGES];

/// Losses and misses of past forecasts at one end.
#[derive(Clone, Copy, Debug, Default)]
struct OneEnd {
    losses: PerCandidate,
    /// For each part, the weight of the forecasts that are missed; after normalisation, the share.
    misses: [PerCandidate; PARTS],
}

impl OneEnd {
    fn loss(&self, chosen: &Chosen) -> f64 {
        self.losses.iter().zip(chosen).map(|(losses, &at)| losses[at]).sum()
    }

    fn missed(&self, part: usize, chosen: &Chosen) -> f64 {
        self.misses[part].iter().zip(chosen).map(|(misses, &at)| misses[at]).sum()
    }
}

/// Losses and misses of past forecasts at both bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndLosses {
    /// The nominal share of misses.
    miss: f64,
    /// Lower and upper bound.
    ends: [OneEnd; 2],
    /// The weight of each part; after normalisation, the share.
    parts: [f64; PARTS],
}

impl EndLosses {
    pub(super) fn new(miss: f64) -> Self {
        Self { miss, ends: Default::default(), parts: [0.0; PARTS] }
    }

    /// Adds a forecast with its candidates for both bounds.
    pub(super) fn add(
        &mut self,
        (stage, progress): (usize, f64),
        (lows, highs): (&[f64; CANDIDATES], &[f64; CANDIDATES]),
        remaining: f64,
        weight: f64,
    ) {
        let part = ((progress * PARTS as f64) as usize).min(PARTS - 1);
        self.parts[part] += weight;
        let slope = 2.0 / self.miss;
        let [low, high] = &mut self.ends;
        for (candidate, (l, h)) in lows.iter().zip(highs).enumerate() {
            low.losses[stage][candidate] += weight * (slope * (l - remaining).max(0.0) - l);
            high.losses[stage][candidate] += weight * (slope * (remaining - h).max(0.0) + h);
            low.misses[part][stage][candidate] += if remaining < *l { weight } else { 0.0 };
            high.misses[part][stage][candidate] += if remaining > *h { weight } else { 0.0 };
        }
    }

    /// Returns the best choice for the lower and the upper bound, and its loss, if `runs` runs are known.
    pub(super) fn best(mut self, runs: f64) -> ([Chosen; 2], f64) {
        let total: f64 = self.parts.iter().sum();
        for end in &mut self.ends {
            for (misses, part) in end.misses.iter_mut().zip(self.parts) {
                let part = if part > 0.0 { part } else { 1.0 };
                misses.iter_mut().flatten().for_each(|miss| *miss /= part);
            }
        }
        self.parts.iter_mut().for_each(|part| *part /= total);
        let central = [[CENTRAL; STAGES]; 2];
        let base = self.loss(&central);
        let base = if base > 0.0 { base } else { 1.0 };
        let mut chosen = central;
        for _ in 0..5 {
            let before = chosen;
            for stage in 0..STAGES {
                for end in 0..2 {
                    self.improve(&mut chosen, (end, stage), base, runs.max(1.0));
                }
            }
            if chosen == before {
                break;
            }
        }
        (chosen, self.loss(&chosen) + base * PENALTY * self.penalty(&chosen))
    }

    /// Chooses the best candidate for one end in one stage, with all other choices as they are.
    fn improve(
        &self,
        chosen: &mut [Chosen; 2],
        (end, stage): (usize, usize),
        base: f64,
        runs: f64,
    ) {
        let mut best = (CENTRAL, f64::INFINITY);
        for candidate in 0..CANDIDATES {
            chosen[end][stage] = candidate;
            let moved = candidate.abs_diff(CENTRAL) as f64;
            let cost = self.ends[end].losses[stage][candidate] / base
                + PENALTY * self.penalty(chosen)
                + RELUCTANCE * moved / runs;
            if cost < best.1 {
                best = (candidate, cost);
            }
        }
        chosen[end][stage] = best.0;
    }

    fn loss(&self, [lows, highs]: &[Chosen; 2]) -> f64 {
        let [low, high] = &self.ends;
        low.loss(lows) + high.loss(highs)
    }

    /// Returns the penalty for errors of the coverage beyond the tolerances, in each part and in all parts together.
    fn penalty(&self, [lows, highs]: &[Chosen; 2]) -> f64 {
        let [low, high] = &self.ends;
        let (mut parts, mut all) = (0.0, 0.0);
        for (part, &share) in self.parts.iter().enumerate() {
            // A part without forecasts has nothing to cover.
            if share > 0.0 {
                let missed = low.missed(part, lows) + high.missed(part, highs);
                parts += ((missed - self.miss).abs() - PART_TOLERANCE).max(0.0);
                all += share * missed;
            }
        }
        parts + 2.0 * ((all - self.miss).abs() - TOLERANCE).max(0.0)
    }
}
