use crate::{
    error::Error,
    rule::ScoringRule,
    rules::{
        power::{baseline::Baseline, functions::above_tangent},
        quadrature::gauss,
        sides::Sides,
        smooth::{SmoothScore, ThresholdDensity, smooth_rule},
    },
    values::level::Level,
    values::probability::Probability,
};

/// The pseudospherical family of scores, each relative to a baseline forecast b, which scores 0 under both outcomes.
///
/// With `u = p / b` and `v = (1-p) / (1-b)`, and r the one of these that belongs to the outcome:
///
/// ```text
/// S = ((r / m)^(k-1) - 1) / (k-1),        m = (b u^k + (1-b) v^k)^(1/k)
/// ```
///
/// and its limits for a power k of 0 or 1. Strictly proper for every k. Positive if the forecast gave
/// the outcome a higher probability than the baseline did. Power 2 with a baseline of 1/2 is the
/// [`SphericalScore`](crate::SphericalScore) up to scale and origin. Power 1 is the log score minus
/// the log score of the baseline. Bounded unless the power is from 0 to 1, for which a wrong
/// certainty scores minus infinity.
///
/// Relative error at most 1e-12.
///
/// Reference: Jose, Nau and Winkler (2008), Scoring rules, generalized entropy, and utility
/// maximization, doi:10.1287/opre.1070.0498; Good (1971) for an even baseline.
///
/// ```
/// use scoring_rules::{Level, Probability, PseudosphericalScore, ScoringRule, SphericalScore};
///
/// let rule = PseudosphericalScore::new(2.0, Level::HALF)?;
/// let p = Probability::new(0.75)?;
/// let spherical = 2.0_f64.sqrt() * SphericalScore.score(p, true) - 1.0;
/// assert!((rule.score(p, true) - spherical).abs() < 1e-15);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct PseudosphericalScore(pub(crate) Baseline);

impl PseudosphericalScore {
    /// Creates the score of the pseudospherical family with the given power and baseline.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the power is from -10 to 10 and the baseline from 0.001 to 0.999.
    pub fn new(power: f64, baseline: Level) -> Result<Self, Error> {
        Baseline::new(power, baseline).map(Self)
    }

    /// `ln (r / m)`, from the ratio of the other side to r.
    fn log_share(&self, forecast: Sides, outcome: bool) -> f64 {
        let (k, (base, other)) = (self.0.power, self.0.sides.of(outcome));
        let (r, r_excess) = self.0.ratio(forecast, outcome);
        let (t, t_excess) = self.0.ratio(forecast, !outcome);
        let excess = (t_excess - r_excess) / r;
        let log = if excess.abs() < 0.5 { excess.ln_1p() } else { (t / r).ln() };
        if k == 0.0 {
            return -other * log;
        }
        // ln (base + other (t / r)^k), with the larger of the two powers taken out.
        let x = k * log;
        let log_sum =
            if x > 0.0 { x + (base * (-x).exp_m1()).ln_1p() } else { (other * x.exp_m1()).ln_1p() };
        -log_sum / k
    }
}

impl ScoringRule for PseudosphericalScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self.score_of(Sides::new(forecast), outcome)
    }

    fn entropy(&self, truth: Probability) -> f64 {
        // The expected score of the baseline is 0.
        let baseline = self.0.sides;
        0.0 - self.divergence_of(baseline, Sides::new(truth))
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        self.divergence_of(Sides::new(forecast), Sides::new(truth))
    }
}

impl PseudosphericalScore {
    fn divergence_of(&self, p: Sides, q: Sides) -> f64 {
        let (k, gap) = (self.0.power, p.p - q.p);
        if gap == 0.0 {
            return 0.0;
        }
        let to_an_end = p.p.min(q.p).min(p.rest).min(q.rest);
        if gap.abs() * (4.0 + 2.0 * k.abs()) <= to_an_end {
            let at = |share: f64| Sides { p: q.p + share * gap, rest: q.rest - share * gap };
            // Gaps relative to the nearer end, so that no single factor overflows.
            return gauss(0.0, 1.0, |share| {
                let at = at(share);
                let (end, powers) = if at.p < 0.5 { (at.p, [2, 0]) } else { (at.rest, [0, 2]) };
                share * (gap / end) * self.density(at, powers) * (gap / end)
            });
        }
        // If each forecast is in units of its m, the result is a sum over outcomes of the height of a
        // power above its tangent.
        let shares = |sides| [true, false].map(|outcome| self.log_share(sides, outcome).exp());
        let (of_p, of_q) = (shares(p), shares(q));
        // The outcome that is more probable.
        let likely = q.p > 0.5;
        let share = of_q[usize::from(!likely)];
        if share == f64::INFINITY {
            // A certainty whose m is 0: only the score of its one possible outcome counts.
            return ((k - 1.0) * self.log_share(p, likely)).exp() / (1.0 - k);
        }
        let length = self.0.ratio(q, likely).0 / share;
        let above = |i: usize| above_tangent(k, of_p[i], of_q[i], of_p[i] - of_q[i]);
        length * (self.0.sides.p * above(0) + self.0.sides.rest * above(1))
    }
}

impl SmoothScore for PseudosphericalScore {
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        let (k, log) = (self.0.power - 1.0, self.log_share(forecast, outcome));
        if k == 0.0 { log } else { (k * log).exp_m1() / k }
    }
}

impl ThresholdDensity for PseudosphericalScore {
    /// `(u v)^(k-2) m^(1-2k) / (b (1-b))`, with m in units of the one of u and v that has the larger
    /// power.
    fn density(&self, p: Sides, [i, j]: [i32; 2]) -> f64 {
        let (k, base) = (self.0.power, self.0.sides);
        let (u, v) = (self.0.ratio(p, true).0, self.0.ratio(p, false).0);
        let by_u = (u > v) == (k > 0.0);
        let length = (-self.log_share(p, by_u) * (1.0 - 2.0 * k)).exp();
        let (of_u, of_v) = if by_u { (-1.0 - k, k - 2.0) } else { (k - 2.0, -1.0 - k) };
        u.powf(of_u + f64::from(i))
            * v.powf(of_v + f64::from(j))
            * length
            * base.p.powi(i - 1)
            * base.rest.powi(j - 1)
    }

    fn exponents(&self, p: Sides) -> [f64; 2] {
        let (k, base) = (self.0.power, self.0.sides);
        let odds = (p.rest / base.rest / (p.p / base.p)).powf(k) * (base.rest / base.p);
        let share = |odds: f64| (1.0 - 2.0 * k) / (1.0 + odds);
        [k - 1.0 + share(odds), k - 1.0 + share(1.0 / odds)]
    }
}

smooth_rule!(PseudosphericalScore);
