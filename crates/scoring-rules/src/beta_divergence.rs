use crate::{BetaScore, Probability, ScoringRule, incomplete_beta::IncompleteBeta, rule::share};

/// Nodes and weights of the Gauss-Legendre rule with ten points on [-1, 1], positive half.
/// origin: NumPy 2.4, numpy.polynomial.legendre.leggauss(10)
const GAUSS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_22, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// What reporting p costs where q holds: the integral of `|c - q| c^(alpha-1) (1-c)^(beta-1)`
/// between the two.
///
/// A plain difference of scores loses all digits where p is close to q or both are close to an
/// end, so each of these cases is integrated from a side where nothing cancels.
pub(crate) fn divergence(rule: &BetaScore, forecast: Probability, truth: Probability) -> f64 {
    let (p, q) = (forecast.get(), truth.get());
    let (alpha, beta) = (rule.alpha(), rule.beta());
    if p == q {
        return 0.0;
    }
    let to_an_end = p.min(q).min(1.0 - p.max(q));
    if (p - q).abs() * (4.0 + alpha.abs() + beta.abs()) <= to_an_end {
        return between(p, q, alpha, beta);
    }
    let gained = |outcome| rule.score(truth, outcome) - rule.score(forecast, outcome);
    if p <= 0.5 && q <= 0.5 {
        near_zero(p, q, alpha, beta, || gained(true))
    } else if p >= 0.5 && q >= 0.5 {
        // The mirror image: outcomes and parameters change places.
        near_zero(1.0 - p, 1.0 - q, beta, alpha, || gained(false))
    } else {
        share(q, || gained(true)) + share(1.0 - q, || gained(false))
    }
}

/// For p close to q: the integral as one Gauss rule, with the factor `(p - q)^2` taken out.
fn between(p: f64, q: f64, alpha: f64, beta: f64) -> f64 {
    let gap = p - q;
    let integrand = |share: f64| {
        let c = q + share * gap;
        share * c.powf(alpha - 1.0) * (1.0 - c).powf(beta - 1.0)
    };
    let half = |&(node, weight): &(f64, f64)| {
        weight * (integrand((1.0 - node) / 2.0) + integrand((1.0 + node) / 2.0))
    };
    gap * gap * GAUSS.iter().map(half).sum::<f64>() / 2.0
}

/// For both in the lower half: integrals from 0, which are as small as their difference.
/// `success_gain` is the difference of the scores for a success, taken where such an integral is
/// infinite or nearly so.
fn near_zero(p: f64, q: f64, alpha: f64, beta: f64, success_gain: impl Fn() -> f64) -> f64 {
    let grown = |integral: IncompleteBeta| integral.at(q, 1.0 - q) - integral.at(p, 1.0 - p);
    let success = share(q, || {
        if alpha > 0.01 { grown(IncompleteBeta::new(alpha, beta + 1.0)) } else { success_gain() }
    });
    success - (1.0 - q) * grown(IncompleteBeta::new(alpha + 1.0, beta))
}
