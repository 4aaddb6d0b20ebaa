//! Values that do not depend on how they are computed, to the last bit.

use proptest::{collection::vec, prelude::*};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::{
    Bootstrap, Level, Resampling, ScoredStream, Seed, Summary, TiedBlocks, Weight, WeightSchedule,
    consistency_band, random::unit,
};

use crate::common::{level_of, ps, traces_of};

type Run = (Vec<f64>, bool, u8);

/// Forecasts with and without ties, and some whose losses have bits far below those of others.
fn forecast() -> impl Strategy<Value = f64> {
    let tiny = (1..250_i32).prop_map(|n| 2.0_f64.powi(-n));
    prop_oneof![0.0..=1.0, (0..=4_u32).prop_map(|p| f64::from(p) / 4.0), tiny]
}

fn runs() -> impl Strategy<Value = Vec<Run>> {
    vec((vec(forecast(), 1..4), any::<bool>(), 0..12_u8), 2..60)
}

fn scored(runs: &[Run], at: impl Fn(f64) -> f64) -> ScoredStream {
    let traces = traces_of(runs.iter().map(|(forecasts, outcome, _)| {
        (forecasts.iter().map(|p| at(*p)).collect::<Vec<f64>>(), *outcome)
    }));
    ScoredStream::new(&traces, &WeightSchedule::LinearFront, &Summary::Last).unwrap()
}

proptest! {
    /// With weights, a resample is evaluated from its rows; without, from sums of its clusters and rows sorted once.
    #[test]
    fn metrics_of_a_resample_have_the_bits_of_metrics_of_its_rows(runs in runs(), seed in any::<u64>()) {
        let (first, second) = (scored(&runs, |p| p), scored(&runs, |p| p * p));
        let tasks: Vec<u8> = runs.iter().map(|run| run.2).collect();
        let ones = vec![Weight::ONE; 2 * runs.len()];
        let names: Vec<usize> = (0..runs.len()).collect();
        let clusters = [Bootstrap::clusters(&tasks, Seed(seed)), Bootstrap::clusters(&names, Seed(seed))];
        for bootstrap in clusters.iter().flatten() {
            let resampling = Some(Resampling { bootstrap, resamples: 20, level: level_of(0.5) });
            let of_rows = first.estimates(Some(&ones[..runs.len()]), resampling).unwrap();
            prop_assert_eq!(first.estimates(None, resampling).unwrap(), of_rows);
        }
        let both = [tasks.clone(), tasks].concat();
        if let Ok(bootstrap) = Bootstrap::clusters(&both, Seed(seed)) {
            let resampling = Some(Resampling { bootstrap: &bootstrap, resamples: 20, level: level_of(0.5) });
            let of_rows = second.minus(&first, Some(&ones), resampling).unwrap();
            prop_assert_eq!(second.minus(&first, None, resampling).unwrap(), of_rows);
        }
    }
}

/// The band, of curves whose rates are sorted at each confidence.
fn sorted_band(blocks: &TiedBlocks, level: Level, resamples: u64, seed: Seed) -> Vec<[u64; 2]> {
    let curve = |replicate| {
        let mut generator = ChaCha8Rng::seed_from_u64(seed.0);
        generator.set_stream(replicate);
        let mut rows = Vec::new();
        for block in blocks.as_slice() {
            let draws = 0..block.weight() as u32;
            let p = block.confidence;
            rows.extend(draws.map(|_| (p, unit(&mut generator) < p.get(), Weight::ONE)));
        }
        let mut drawn = TiedBlocks::default();
        drawn.refill(rows).unwrap();
        let pools = drawn.pool_adjacent_violators().into_iter();
        pools.flat_map(|pool| vec![pool.rate(); pool.blocks.len()]).collect::<Vec<f64>>()
    };
    let curves: Vec<Vec<f64>> = (0..resamples).map(curve).collect();
    let ends = |block: usize| {
        let mut rates: Vec<f64> = curves.iter().map(|curve| curve[block]).collect();
        rates.sort_by(f64::total_cmp);
        let tail = (1.0 - level.get()) / 2.0;
        [tail, 1.0 - tail].map(|share| {
            let position = share * (rates.len() - 1) as f64;
            let (low, high) = (rates[position.floor() as usize], rates[position.ceil() as usize]);
            (low + position.fract() * (high - low)).to_bits()
        })
    };
    (0..blocks.as_slice().len()).map(ends).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_band_has_the_bits_of_rates_sorted_at_each_confidence(
        rows in vec((forecast(), 1..4_u32), 1..300),
        level in 0.05..0.99,
        resamples in 1_u64..60,
        seed in any::<u64>(),
    ) {
        let confidence: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let weights: Vec<Weight> = rows.iter().map(|row| Weight::from(row.1)).collect();
        let blocks = TiedBlocks::new(ps(&confidence), &vec![true; rows.len()], Some(&weights)).unwrap();
        let (level, seed) = (level_of(level), Seed(seed));
        let band = consistency_band(&blocks, level, resamples as usize, seed).unwrap();
        let ends = band.iter().map(|it| [it.low().to_bits(), it.high().to_bits()]);
        prop_assert_eq!(ends.collect::<Vec<_>>(), sorted_band(&blocks, level, resamples, seed));
    }
}

#[cfg(feature = "rayon")]
mod threads {
    use rayon::ThreadPoolBuilder;
    use trajectory_metrics::{
        Better, Binning, CalibrationTest, Clustered, CrossFit, Error, ExactMean, Folds, Intervals,
        Metric, Platt, Ranking, SignFlipTest, Undefined,
    };

    use super::*;
    use crate::common::uniform;

    /// Asserts that 1, 2, 3 and 8 threads give the same debug output, in which floats have all their digits.
    fn same<T: std::fmt::Debug + Send>(evaluate: impl Fn() -> T + Sync) {
        let with = |threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            format!("{:?}", pool.install(&evaluate))
        };
        let one = with(1);
        assert!(!one.trim_start_matches('[').starts_with("Err"), "{one}");
        for threads in [2, 3, 8] {
            assert_eq!(with(threads), one, "{threads} threads");
        }
    }

    #[test]
    fn resamples_permutations_and_draws_are_the_same_on_any_number_of_threads() {
        let mut generator = ChaCha8Rng::seed_from_u64(7);
        let runs: Vec<Run> = (0..400)
            .map(|run| {
                let p = uniform(&mut generator);
                (vec![p, p.sqrt()], uniform(&mut generator) < p, (run % 50) as u8)
            })
            .collect();
        let tasks: Vec<u8> = runs.iter().map(|run| run.2).collect();
        let outcomes: Vec<bool> = runs.iter().map(|run| run.1).collect();
        let values: Vec<f64> = runs.iter().map(|run| run.0[0]).collect();
        let (seed, level) = (Seed(3), level_of(0.9));
        let rows = Bootstrap::rows(400, seed).unwrap();
        let clusters = Bootstrap::clusters(&tasks, seed).unwrap();
        let stream = scored(&runs, |p| p);
        let ranking = Ranking::new(ps(&values), &outcomes).unwrap();
        let blocks = TiedBlocks::new(ps(&values), &outcomes, None).unwrap();
        let tenths = Binning::Quantile { bins: 10 };
        let both = Bootstrap::clusters(&[&tasks[..], &tasks[..]].concat(), seed).unwrap();
        let other = scored(&runs, |p| p * p);

        for bootstrap in [&rows, &clusters] {
            let resampling = Some(Resampling { bootstrap, resamples: 100, level });
            let ones = [Weight::ONE; 400];
            let sum = |counts: &[u32]| {
                [Ok(values.iter().zip(counts).map(|(v, &n)| v * f64::from(n)).sum())]
            };
            same(|| bootstrap.mean(&values, None, 100));
            same(|| bootstrap.auroc(&ranking, 100));
            same(|| bootstrap.replicates(100, sum));
            same(|| bootstrap.map(100, <[u32]>::to_vec));
            same(|| stream.estimates(None, resampling));
            same(|| stream.estimates(Some(&ones), resampling));
        }
        let resampling = Some(Resampling { bootstrap: &both, resamples: 100, level });
        same(|| other.minus(&stream, None, resampling));
        same(|| SignFlipTest::new(&values, None, &tasks, 999, seed));
        same(|| CalibrationTest::new(ps(&values), &outcomes, None, &tasks, tenths, 99, seed));
        same(|| consistency_band(&blocks, level, 50, seed));

        let traces = traces_of(runs.iter().map(|run| (&run.0, run.1)));
        let schedule = WeightSchedule::LinearFront;
        let folds = Folds::clustered(&outcomes, &tasks, 2).unwrap();
        let fit = CrossFit::new(&Platt::default(), &traces, &folds, &schedule).unwrap();
        same(|| CrossFit::new(&Platt::default(), &traces, &folds, &schedule));
        same(|| fit.raw_against_calibrated(&traces, &schedule, &clusters, 100));

        let mut clustered = Clustered::default();
        runs.iter().for_each(|run| clustered.update(run.2, Weight::ONE, run.0[1]));
        let mean = |mean: &ExactMean| mean.finish().map_err(|_| Undefined::new("no run"));
        let metric = Metric::new("mean", "mean", Better::Higher, "Mean.", mean);
        let add = |all: &mut ExactMean, row: &f64, weight| -> Result<(), Error> {
            Ok(all.update_weighted(*row, weight)?)
        };
        let intervals = Some(Intervals { level, resamples: 100, seed });
        same(|| clustered.figures(&[metric], &ExactMean::default(), add, intervals));
    }
}
