use std::fmt;

use crate::{
    checks::setting,
    error::Error,
    loops::{
        row_sums::{fill, sum_of_pairs},
        runs::Runs,
        step_weights::StepWeights,
        window::sums_of_finite,
    },
    rule::ScoringRule,
    rules::{
        beta::{
            divergence::divergence, incomplete_beta::IncompleteBeta, polynomial::BetaPolynomial,
            table::BetaTable,
        },
        log::log_score::LogScore,
        sides::{Sides, sides_of_row},
        smooth::{SmoothScore, ThresholdDensity, smooth_rule},
    },
    values::probability::Probability,
};

crate::checked! {
    /// The beta family of scores, which weights each decision threshold c by `c^(alpha-1) (1-c)^(beta-1)`.
    ///
    /// ```text
    /// S(p, 1) = - integral from p to 1 of c^(alpha-1) (1-c)^beta     dc
    /// S(p, 0) = - integral from 0 to p of c^alpha     (1-c)^(beta-1) dc
    /// ```
    ///
    /// Strictly proper for all `alpha, beta > -1`. At most 0. Bounded if both parameters are positive;
    /// otherwise a wrong certainty scores minus infinity. Symmetric if `alpha = beta`. If both are finite,
    /// `S(1, 0) / S(0, 1) = alpha / beta`: (2, 4) penalizes a wrong certainty of failure twice as much as
    /// a wrong certainty of success, and (4, 2) the other way round.
    ///
    /// Named members: (0, 0) is the log score, (1, 1) half the Brier score, (-1/2, -1/2) twice the
    /// [boosting score](crate::BoostingScore).
    ///
    /// The relative error of a score is at most 1e-12. The same bound holds for a divergence if the
    /// forecast and the truth are each 0, 1, or at least 1e-100; if one of them is 0 or 1, the relative
    /// error can be 1e-11.
    ///
    /// Parameters that are whole numbers from 1 to 4 have a closed form. For other parameters, `new`
    /// prepares a table of about 60 kB: make a rule once and reuse it. A slower continued fraction is used
    /// if the table would not be accurate enough (parameters in the tens), and for forecasts closer than
    /// 2^-20 to 0 or 1.
    ///
    /// Reference: Buja, Stuetzle and Shen (2005), Loss functions for binary class probability
    /// estimation and classification: structure and applications, section 11.
    ///
    /// ```
    /// use scoring_rules::{BetaScore, LogScore, Probability, ScoringRule};
    ///
    /// let p = Probability::new(0.75)?;
    /// let half_brier = BetaScore::new(1.0, 1.0)?;
    /// assert_eq!(half_brier.score(p, false), -0.75 * 0.75 / 2.0);
    ///
    /// let log = BetaScore::new(0.0, 0.0)?;
    /// assert_eq!(log.score(p, true), LogScore::exact().score(p, true));
    ///
    /// // A wrong certainty of success costs twice as much as a wrong certainty of failure.
    /// let cautious = BetaScore::new(1.0, 0.5)?;
    /// let yes = cautious.score(Probability::ONE, false);
    /// let no = cautious.score(Probability::ZERO, true);
    /// assert!((yes / no - 2.0).abs() < 1e-12);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[derive(Clone)]
    pub struct BetaScore {
        alpha: f64,
        beta: f64,
        #[cfg_attr(feature = "serde", serde(skip))]
        form: Form,
    }
    restore: |read| BetaScore::new(read.alpha, read.beta).map(|checked| *read = checked)
}

/// The scores of a failure and of a success, as functions of the probability of the other outcome.
#[derive(Clone, Default)]
enum Form {
    #[default]
    Log,
    Polynomial([BetaPolynomial; 2]),
    Integral([Integral; 2]),
}

/// The score of one outcome as an incomplete beta integral, with a table of it if that is accurate.
#[derive(Clone)]
struct Integral {
    integral: IncompleteBeta,
    table: Option<BetaTable>,
}

impl Integral {
    fn new(a: f64, b: f64) -> Self {
        let integral = IncompleteBeta::new(a, b);
        Self { table: BetaTable::new(a, b, &integral), integral }
    }

    /// Minus the integral from 0 to x, for `y = 1 - x`.
    #[inline]
    fn score(&self, x: f64, y: f64) -> f64 {
        match self.table.as_ref().and_then(|table| table.at(x, y)) {
            Some(integral) => -integral,
            None => 0.0 - self.integral.at(x, y),
        }
    }
}

impl BetaScore {
    /// Creates the score of the beta family with the given parameters.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless both are above -1 and at most 100.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, Error> {
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            // Written so that a NaN falls into the error arm.
            let is_valid = value > -1.0 && value <= 100.0;
            setting(name, value, is_valid, "above -1 and at most 100")?;
        }
        let form = if alpha == 0.0 && beta == 0.0 {
            Form::Log
        } else if let (Some(failure), Some(success)) =
            (BetaPolynomial::new(alpha + 1.0, beta), BetaPolynomial::new(beta + 1.0, alpha))
        {
            Form::Polynomial([failure, success])
        } else {
            Form::Integral([Integral::new(alpha + 1.0, beta), Integral::new(beta + 1.0, alpha)])
        };
        Ok(Self { alpha, beta, form })
    }

    /// Returns the first parameter, alpha.
    #[must_use]
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Returns the second parameter, beta.
    #[must_use]
    pub const fn beta(&self) -> f64 {
        self.beta
    }
}

impl fmt::Debug for BetaScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BetaScore")
            .field("alpha", &self.alpha)
            .field("beta", &self.beta)
            .finish_non_exhaustive()
    }
}

impl PartialEq for BetaScore {
    fn eq(&self, other: &Self) -> bool {
        (self.alpha, self.beta) == (other.alpha, other.beta)
    }
}

impl ScoringRule for BetaScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self.score_of(Sides::new(forecast), outcome)
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        if let Form::Log = self.form {
            LogScore::exact().divergence(forecast, truth)
        } else {
            divergence(
                [self.alpha, self.beta],
                |p, outcome| self.score(p, outcome),
                forecast,
                truth,
            )
        }
    }

    fn fill_scores(&self, forecasts: &[Probability], outcomes: &[bool], scores: &mut [f64]) {
        match &self.form {
            Form::Log => LogScore::exact().fill_scores(forecasts, outcomes, scores),
            Form::Polynomial(forms) => fill(forecasts, outcomes, scores, of_either(*forms)),
            Form::Integral(_) => fill(forecasts, outcomes, scores, |p, y| self.score(p, y)),
        }
    }

    fn sum_scores(&self, forecasts: &[Probability], outcomes: &[bool]) -> f64 {
        match &self.form {
            Form::Log => LogScore::exact().sum_scores(forecasts, outcomes),
            Form::Polynomial(forms) => sum_of_pairs(forecasts, outcomes, of_either(*forms)),
            Form::Integral(_) => sum_of_pairs(forecasts, outcomes, |p, y| self.score(p, y)),
        }
    }

    fn weighted_sums(&self, runs: Runs<'_>, weights: StepWeights, sums: &mut [f64]) {
        match &self.form {
            Form::Log => LogScore::exact().weighted_sums(runs, weights, sums),
            Form::Polynomial(forms) => {
                let forms = *forms;
                sums_of_finite(weights, runs, sums, move |outcome| {
                    // An index and no branch, because outcomes cannot be predicted.
                    let (form, y) = (forms[usize::from(outcome)], f64::from(outcome));
                    move |p: Probability| {
                        let (given, against) = sides_of_row(p.get(), y);
                        form.score_of_row(against, given)
                    }
                });
            }
            Form::Integral(forms) => {
                for (sum, (start, end, outcome)) in sums.iter_mut().zip(runs.iter()) {
                    let form = &forms[usize::from(outcome)];
                    *sum = weights.sum(&runs.forecasts[start..end], |p| {
                        let (given, against) = Sides::new(p).of(outcome);
                        form.score(against, given)
                    });
                }
            }
        }
    }
}

/// The score of a row without a branch on its outcome: both polynomials, one of them times 0.
#[inline(always)]
fn of_either([failure, success]: [BetaPolynomial; 2]) -> impl Fn(Probability, bool) -> f64 {
    move |forecast, outcome| {
        let y = f64::from(outcome);
        let (given, against) = sides_of_row(forecast.get(), y);
        let (one, other) =
            (success.score_of_row(against, given), failure.score_of_row(against, given));
        0.0 + (y * one + (1.0 - y) * other)
    }
}

impl SmoothScore for BetaScore {
    #[inline]
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        let (given, against) = forecast.of(outcome);
        match &self.form {
            Form::Log => LogScore::exact().score_of(forecast, outcome),
            Form::Polynomial(forms) => forms[usize::from(outcome)].score(against, given),
            Form::Integral(forms) => forms[usize::from(outcome)].score(against, given),
        }
    }

    fn loss_of_logit(&self, logit: f64, outcome: bool) -> f64 {
        match self.form {
            Form::Log => LogScore::exact().loss_of_logit(logit, outcome),
            _ => 0.0 - self.score_of(Sides::of_logit(logit), outcome),
        }
    }
}

impl ThresholdDensity for BetaScore {
    fn density(&self, p: Sides, [i, j]: [i32; 2]) -> f64 {
        p.p.powf(self.alpha - 1.0 + f64::from(i)) * p.rest.powf(self.beta - 1.0 + f64::from(j))
    }

    fn exponents(&self, _p: Sides) -> [f64; 2] {
        [self.alpha, self.beta]
    }
}

smooth_rule!(BetaScore);
