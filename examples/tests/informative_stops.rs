//! Informative stops: which estimates are biased, in standard errors of the simulation.
#![allow(clippy::unwrap_used)]

mod program;

#[test]
fn only_curves_by_group_and_the_cross_fitted_model_are_without_bias_where_stops_are_informative() {
    let lines = program::lines("informative_stops");
    let biases: Vec<[f64; 2]> = lines[..4]
        .iter()
        .map(|line| {
            let (bias, error) = line.split_once(": bias ").unwrap().1.split_once(',').unwrap();
            [bias, error.rsplit(' ').next().unwrap()].map(|it| it.parse().unwrap())
        })
        .collect();
    let [complete, one_curve, by_group, model] = &biases[..] else { unreachable!() };
    for [bias, error] in [complete, one_curve] {
        // Hard runs score lower, and fewer of them are complete.
        assert!(*bias > 0.005 && *bias > 8.0 * error, "{bias} {error}");
    }
    assert!(complete[0] > 1.5 * one_curve[0], "one curve corrects a part");
    for [bias, error] in [by_group, model] {
        assert!(bias.abs() < 3.0 * error && *error < 0.002, "{bias} {error}");
    }
    let coverage = lines[4].rsplit(' ').next().unwrap();
    assert_eq!(coverage, "1.000", "the coverage does not show the bias");
}
