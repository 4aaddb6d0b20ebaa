use crate::error::Error;

/// How much of the way from a reference to the best possible score was covered:
/// `(score - reference) / (best - reference)`.
///
/// At most 1, which is the best; 0 is the reference's level; negative is worse. Higher is better
/// whether scores or losses go in, as long as all three are of one kind. The best is 0 for
/// losses and for most scores of this crate, but 1 for the spherical score, `ln (1 - eps)` for a
/// clipped log score, and depends on the baseline in the power families. A skill score with a
/// reference of the same rows, such as their base rate, is not proper itself.
///
/// Reference: Murphy (1973), Hedging and skill scores for probability forecasts,
/// doi:10.1175/1520-0450(1973)012<0215:HASSFP>2.0.CO;2.
///
/// # Errors
///
/// [`Error::NotFinite`] for a number that is a NaN or infinite, the result included;
/// [`Error::Setting`] where the reference is the best already.
///
/// ```
/// use scoring_rules::{Error, skill_score};
///
/// assert_eq!(skill_score(-0.125, -0.25, 0.0)?, 0.5);
/// assert_eq!(skill_score(0.125, 0.25, 0.0)?, 0.5);
/// assert!(matches!(skill_score(0.0, 0.0, 0.0), Err(Error::Setting { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn skill_score(score: f64, reference: f64, best: f64) -> Result<f64, Error> {
    let finite = |what, value: f64| {
        if value.is_finite() { Ok(value) } else { Err(Error::NotFinite { what, value }) }
    };
    finite("the score", score)?;
    finite("the reference", reference)?;
    finite("the best score", best)?;
    if reference == best {
        let range = "another number than the best score";
        return Err(Error::Setting { name: "reference", value: reference, range });
    }
    finite("the skill score", (score - reference) / (best - reference))
}
