//! Rules by name: one text for each, with the scores of the rule itself.

use scoring_rules::{
    AnyRule, BetaScore, BoostingScore, BrierScore, ElementaryScore, Error, Level, LogScore,
    PowerScore, Probability, PseudosphericalScore, ScoringRule, SphericalScore, mean_score,
    score_slice,
};

use crate::common::{level, probabilities};

fn rules() -> Vec<(&'static str, Box<dyn ScoringRule>)> {
    vec![
        ("log", Box::new(LogScore::exact())),
        ("log:1e-6", Box::new(LogScore::clipped(1e-6).unwrap())),
        ("log:0.05", Box::new(LogScore::clipped(0.05).unwrap())),
        ("brier", Box::new(BrierScore)),
        ("spherical", Box::new(SphericalScore)),
        ("boosting", Box::new(BoostingScore)),
        ("beta:2,4", Box::new(BetaScore::new(2.0, 4.0).unwrap())),
        ("beta:-0.5,1e-9", Box::new(BetaScore::new(-0.5, 1e-9).unwrap())),
        ("power:-10,0.25", Box::new(PowerScore::new(-10.0, level(0.25)).unwrap())),
        ("pseudospherical:2,0.5", Box::new(PseudosphericalScore::new(2.0, Level::HALF).unwrap())),
        ("elementary:0.3", Box::new(ElementaryScore { threshold: level(0.3) })),
    ]
}

#[test]
fn a_rule_is_written_as_it_is_read_and_has_the_scores_of_the_rule_itself() {
    let values: Vec<f64> = (1..200).map(|i| f64::from(i) / 200.0).collect();
    let forecasts = probabilities(&values);
    let outcomes: Vec<bool> = (1..200).map(|i| i % 3 == 0).collect();
    for (text, rule) in rules() {
        let any: AnyRule = text.parse().unwrap();
        assert_eq!(any.to_string(), text);
        let (name, parameters) = any.name();
        assert_eq!(AnyRule::named(name, &parameters), Ok(any.clone()), "{text}");
        let (mut scores, mut expected) = ([0.0; 199], [0.0; 199]);
        score_slice(&any, forecasts, &outcomes, &mut scores).unwrap();
        score_slice(&rule, forecasts, &outcomes, &mut expected).unwrap();
        assert_eq!(scores, expected, "{text}");
        let mean = |rule: &dyn ScoringRule| mean_score(rule, forecasts, &outcomes, None);
        assert_eq!(mean(&any), mean(&rule), "{text}");
        for &p in forecasts.iter().step_by(20) {
            assert_eq!(any.divergence(p, Probability::HALF), rule.divergence(p, Probability::HALF));
            assert_eq!(any.entropy(p), rule.entropy(p), "{text}");
        }
        #[cfg(feature = "serde")]
        {
            let json = serde_json::to_string(&any).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<AnyRule>(&json).unwrap(), any);
        }
    }
}

#[test]
fn other_texts_and_parameters_out_of_range_are_refused() {
    for text in ["", "Log", "log:", "log:1e-6,2", "brier:1", "beta:2", "beta:2,x", "power:2", "tps"]
    {
        assert_eq!(text.parse::<AnyRule>(), Err(Error::UnknownRule), "{text}");
    }
    for text in ["log:0.9", "log:nan", "beta:-1,2", "power:11,0.5", "elementary:1"] {
        assert!(matches!(text.parse::<AnyRule>(), Err(Error::Setting { .. })), "{text}");
    }
}

#[test]
fn an_interval_is_shown_with_the_precision_of_the_format_and_a_sum_as_one_number() {
    let interval = scoring_rules::Interval::new(-0.123_456, 2.0).unwrap();
    assert_eq!(
        format!("{interval:.3} {interval:+.1} {interval}"),
        "[-0.123, 2.000] [-0.1, +2.0] [-0.123456, 2]"
    );
    let sum: scoring_rules::ExactSum = [0.1, 0.2].into_iter().collect();
    assert_eq!(format!("{sum:?}"), "ExactSum(0.30000000000000004)");
}

#[test]
fn the_scores_of_both_outcomes_are_the_single_scores_or_within_three_units_for_logs() {
    let mut values = vec![0.0, 1e-320, 1e-100, 1e-17, 9.9e-7, 1e-6, 1.1e-6, 0.5, 1.0];
    values.extend((1..500).map(|i| f64::from(i) / 500.0));
    values.extend([0.5_f64.next_down(), 0.5_f64.next_up(), 1.0 - 1e-6, 1.0 - 1e-16, 1.0 - 9e-7]);
    let mut rules = rules();
    for clip in [1e-6, 0.25, 0.49] {
        rules.push(("log", Box::new(LogScore::clipped(clip).unwrap())));
    }
    for (name, rule) in rules {
        for &p in probabilities(&values) {
            let single = [false, true].map(|outcome| rule.score(p, outcome));
            // Both logarithms at once have an error of up to 2 units in the last place, and single ones of 1.
            let units = if name.starts_with("log") { 3.0 } else { 0.0 };
            for (both, single) in rule.scores(p).into_iter().zip(single) {
                let same = both.to_bits() == single.to_bits();
                let unit = single.abs() - single.abs().next_down();
                assert!(
                    same || (both - single).abs() <= units * unit,
                    "{name} at {p}: {both} {single}"
                );
            }
        }
    }
}

#[test]
fn both_log_scores_have_the_bits_of_rows_and_keep_the_least_score_at_the_clip() {
    // Of the first clip, the fast logarithm is below the library's.
    let clips = (1..2_000).map(|step| (-f64::from(step) * 0.016).exp() / 2.1);
    for (step, clip) in [1.741_424_885_307_560_6e-14].into_iter().chain(clips).enumerate() {
        let rule = LogScore::clipped(clip).unwrap();
        for &p in probabilities(&[clip, 1.0 - clip, clip.next_up(), 0.3, step as f64 / 2_000.0]) {
            let mut rows = [0.0; 2];
            score_slice(&rule, &[p, p], &[false, true], &mut rows).unwrap();
            let scores = rule.scores(p);
            assert!(scores.iter().all(|&score| score >= clip.ln()), "{clip} {p}: {scores:?}");
            let inside = |p: f64| p > clip.next_up() && p < 1.0 - clip;
            if inside(p.get()) {
                assert_eq!(scores.map(f64::to_bits), rows.map(f64::to_bits), "{clip} {p}");
            }
        }
    }
}
