use super::*;

const LEVELS: [f64; 12] =
    [1e-9, 0.01, 0.1, 0.3, 0.499, 0.5, 0.501, 0.68, 0.9, 0.95, 0.999, 0.999_999_999];

fn close(found: f64, want: f64, at: &str) {
    assert!((found / want - 1.0).abs() <= 1e-11, "{at}: {found} for {want}");
}

#[test]
fn one_two_and_four_degrees_of_freedom_have_closed_forms() {
    for level in LEVELS {
        let at = format!("level {level}");
        // The quantile at (1 + level) / 2, without cancellation near 0 and 1.
        let cauchy = (std::f64::consts::FRAC_PI_2 * level).tan();
        if level < 0.999_9 {
            close(two_sided_quantile(level, 1.0), cauchy, &at);
        }
        let spread = (1.0 - level) * (1.0 + level);
        close(two_sided_quantile(level, 2.0), level * (2.0 / spread).sqrt(), &at);
        if level > 0.01 {
            let inner = (spread.sqrt().acos() / 3.0).cos() / spread.sqrt();
            close(two_sided_quantile(level, 4.0), 2.0 * (inner - 1.0).sqrt(), &at);
        }
    }
}

#[test]
fn quantiles_equal_those_of_mpmath() {
    let rows = include_str!("../../../tests/golden/students_t.csv");
    let mut seen = 0;
    for row in rows.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [degrees, level, want] =
            row.split(',').map(|value| value.parse().unwrap()).collect::<Vec<f64>>()[..]
        else {
            panic!("{row}")
        };
        close(two_sided_quantile(level, degrees), want, row);
        seen += 1;
    }
    assert_eq!(seen, 168);
}

#[test]
fn newtons_method_and_the_expansion_agree_at_their_boundary() {
    for level in [0.1, 0.5, 0.9, 0.99, 0.999_999] {
        let below = two_sided_quantile(level, MOST_DEGREES);
        let above = expansion(-normal::quantile((1.0 - level) / 2.0), MOST_DEGREES);
        close(below, above, &format!("level {level}"));
    }
}

#[test]
fn the_most_extreme_levels_have_finite_quantiles() {
    for degrees in [1.0, 2.0, 30.0, 1e6, 1e9] {
        let small = two_sided_quantile(f64::MIN_POSITIVE, degrees);
        assert!((0.0..1e-300).contains(&small), "{degrees}: {small}");
        let large = two_sided_quantile(1.0 - f64::EPSILON / 2.0, degrees);
        assert!((8.0..1e16).contains(&large), "{degrees}: {large}");
    }
}
