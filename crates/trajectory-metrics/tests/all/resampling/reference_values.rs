use trajectory_metrics::{
    ClusterEstimate, Replicates, Seed, SignFlipTest,
    estimates::{self, ANY, Difference, SHARE},
};

use crate::common::{arms, golden_rows, level_of, numbers, ws};

#[test]
fn standard_errors_and_intervals_of_fixed_replicates_equal_those_of_scipy_to_1e_12() {
    let (mut seen, mut worst) = (0, 0.0_f64);
    for row in golden_rows(include_str!("../../golden/bootstrap.csv")) {
        let [name, level, estimate, replicates, ref want @ ..] = row[..] else { panic!("{row:?}") };
        let replicates = Replicates::new(estimate.parse().unwrap(), numbers(replicates)).unwrap();
        let ends = replicates.figure(level_of(level.parse().unwrap())).interval.unwrap();
        let error = replicates.standard_error().unwrap();
        assert_eq!(want.len(), 3);
        for (got, want) in [error, ends.low(), ends.high()].iter().zip(want) {
            let want: f64 = want.parse().unwrap();
            // In units of the spread: an end may be anywhere, 0 too.
            let off = (got - want).abs() / error.max(want.abs());
            assert!(off <= 1e-12, "{name} at {level}: {got} against {want}, off by {off:e}");
            worst = worst.max(off);
        }
        seen += 1;
    }
    assert!(seen >= 50, "{seen} rows");
    println!("intervals: largest error {worst:.1e} in {seen} rows");
}

#[test]
fn cluster_errors_equal_those_of_statsmodels_and_t_tests_those_of_scipy() {
    let (mut seen, mut worst) = (0, 0.0_f64);
    for row in golden_rows(include_str!("../../golden/clusters.csv")) {
        let [kind, y, x, weights, groups, ref want @ ..] = row[..] else { panic!("{row:?}") };
        let [y, x, weights] = [y, x, weights].map(numbers::<f64>);
        let groups: Vec<u32> = numbers(groups);
        let of_arms = arms(&x.iter().map(|&x| x == 1.0).collect::<Vec<bool>>());
        // Of the t tests, the third column holds the ends of the interval.
        let given = || Some(ws(&weights));
        let found = match kind {
            "mean" => ClusterEstimate::mean(&y, given(), &groups),
            "ratio" => ClusterEstimate::ratio(&y, &x, given(), &groups),
            "difference" => ClusterEstimate::difference(&y, &of_arms, given(), &groups),
            "sign flip" => {
                let test = SignFlipTest::new(&y, given(), &groups, 0, Seed(0)).unwrap();
                assert!(test.exact);
                let want: Vec<f64> = want.iter().map(|number| number.parse().unwrap()).collect();
                for (got, want) in [test.mean, test.p_value, test.clusters as f64].iter().zip(want)
                {
                    assert!((got - want).abs() <= 1e-12 * want.abs(), "{groups:?}: {got} {want}");
                }
                seen += 1;
                continue;
            }
            "paired" | "welch" => ClusterEstimate::difference(&y, &of_arms, None, &groups),
            other => panic!("{other}"),
        };
        let found = found.unwrap();
        if matches!(kind, "paired" | "welch") {
            let interval = found.interval(level_of(0.95)).unwrap();
            for (got, want) in [interval.low(), interval.high()].iter().zip(&weights) {
                let off = (got - want).abs() / found.standard_error;
                assert!(off <= 1e-10, "{kind}: {got} against {want}");
            }
        }
        let want: Vec<f64> = want.iter().map(|number| number.parse().unwrap()).collect();
        // The degrees of freedom of a mean are Satterthwaite's, see proportions.csv.
        let degrees = if kind == "mean" { want[3] } else { found.degrees_of_freedom };
        let got = [found.estimate, found.standard_error, found.clusters as f64, degrees];
        for (got, want) in got.iter().zip(want) {
            let off = (got - want).abs() / want.abs();
            assert!(off <= 1e-12, "{kind} {groups:?}: {got} against {want}, off by {off:e}");
            worst = worst.max(off);
        }
        seen += 1;
    }
    assert!(seen >= 50, "{seen} rows");
    println!("clusters: largest relative error {worst:.1e} in {seen} rows");
}

#[test]
fn intervals_of_rates_and_of_their_differences_are_those_of_matrices_and_scipy() {
    let mut seen = [0; 2];
    for row in golden_rows(include_str!("../../golden/proportions.csv")) {
        let [kind, y, groups, second, want] = row[..] else { panic!("{row:?}") };
        let [y, want] = [y, want].map(numbers::<f64>);
        let groups: Vec<u32> = numbers(groups);
        let level = level_of(0.95);
        let got = if kind == "rate" {
            let found = ClusterEstimate::mean(&y, None, &groups).unwrap();
            let ends = estimates::mean(&y, None, &groups, SHARE, level).unwrap().interval.unwrap();
            seen[0] += 1;
            assert!((found.degrees_of_freedom / want[2] - 1.0).abs() < 1e-9, "{row:?}: {found:?}");
            // Values that vary have the interval of Student's t with the same variance.
            if let Ok(interval) = found.interval(level) {
                let t = interval.high() - interval.low();
                assert!(t > 2.0 * 1.95 * want[1].sqrt(), "{row:?}");
            }
            [found.estimate, ends.low(), ends.high()]
        } else {
            let second: Vec<bool> = numbers::<f64>(second).iter().map(|arm| *arm == 1.0).collect();
            let found = Difference::new(&y, &arms(&second), &groups, SHARE).unwrap().figure(level);
            let ends = found.interval.unwrap();
            seen[1] += 1;
            [found.value, ends.low(), ends.high()]
        };
        let want =
            if kind == "rate" { [want[0], want[3], want[4]] } else { [want[0], want[1], want[2]] };
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() < 1e-9, "{row:?}: {got} against {want}");
        }
    }
    assert!(seen.iter().all(|seen| *seen >= 70), "{seen:?}");
}

#[test]
fn intervals_on_the_log_scale_are_those_of_numpy_up_to_the_draws() {
    let mut worst = 0.0_f64;
    let mut seen = 0;
    for row in golden_rows(include_str!("../../golden/studentized.csv")) {
        let [kind, above, below, groups, value, low, high] = row[..] else { panic!("{row:?}") };
        let [value, low, high] = [value, low, high].map(|number| number.parse::<f64>().unwrap());
        let groups: Vec<u32> = numbers(groups);
        let (above, level) = (numbers(above), level_of(0.95));
        let found = match kind {
            "mean" => estimates::mean(&above, None, &groups, [0.0, f64::INFINITY], level),
            "ratio" => {
                let range = [0.0, f64::INFINITY];
                estimates::ratio(&above, &numbers(below), &groups, range, level)
            }
            _ => estimates::ratio(&above, &numbers(below), &groups, SHARE, level),
        };
        let found = found.unwrap();
        let ends = found.interval.unwrap();
        assert!((found.value / value - 1.0).abs() < 1e-12, "{row:?}");
        for (end, want) in [(ends.low(), low), (ends.high(), high)] {
            let off = ((end - want) / (want - value)).abs();
            assert!(off < 0.25, "{kind}: {ends:?} against {low} {high}");
            worst = worst.max(off);
            // Without draws.
            let is_closed_form = groups.last() < Some(&14) && kind != "mean";
            assert!(off < 1e-9 || !is_closed_form, "{kind}: {ends:?} against {low} {high}");
        }
        seen += 1;
    }
    assert!(seen >= 35);
    println!("largest distance of an end: {worst:.3} of that of the value");
}

#[test]
fn neither_the_order_of_rows_nor_the_names_of_clusters_change_an_interval() {
    let spent: Vec<f64> = (0..60).map(|row| 1.3_f64.powi(row * 7 % 31)).collect();
    let tasks: Vec<u32> = (0..60).map(|row| row % 20).collect();
    let of = |order: &[usize], name: fn(u32) -> u32| {
        let spent: Vec<f64> = order.iter().map(|row| spent[*row]).collect();
        let tasks: Vec<u32> = order.iter().map(|row| name(tasks[*row])).collect();
        estimates::mean(&spent, None, &tasks, [0.0, f64::INFINITY], level_of(0.95)).unwrap()
    };
    let order: Vec<usize> = (0..60).collect();
    let back: Vec<usize> = (0..60).rev().collect();
    let found = of(&order, |task| task);
    assert!(found.interval.is_ok());
    assert_eq!(found, of(&back, |task| task));
    let renamed = of(&order, |task| 7 * task % 20).interval.unwrap();
    let ends = found.interval.unwrap();
    assert!((renamed.low() / ends.low() - 1.0).abs() < 1e-12);
    assert!((renamed.high() / ends.high() - 1.0).abs() < 1e-12);
}

#[test]
fn a_cluster_counts_as_one_row_with_its_mean_and_the_weight_of_its_rows() {
    let (x, of) = ([0.5, 2.0, -1.0, 4.0, 3.0, 1.0, 2.5, 0.0, 7.0], [0, 0, 0, 1, 1, 2, 3, 4, 5]);
    let rows = ClusterEstimate::mean(&x, None, &of).unwrap();
    let means = [0.5, 3.5, 1.0, 2.5, 0.0, 7.0];
    let weights = ws(&[3.0, 2.0, 1.0, 1.0, 1.0, 1.0]);
    let clusters = ClusterEstimate::mean(&means, Some(weights), &[0, 1, 2, 3, 4, 5]).unwrap();
    let parts = |it: &ClusterEstimate| {
        let ends = it.interval(level_of(0.95)).unwrap();
        [it.estimate, it.standard_error, it.degrees_of_freedom, ends.low(), ends.high()]
    };
    for (of_rows, of_clusters) in parts(&rows).into_iter().zip(parts(&clusters)) {
        assert!((of_rows - of_clusters).abs() < 1e-12, "{of_rows} {of_clusters}");
    }
}

#[test]
fn only_outcomes_have_a_variance_that_follows_from_their_rate() {
    // 15 values near 1 of either arm, of which one is far off: as if each row were a mean of several.
    let values: Vec<f64> = (0..30).map(|i| if i % 15 == 0 { 0.2 } else { 0.999 }).collect();
    let of_arms = arms(&(0..30).map(|i| i >= 15).collect::<Vec<bool>>());
    let own: Vec<usize> = (0..30).collect();
    let found = Difference::new(&values, &of_arms, &own, SHARE).unwrap();
    let ends = found.figure(level_of(0.95)).interval.unwrap();
    // The exact interval of 15 rows with 0.8 failures reaches from 0.06 below to 0.2 above that rate.
    assert!(ends.high() > 0.2 && ends.low() < -0.2, "{ends:?}");
    // A row without weight changes nothing, nor does a cluster with nearly all the weight lead beyond the range of degrees.
    let outcomes = [1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.5];
    let all: Vec<usize> = (0..7).collect();
    let mut weights = [1.0; 7];
    weights[6] = 0.0;
    let of = |values: &[f64], weights, own: &[usize]| {
        estimates::mean(values, weights, own, SHARE, level_of(0.95)).unwrap().interval
    };
    let weights = ws(&weights);
    let without = of(&outcomes[..6], None, &all[..6]);
    assert!(without.is_ok());
    assert_eq!(of(&outcomes, Some(weights), &all), without);
    for light in [1e-3, 1e-6, 1e-10, 1e-14, 1e-17] {
        let weights = [1.0, light];
        let weights = ws(&weights);
        let found = ClusterEstimate::mean(&[1.0, 3.0], Some(weights), &[0, 1]).unwrap();
        assert!((found.degrees_of_freedom - 1.0).abs() < 1e-3, "{light}: {found:?}");
    }
}

/// Where neither end of the range is known, a difference of size d is found with the chance 0.8 by n clusters with
/// `n = ((z(0.975) + z(0.8)) s / d)^2`, for s the standard deviation of the differences of the clusters; Student's t adds
/// `(z^3 + z) / 4 n` to either quantile, so about 2 clusters to many.
#[test]
fn clusters_needed_are_those_of_the_textbook() {
    let n = 200;
    let of_both: Vec<usize> = (0..n).chain(0..n).collect();
    let of_arms = arms(&(0..2 * n).map(|row| row >= n).collect::<Vec<bool>>());
    let study = |second: &dyn Fn(usize) -> f64| {
        let values: Vec<f64> = (0..n).map(|_| 0.0).chain((0..n).map(second)).collect();
        Difference::new(&values, &of_arms, &of_both, ANY).unwrap()
    };
    let level = level_of(0.95);
    let varied = study(&|row| if row % 2 == 0 { 1.0 } else { -1.0 });
    let variance = n as f64 / (n as f64 - 1.0);
    for size in [0.05, 0.1, 0.2] {
        let needed = varied.clusters_needed(level, 0.8, size).unwrap().unwrap();
        let normal = ((1.959_963_984_540_054 + 0.841_621_233_572_914) / size).powi(2) * variance;
        assert!((1.0..4.0).contains(&(needed as f64 - normal)), "{size}: {needed} {normal}");
    }
    // No number of clusters finds nothing, nor is there one for what does not vary, or for too small a size.
    for (of, size) in [(&varied, 0.0), (&varied, 1e-9), (&study(&|_| 1.0), 0.1)] {
        assert_eq!(of.clusters_needed(level, 0.8, size).unwrap(), None, "{size}");
    }
    for (power, size) in [(0.5, 0.1), (1.0, 0.1), (0.8, -0.1), (0.8, f64::NAN)] {
        assert!(varied.clusters_needed(level, power, size).is_err(), "{power} {size}");
    }
}

/// A study of five times as many tasks of the same kinds says the same of the number that is needed.
#[test]
fn shares_need_as_many_clusters_however_many_tasks_the_study_has() {
    let level = level_of(0.95);
    let needed = |times: usize, shared: bool| {
        let n = 20 * times;
        let outcomes: Vec<f64> = (0..2 * n)
            .map(|row| {
                let (second, kind) = (row >= n, row % 20);
                f64::from(u8::from(if second { kind < 3 } else { kind < 1 }))
            })
            .collect();
        let of_arms = arms(&(0..2 * n).map(|row| row >= n).collect::<Vec<bool>>());
        let tasks: Vec<usize> = (0..2 * n).map(|row| if shared { row % n } else { row }).collect();
        let found = Difference::new(&outcomes, &of_arms, &tasks, SHARE).unwrap();
        found.clusters_needed(level, 0.8, 0.1).unwrap().unwrap() as f64
    };
    for shared in [true, false] {
        let (few, many) = (needed(1, shared), needed(5, shared));
        assert!((few / many - 1.0).abs() < 0.05, "{few} {many}");
    }
}

#[test]
fn values_below_a_largest_one_have_the_interval_of_their_distance_from_it() {
    let tasks: Vec<usize> = (0..40).map(|row| row / 2).collect();
    let above: Vec<f64> = (0..40).map(|row| 1.2_f64.powi(row % 13)).collect();
    let below: Vec<f64> = above.iter().map(|value| 3.0 - value).collect();
    let of = |values: &[f64], range| {
        estimates::mean(values, None, &tasks, range, level_of(0.95)).unwrap()
    };
    let (up, down) = (of(&above, [0.0, f64::INFINITY]), of(&below, [f64::NEG_INFINITY, 3.0]));
    let (of_up, of_down) = (up.interval.unwrap(), down.interval.unwrap());
    for (mirrored, found) in
        [(up.value, down.value), (of_up.low(), of_down.high()), (of_up.high(), of_down.low())]
    {
        assert!((3.0 - mirrored - found).abs() < 1e-12, "{mirrored} {found}");
    }
}

/// Values in another unit have the same interval in that unit, as those of overconfidence, from -1 to 1, do.
#[test]
fn intervals_follow_the_range_of_the_values() {
    let n = 24;
    let tasks: Vec<usize> = (0..2 * n).map(|row| row % n).collect();
    let apart: Vec<usize> = (0..2 * n).collect();
    let of_arms = arms(&apart.iter().map(|row| *row >= n).collect::<Vec<bool>>());
    let varied: Vec<f64> = apart.iter().map(|row| (row * 37 % 101) as f64 / 100.0).collect();
    let outcomes: Vec<f64> = apart.iter().map(|row| f64::from(row * 37 % 101 < 60)).collect();
    // From nearly nothing to nearly everything: the upper end is the width of the range.
    let far: Vec<f64> = apart.iter().map(|row| f64::from(*row > n)).collect();
    for ((at, values), clusters) in [varied, outcomes, far]
        .iter()
        .enumerate()
        .flat_map(|values| [&tasks, &apart].map(|clusters| (values, clusters)))
    {
        let [least, width] = [-1.0, 2.0];
        let moved: Vec<f64> = values.iter().map(|value| least + width * value).collect();
        let parts = |values: &[f64], range| {
            let found = Difference::new(values, &of_arms, clusters, range).unwrap();
            let found = found.figure(level_of(0.95));
            let mean = estimates::mean(values, None, clusters, range, level_of(0.95)).unwrap();
            let (ends, of_mean) = (found.interval.unwrap(), mean.interval.unwrap());
            [found.value, ends.low(), ends.high(), mean.value, of_mean.low(), of_mean.high()]
        };
        let (of_share, found) = (parts(values, SHARE), parts(&moved, [least, least + width]));
        for (place, (share, found)) in of_share.into_iter().zip(found).enumerate() {
            let wanted = width * share + if place < 3 { 0.0 } else { least };
            assert!((found - wanted).abs() < 1e-12, "{at} {place}: {found} {wanted}");
        }
    }
}
