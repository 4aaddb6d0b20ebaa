use std::array;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use scoring_rules::Seed;

use crate::warehouse::catalogue::{
    COLLAPSE, Cents, HOLDING, LEVELS, OPEX, RISE, Retailer, SERIES, STEPS, STOCKED_DEMAND, SWING,
    Sku, WEEKS,
};

/// The number of weeks of a series.
const N_WEEKS: usize = STEPS * WEEKS as usize;

/// Numbers of units by retailer and product.
pub(super) type Units = [[i64; 5]; 5];

/// The goods that the firm has at the start of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// No goods, as the paper describes (C.3).
    #[default]
    Empty,
    /// The goods and the larger demand of an earlier calibration of the benchmark, of which one step is recovered.
    Stocked,
}

impl Start {
    /// Converts units of the printed scale to the scale of this start.
    const fn scaled(self, units: i64) -> i64 {
        match self {
            Self::Empty => units,
            Self::Stocked => units * STOCKED_DEMAND[0] / STOCKED_DEMAND[1],
        }
    }

    /// Returns the demand of a step for a product at a retailer, on average over all games.
    pub(super) fn prior(self, retailer: Retailer) -> i64 {
        self.scaled(LEVELS[retailer as usize].iter().sum::<i64>() * WEEKS / 5)
    }
}

/// The demand of each retailer's customers in each step of a game.
///
/// A retailer has five weekly series. At the start of a game they are assigned to the five products in a random order. The demand
/// of a step is the sum of two consecutive weeks of a series plus Gaussian noise with the standard deviation of the series, but
/// at least 0 (C.1). The noise is the sum of twelve uniform numbers minus its mean. Its distribution function differs from the
/// normal one by less than 0.003, and it has the same bits on any machine.
///
/// ```
/// use agent_benchmarks::{Seed, warehouse::{Demand, Retailer, Sku, Start}};
///
/// let demand = Demand::draw(Start::Empty, Seed(1));
/// assert_eq!(demand, Demand::draw(Start::Empty, Seed(1)));
/// let units = (0..11).map(|step| demand.units(step, Retailer::TechZone, Sku::Jcd543)).sum::<u32>();
/// assert!(units > 2_000);
/// // Equation 6: what a policy would earn that knows the mean demand and has no limits of cash and time.
/// assert!((2_000_000.0..2_600_000.0).contains(&demand.largest_reward().dollars()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    units: [[[u32; 5]; 5]; STEPS],
    /// The sums of the series over all weeks.
    series: Units,
}

impl Demand {
    /// Draws the demand that a seed determines.
    #[must_use]
    pub fn draw(start: Start, seed: Seed) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.0);
        let mut demand = Self { units: [[[0; 5]; 5]; STEPS], series: [[0; 5]; 5] };
        for retailer in Retailer::ALL {
            let mut order = [0, 1, 2, 3, 4];
            for last in (1..5).rev() {
                order.swap(last, below(&mut rng, last as u64 + 1) as usize);
            }
            for sku in Sku::ALL {
                let (row, column) = (retailer as usize, sku as usize);
                let series = series(retailer, order[column]).map(|week| start.scaled(week));
                let total: i64 = series.iter().sum();
                let mean = total / N_WEEKS as i64;
                let squares: i64 = series.iter().map(|week| (week - mean) * (week - mean)).sum();
                let deviation = (squares / N_WEEKS as i64).isqrt();
                demand.series[row][column] = total;
                for (step, weeks) in series.chunks(WEEKS as usize).enumerate() {
                    let noise = deviation * gaussian(&mut rng) / (1 << 32);
                    let units = (weeks.iter().sum::<i64>() + noise).max(0);
                    demand.units[step][row][column] = u32::try_from(units).unwrap_or(u32::MAX);
                }
            }
        }
        demand
    }

    /// Creates a demand from given numbers of units, by step, retailer and product.
    #[must_use]
    pub fn new(units: [[[u32; 5]; 5]; STEPS]) -> Self {
        let sum =
            |row: usize, column: usize| units.iter().map(|it| i64::from(it[row][column])).sum();
        let series = array::from_fn(|row| array::from_fn(|column| sum(row, column)));
        Self { units, series }
    }

    /// Returns the units demanded in a step (the first is 0); 0 after the last step.
    #[must_use]
    pub fn units(&self, step: usize, retailer: Retailer, sku: Sku) -> u32 {
        self.units.get(step).map_or(0, |step| step[retailer as usize][sku as usize])
    }

    /// Returns the reward of an ideal policy (equation 6). This policy always meets the mean demand, stores the demand
    /// of one step in the warehouse, and pays only storage and fixed costs.
    #[must_use]
    pub fn largest_reward(&self) -> Cents {
        let of = |retailer: Retailer, sku: Sku| {
            let units = self.series[retailer as usize][sku as usize];
            // The warehouse holds a step's mean demand during every week of every step.
            retailer.price(sku) * units - HOLDING * (units * WEEKS)
        };
        let all = Retailer::ALL.map(|retailer| Sku::ALL.map(|sku| of(retailer, sku)));
        all.into_iter().flatten().sum::<Cents>() - OPEX * (WEEKS * STEPS as i64)
    }
}

/// Returns a weekly series, which is the same in all games.
fn series(retailer: Retailer, which: usize) -> [i64; N_WEEKS] {
    let level = LEVELS[retailer as usize][which];
    let mut rng = ChaCha8Rng::seed_from_u64(SERIES);
    rng.set_stream(retailer as u64 * 5 + which as u64);
    array::from_fn(|week| {
        let swing = below(&mut rng, 2 * SWING as u64 + 1) as i64 - SWING;
        let shape = match which {
            0 if week >= RISE => 120,
            0 => 80,
            4 if retailer == Retailer::OfficePlus && week >= COLLAPSE => 10,
            _ => 100,
        };
        level * shape * (100 + swing) / 10_000
    })
}

/// Draws a number below `end`. The distribution of a 64-bit draw differs from uniform by less than 1e-17.
pub(super) fn below(rng: &mut ChaCha8Rng, end: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(end)) >> 64) as u64
}

/// Draws a number whose distribution is nearly normal, in units of 2^-32.
fn gaussian(rng: &mut ChaCha8Rng) -> i64 {
    let sum: i64 = (0..12).map(|_| i64::from(rng.next_u32())).sum();
    sum - 6 * i64::from(u32::MAX)
}
