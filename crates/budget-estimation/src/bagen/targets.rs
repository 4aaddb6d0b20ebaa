use crate::{checks::setting, error::Error, estimates::estimate::Estimate};

/// The half-width of the interval in a training target.
///
/// ```
/// use budget_estimation::{Error, Estimate, bagen::{TargetRounding, TargetWidth}};
///
/// let around = |width| Estimate::training_target(Some(100.0), width, TargetRounding::Decimal);
/// assert_eq!(around(TargetWidth::Share(0.25))?, Estimate::interval(75.0, 125.0)?);
/// assert_eq!(around(TargetWidth::Fixed(5.0))?, Estimate::interval(95.0, 105.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TargetWidth {
    /// A share of the remaining cost, from 0 to 1.
    Share(f64),
    /// A fixed amount, from 0 to 1e15.
    Fixed(f64),
}

/// How the bounds of a training target are rounded to whole numbers.
///
/// ```
/// use budget_estimation::{Error, Estimate, bagen::{TargetRounding, TargetWidth}};
///
/// // 0.7 of 90 is 63; in floating point it is slightly less.
/// let target = |rounding| Estimate::training_target(Some(90.0), TargetWidth::Share(0.3), rounding);
/// assert_eq!(target(TargetRounding::Decimal)?, Estimate::interval(63.0, 117.0)?);
/// assert_eq!(target(TargetRounding::Truncated)?, Estimate::interval(62.0, 117.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetRounding {
    /// The largest whole number that is not above the exact decimal result, as in the formula of appendix E.
    #[default]
    Decimal,
    /// The floating-point result without its fraction, as in the released code of BAGEN. The remaining cost may then
    /// also be 0, with the target `[0, 0]`.
    Truncated,
}

impl Estimate {
    /// Returns the answer that a model should learn: an interval around the remaining cost, in whole units, or
    /// `impossible` if the run could not succeed (`remaining` is `None`). Its `Display` form is the text between
    /// `<answer>` and `</answer>`.
    ///
    /// With a half-width h, the interval is `[max(1, floor(r - h)), floor(r + h)]`.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the remaining cost is from 1 to 1e15 and the width is in its
    /// range.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, bagen::{TargetRounding, TargetWidth}};
    ///
    /// let target = |remaining, width| {
    ///     Estimate::training_target(remaining, width, TargetRounding::Decimal)
    /// };
    /// let tenth = target(Some(437.0), TargetWidth::Share(0.1))?;
    /// assert_eq!(tenth, Estimate::interval(393.0, 480.0)?);
    /// assert_eq!(format!("<answer>{tenth}</answer>"), "<answer>[393, 480]</answer>");
    /// assert_eq!(target(Some(437.0), TargetWidth::Fixed(500.0))?, Estimate::interval(1.0, 937.0)?);
    /// assert_eq!(target(Some(90.0), TargetWidth::Share(0.3))?, Estimate::interval(63.0, 117.0)?);
    /// assert_eq!(target(None, TargetWidth::Share(0.1))?, Estimate::Impossible);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E.
    pub fn training_target(
        remaining: Option<f64>,
        width: TargetWidth,
        rounding: TargetRounding,
    ) -> Result<Self, Error> {
        let (name, value, allowed) = match width {
            TargetWidth::Share(w) => ("half-width as a share", w, 0.0..=1.0),
            TargetWidth::Fixed(w) => ("fixed half-width", w, 0.0..=1e15),
        };
        let range = "from 0 to 1 as a share, from 0 to 1e15 as a number";
        setting(name, value, allowed.contains(&value), range)?;
        let Some(remaining) = remaining else { return Ok(Self::Impossible) };
        if remaining == 0.0 && rounding == TargetRounding::Truncated {
            return Self::interval(0.0, 0.0);
        }
        let valid = (1.0..=1e15).contains(&remaining);
        setting("remaining amount", remaining, valid, "from 1 to 1e15")?;
        let (low, high) = match width {
            TargetWidth::Share(w) => (remaining * (1.0 - w), remaining * (1.0 + w)),
            TargetWidth::Fixed(w) => (remaining - w, remaining + w),
        };
        let [low, high] = [low, high].map(|end| match rounding {
            TargetRounding::Decimal => floor(end),
            TargetRounding::Truncated => end.trunc(),
        });
        Self::interval(low.max(1.0), high)
    }
}

/// Returns the largest whole number at or below the value, with an allowance for rounding errors.
fn floor(value: f64) -> f64 {
    let nearest = value.round();
    if (value - nearest).abs() <= 4.0 * f64::EPSILON * value.abs() {
        nearest
    } else {
        value.floor()
    }
}
