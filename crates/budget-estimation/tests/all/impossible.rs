//! The chance of success, and "impossible" at a guaranteed rate of false aborts.

use approx::assert_relative_eq;
use budget_estimation::{
    AbortLimit, BudgetMonitor, Estimate, Probability, Reading, RecordedRun, Rollouts, Sample,
    StopRule, SuccessForecast, SuccessForecaster, early_stopping,
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use statrs::function::beta::beta_reg;

use crate::common::{after_a_turn, interval, level, probability, refused, runs, stored, uniform};

fn chances(values: &[f64]) -> &[Probability] {
    Probability::from_slice(values).unwrap()
}

/// Golden numbers: tests/golden/abort_limits.py.
#[test]
fn the_rank_of_a_learned_threshold_agrees_with_scipy() {
    let text = include_str!("../golden/abort_limits.csv");
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut count = 0;
    for line in lines {
        let numbers: Vec<f64> = line.split(',').map(|number| number.parse().unwrap()).collect();
        let [n, rate, confidence, rank] = numbers[..] else { panic!("{line}") };
        let n = n as usize;
        let value = |rank: f64| rank / (n as f64 + 1.0);
        // Not in order: 37 has no common factor with any n.
        let rank_of = |i: usize| (1 + (i * 37 + 11) % n) as f64;
        let runs: Vec<_> = (0..n).map(|i| [probability(value(rank_of(i)))]).collect();
        let limit = AbortLimit { rate: level(rate), confidence: level(confidence) };
        let expected = (rank > 0.0).then(|| probability(value(rank)));
        assert_eq!(limit.threshold(&runs).unwrap(), expected, "{line}");
        assert_eq!(limit.least_runs() <= n, rank > 0.0, "{line}");
        count += 1;
    }
    assert_eq!(count, 11 * 5 * 4);
}

#[test]
fn a_run_counts_with_its_lowest_chance() {
    let limit = AbortLimit { rate: level(0.2), confidence: level(0.8) };
    let mut runs = vec![vec![0.9, 0.2, 0.8, 0.7], vec![0.3, 0.6]];
    runs.resize(14, vec![1.0]);
    let runs: Vec<&[Probability]> = runs.iter().map(|run| chances(run)).collect();
    // P(Binomial(14, 0.2) <= 1) = 0.198, so that one of fourteen runs may be aborted.
    assert_eq!(limit.threshold(&runs).unwrap(), Some(probability(0.3)));
    // A run without prefixes is a run that is never aborted.
    assert_eq!(limit.threshold(&[chances(&[]); 14]).unwrap(), Some(Probability::ONE));
    refused(limit.threshold::<&[Probability]>(&[]), "empty");
}

#[test]
fn thresholds_of_many_runs_are_those_of_binomial_tails_by_statrs() {
    // The probability of no false abort among 20,000 runs is too small for a number.
    for (n, rate) in [(500, 0.02), (3_000, 0.3), (20_000, 0.05), (20_000, 0.5)] {
        let runs: Vec<_> = (0..n).map(|i| [probability(f64::from(i) / f64::from(n))]).collect();
        let limit = AbortLimit { rate: level(rate), ..AbortLimit::default() };
        // P(Binomial(n, rate) <= k), at most 0.1.
        let tail = |k: i32| beta_reg(f64::from(n - k), f64::from(k + 1), 1.0 - rate);
        let rank = (0..n).find(|&k| tail(k) > 0.1).unwrap();
        assert_eq!(limit.threshold(&runs).unwrap(), Some(runs[rank as usize - 1][0]), "{n}");
    }
}

/// Runs of two turns, of which the first costs up to 100.
struct World {
    /// The probability that a run with this first cost is feasible.
    feasible: fn(f64) -> f64,
}

impl World {
    fn runs(&self, seed: u64, n: usize) -> Rollouts {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let run = |_| {
            let cost = 100.0 * uniform(&mut random);
            ([cost, 10.0], uniform(&mut random) < (self.feasible)(cost))
        };
        runs((0..n).map(run)).0
    }

    /// The share of feasible runs, and of other runs, that are called impossible: integrals by the
    /// midpoint rule.
    fn aborted(&self, forecaster: &mut SuccessForecaster) -> (f64, f64) {
        let mut sums = [[0.0; 2]; 2];
        for i in 0..200 {
            let cost = (f64::from(i) + 0.5) / 2.0;
            let forecast = forecast(forecaster, &[cost], None);
            let feasible = (self.feasible)(cost);
            for (sum, weight) in sums.iter_mut().zip([feasible, 1.0 - feasible]) {
                sum[0] += weight;
                sum[1] += if forecast.is_impossible { weight } else { 0.0 };
            }
        }
        (sums[0][1] / sums[0][0], sums[1][1] / sums[1][0])
    }
}

const SIGNAL: World = World { feasible: |cost| 0.01 + 0.98 / (1.0 + (0.3 * (cost - 65.0)).exp()) };
/// No run has a chance above one half, so that the threshold alone decides.
const MODERATE: World = World { feasible: |cost| 0.5 / (1.0 + (0.1 * (cost - 80.0)).exp()) };
const NO_SIGNAL: World = World { feasible: |_| 0.6 };

fn forecast(
    forecaster: &mut SuccessForecaster,
    costs: &[f64],
    cap: Option<f64>,
) -> SuccessForecast {
    let mut run = RecordedRun::new(BudgetMonitor::new([("tokens", cap)]).unwrap()).unwrap();
    let tokens = run.rollouts().resource("tokens").unwrap();
    costs.iter().for_each(|&cost| run.push(&[Some(cost)]).unwrap());
    forecaster.forecast(&run.prefix(tokens).unwrap()).unwrap()
}

pub(crate) fn learned(limit: AbortLimit, rollouts: &Rollouts) -> SuccessForecaster {
    let mut forecaster = SuccessForecaster::new(limit);
    let tokens = rollouts.resource("tokens").unwrap();
    rollouts.iter().for_each(|rollout| forecaster.learn(&rollout, tokens).unwrap());
    forecaster
}

/// For each seed, the shares of aborted feasible and other runs after these many runs.
fn simulated(world: &World, runs: usize, seeds: u64) -> Vec<(f64, f64)> {
    let limit = AbortLimit { rate: level(0.1), ..AbortLimit::default() };
    let of_seed = |seed| world.aborted(&mut learned(limit, &world.runs(seed, runs)));
    std::thread::scope(|scope| {
        let halves = [0..seeds / 2, seeds / 2..seeds]
            .map(|seeds| scope.spawn(move || seeds.map(of_seed).collect::<Vec<_>>()));
        halves.map(|half| half.join().unwrap()).concat()
    })
}

fn broken(found: &[(f64, f64)]) -> usize {
    found.iter().filter(|(feasible, _)| *feasible > 0.1).count()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

#[test]
fn the_forecaster_keeps_the_guarantee_for_1000_seeds() {
    // About 38 calibration runs. The threshold has rank 2, or 1 if there are fewer than 38, and the
    // probability of a violation is at most 0.099 for each number of runs.
    let found = simulated(&MODERATE, 120, 1000);
    let (broken, stopped) = (broken(&found), mean(found.iter().map(|(feasible, _)| *feasible)));
    println!("{broken}, {stopped}");
    assert!(found.len() == 1000 && broken <= 100, "{broken}");
    // The limit is used, not avoided.
    assert!(stopped > 0.02 && broken > 5, "{stopped}, {broken}");
}

/// With a strong signal most failures are detected; without one hardly a run is aborted.
#[test]
fn the_guarantee_holds_with_a_strong_signal_and_without_one() {
    for (world, feasible, others) in
        [(&SIGNAL, 0.0..1.0, 0.7..1.0), (&NO_SIGNAL, 0.0..0.02, 0.0..1.0)]
    {
        let found = simulated(world, 100, 100);
        let of_feasible = mean(found.iter().map(|(feasible, _)| *feasible));
        let of_others = mean(found.iter().map(|(_, others)| *others));
        assert!(broken(&found) <= 10, "{found:?}");
        assert!(
            feasible.contains(&of_feasible) && others.contains(&of_others),
            "{of_feasible} {of_others}"
        );
    }
}

#[test]
fn a_forecast_depends_on_what_a_prefix_shows_and_not_on_the_unit_of_cost() {
    let limit = AbortLimit { rate: level(0.1), ..AbortLimit::default() };
    let rollouts = SIGNAL.runs(1, 150);
    let tokens = rollouts.resource("tokens").unwrap();
    let mut forecaster = learned(limit, &rollouts);
    let (thousandths, _) = runs(rollouts.iter().map(|rollout| {
        let costs = rollout.usage(tokens).unwrap().costs();
        (costs.iter().map(|cost| cost / 1024.0).collect::<Vec<_>>(), rollout.succeeded())
    }));
    let mut in_thousandths = learned(limit, &thousandths);
    for (rollout, small) in rollouts.iter().zip(thousandths.iter()) {
        let [prefix, small] =
            [&rollout, &small].map(|it| it.replay(tokens).unwrap().next().unwrap());
        let replayed = forecaster.forecast(&prefix).unwrap();
        assert_eq!(replayed, forecast(&mut forecaster, prefix.usage().costs(), None));
        let rescaled = in_thousandths.forecast(&small).unwrap();
        assert_relative_eq!(rescaled.chance.get(), replayed.chance.get(), max_relative = 1e-9);
    }
}

#[test]
fn the_chance_is_calibrated_on_later_runs() {
    let mut forecaster = learned(AbortLimit::default(), &SIGNAL.runs(3, 1500));
    for cost in [5.0, 50.0, 60.0, 65.0, 70.0, 80.0] {
        let found = forecast(&mut forecaster, &[cost], None).chance.get();
        let expected = (SIGNAL.feasible)(cost);
        assert!((found - expected).abs() < 0.1, "{cost}: {found}, {expected}");
    }
}

#[test]
fn a_run_over_its_cap_is_impossible_before_anything_is_learned() {
    let mut forecaster = SuccessForecaster::new(AbortLimit::default());
    let within = forecast(&mut forecaster, &[60.0, 40.0], Some(100.0));
    assert_eq!((within.chance, within.is_impossible), (Probability::HALF, false));
    let over = forecast(&mut forecaster, &[60.0, 40.5], Some(100.0));
    assert_eq!((over.chance, over.is_impossible), (Probability::ZERO, true));
    // A cap on another resource counts as well.
    let monitor = BudgetMonitor::new([("tokens", None), ("usd", Some(1.0))]).unwrap();
    let mut run = RecordedRun::new(monitor).unwrap();
    let tokens = run.rollouts().resource("tokens").unwrap();
    run.push(&[Some(60.0), Some(1.5)]).unwrap();
    assert!(forecaster.forecast(&run.prefix(tokens).unwrap()).unwrap().is_impossible);
}

#[test]
fn a_cap_moves_the_chance() {
    // Runs that succeed after a total of about 100, each with a cap from 50 to 150.
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    for _ in 0..400 {
        let costs: Vec<f64> = (0..5).map(|_| 15.0 + 10.0 * uniform(&mut random)).collect();
        let run = rollouts.push(&costs, true).unwrap();
        rollouts.set_cap_of(run, tokens, 50.0 + 100.0 * uniform(&mut random)).unwrap();
    }
    let mut forecaster =
        learned(AbortLimit { rate: level(0.1), ..AbortLimit::default() }, &rollouts);
    let after_two = [70.0, 90.0, 110.0, 130.0]
        .map(|cap| forecast(&mut forecaster, &[20.0, 20.0], Some(cap)).chance.get());
    assert!(after_two.is_sorted() && after_two[0] < 0.1 && after_two[3] > 0.9, "{after_two:?}");
    assert!(forecast(&mut forecaster, &[20.0, 20.0], Some(60.0)).is_impossible);
}

#[test]
fn the_rule_of_value_and_cost_gains_nearly_what_the_true_chance_would() {
    let rollouts = SIGNAL.runs(7, 3000);
    let tokens = rollouts.resource("tokens").unwrap();
    let mut forecaster = SuccessForecaster::new(AbortLimit::default());
    let (mut samples, mut failures) = (Vec::new(), Vec::new());
    for rollout in rollouts.iter() {
        let prefix = after_a_turn(&rollouts, rollout.index(), tokens);
        let found = forecaster.forecast(&prefix).unwrap();
        // The second turn costs 10, which an estimator would learn.
        let estimate = match found.is_impossible {
            true => Estimate::Impossible,
            false => interval(8.0, 12.0),
        };
        samples.push(Sample::new(&rollout, tokens, 1, estimate).unwrap());
        failures.push(probability(1.0 - found.chance.get()));
        forecaster.learn(&rollout, tokens).unwrap();
    }
    let value = 20.0;
    let gain = |samples: &[Sample], rule: StopRule| {
        let stops = early_stopping(&rollouts, tokens, samples, Some(&failures), &[rule]).unwrap();
        let lost = stops.stopped_successes as f64;
        stops.saved + 10.0 * lost - value * lost
    };
    // The best rule knows the probability of success: it stops where it is below 10 / 20.
    let best: f64 = rollouts
        .iter()
        .map(|rollout| {
            let chance = (SIGNAL.feasible)(rollout.usage(tokens).unwrap().costs()[0]);
            (10.0 - value * chance).max(0.0)
        })
        .sum();
    let plain = |rollout| Sample::new(&rollout, tokens, 1, interval(8.0, 12.0)).unwrap();
    let plain: Vec<Sample> = rollouts.iter().map(plain).collect();
    let worthwhile = gain(&plain, StopRule::not_worthwhile(tokens, value).unwrap());
    let impossible = gain(&samples, StopRule::first_impossible().with_reading(Reading::Cap));
    assert!(worthwhile > 0.9 * best, "{worthwhile} of {best}");
    assert!(worthwhile > impossible && impossible > 0.0, "{worthwhile}, {impossible}");
}

/// With every stop carried out, feasible runs of low chance end without an outcome. If they were left
/// out, each new model would allow false aborts among the feasible runs that the one before did not stop.
#[test]
fn the_guarantee_holds_if_the_runs_called_impossible_are_stopped() {
    let limit = AbortLimit { rate: level(0.1), ..AbortLimit::default() };
    let mut rates = Vec::new();
    for seed in 0..20 {
        let all = MODERATE.runs(seed, 600);
        let tokens = all.resource("tokens").unwrap();
        let mut forecaster = SuccessForecaster::new(limit);
        for rollout in all.iter() {
            let costs = rollout.usage(tokens).unwrap().costs();
            let stopped = forecast(&mut forecaster, &costs[..1], None).is_impossible;
            let (mut one, _) = runs([(costs, rollout.succeeded() && !stopped)]);
            if stopped {
                one.set_censored(0).unwrap();
            }
            forecaster.learn(&one.get(0).unwrap(), tokens).unwrap();
        }
        rates.push(MODERATE.aborted(&mut forecaster));
    }
    let (broken, stopped) = (broken(&rates), mean(rates.iter().map(|(feasible, _)| *feasible)));
    println!("{broken}, {stopped}");
    assert!(broken <= 2 && stopped <= 0.1, "{broken}, {stopped}");
}

#[test]
fn a_run_cut_off_for_another_reason_teaches_nothing() {
    let all = SIGNAL.runs(9, 150);
    let mut forecaster = learned(AbortLimit { rate: level(0.1), ..AbortLimit::default() }, &all);
    let before = forecaster.clone();
    let (mut cut_off, tokens) = runs([([10.0, 10.0], false)]);
    cut_off.set_censored(0).unwrap();
    forecaster.learn(&cut_off.get(0).unwrap(), tokens).unwrap();
    assert_eq!(forecaster.threshold(), before.threshold());
    assert_eq!(
        forecast(&mut forecaster, &[60.0], None),
        forecast(&mut before.clone(), &[60.0], None)
    );
}

#[test]
fn another_resource_than_the_one_learned_is_an_error_and_changes_nothing() {
    let mut forecaster = learned(AbortLimit::default(), &SIGNAL.runs(2, 40));
    let mut other = Rollouts::new(["usd"]).unwrap();
    other.push(&[1.0, 2.0], true).unwrap();
    let usd = other.resource("usd").unwrap();
    let before = forecast(&mut forecaster, &[50.0], None);
    refused(forecaster.learn(&other.get(0).unwrap(), usd), "differ in the estimated resource");
    assert_eq!(forecast(&mut forecaster, &[50.0], None), before);
}

#[test]
fn a_stored_forecaster_continues_with_the_same_bits() {
    let rollouts = SIGNAL.runs(4, 160);
    let tokens = rollouts.resource("tokens").unwrap();
    let limit = AbortLimit { rate: level(0.1), ..AbortLimit::default() };
    let mut forecaster = SuccessForecaster::new(limit);
    for (i, rollout) in rollouts.iter().enumerate() {
        if i % 40 == 0 {
            let restored = stored(&forecaster);
            let same = forecast(&mut restored.clone(), &[33.0], Some(90.0));
            assert_eq!(same, forecast(&mut forecaster, &[33.0], Some(90.0)));
            forecaster = restored;
        }
        forecaster.learn(&rollout, tokens).unwrap();
    }
    assert!(forecaster == learned(limit, &rollouts));
}
