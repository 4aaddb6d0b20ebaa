use std::ops::Range;

use crate::error::Error;

/// Returns the skill score: the improvement over a reference, divided by the largest possible improvement,
/// `(score - reference) / (best - reference)`. The range starts at the reference and ends at the best value.
///
/// At most 1; 0 if the score equals the reference, and negative if it is worse. Higher is better
/// for scores and for losses, as long as all three numbers are of the same kind. The best
/// possible value is 0 for losses and for most scores of this crate, 1 for the spherical score and
/// `ln(1 - eps)` for a clipped log score; in the power families it depends on the baseline. A skill
/// score whose reference is computed from the same rows, such as their base rate, is not proper.
///
/// Reference: Murphy (1973), Hedging and skill scores for probability forecasts,
/// doi:10.1175/1520-0450(1973)012<0215:HASSFP>2.0.CO;2.
///
/// # Errors
///
/// [`Error::NotFinite`] if an argument or the result is NaN or infinite; [`Error::Undefined`] if
/// the reference equals the best value.
///
/// ```
/// use scoring_rules::{Error, skill_score};
///
/// assert_eq!(skill_score(-0.125, -0.25..0.0)?, 0.5);
/// assert_eq!(skill_score(0.125, 0.25..0.0)?, 0.5);
/// assert!(matches!(skill_score(0.0, 0.0..0.0), Err(Error::Undefined { .. })));
/// # Ok::<(), Error>(())
/// ```
///
/// A score instead of the reference does not compile:
///
/// ```compile_fail,E0308
/// let skill = scoring_rules::skill_score(-0.25..0.0, -0.125);
/// ```
pub fn skill_score(score: f64, reference_to_best: Range<f64>) -> Result<f64, Error> {
    let Range { start: reference, end: best } = reference_to_best;
    let finite = |what, value: f64| {
        if value.is_finite() { Ok(value) } else { Err(Error::NotFinite { what, value }) }
    };
    finite("the score", score)?;
    finite("the reference", reference)?;
    finite("the best score", best)?;
    if reference == best {
        let reason = "the reference equals the best score";
        return Err(Error::Undefined { name: "the skill score", reason });
    }
    finite("the skill score", (score - reference) / (best - reference))
}
