use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::{Error, Probability, Ranking, Replicates, TiedBlocks, Weight, auroc};

use super::{
    laws::{bootstraps, same},
    uniform,
};

#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let mut generator = ChaCha8Rng::seed_from_u64(6);
    let values: Vec<f64> = (0..150).map(|_| uniform(&mut generator)).collect();
    let outcomes: Vec<bool> = values.iter().map(|p| uniform(&mut generator) < *p).collect();
    let ranking = Ranking::new(Probability::from_slice(&values).unwrap(), &outcomes).unwrap();
    let weights: Vec<f64> = (0..150).map(|i| f64::from(1 + i % 3)).collect();
    let bits = |replicates: Result<Replicates, Error>| -> Vec<Option<u64>> {
        replicates.unwrap().values().map(|value| value.map(f64::to_bits)).collect()
    };
    for bootstrap in bootstraps(150, 8) {
        let serial = [
            bootstrap.mean(&values, None, 500),
            bootstrap.mean(&values, Some(Weight::from_slice(&weights).unwrap()), 500),
            bootstrap.auroc(&ranking, 500),
        ]
        .map(bits);
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let parallel = pool.install(|| {
                let [area] = bootstrap.par_replicates(500, || {
                    let mut blocks = TiedBlocks::default();
                    let ranking = &ranking;
                    move |counts: &[u32]| {
                        [ranking.resample(counts, &mut blocks).and_then(|()| auroc(&blocks))]
                    }
                });
                same(&area, &bootstrap.auroc(&ranking, 500));
                [
                    bootstrap.par_mean(&values, None, 500),
                    bootstrap.par_mean(&values, Some(Weight::from_slice(&weights).unwrap()), 500),
                    bootstrap.par_auroc(&ranking, 500),
                ]
                .map(bits)
            });
            assert_eq!(parallel, serial, "{threads}");
        }
    }
}
