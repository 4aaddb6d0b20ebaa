use super::rule_reward::check_remaining;
use crate::{error::Error, estimates::estimate::Estimate};

/// How wide the interval of a training target is.
///
/// ```
/// use budget_estimation::{Error, Estimate, TargetWidth, training_target};
///
/// let around = |width| training_target(Some(100.0), width);
/// assert_eq!(around(TargetWidth::Share(0.25))?, Estimate::interval(75.0, 125.0)?);
/// assert_eq!(around(TargetWidth::Fixed(5.0))?, Estimate::interval(95.0, 105.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TargetWidth {
    /// A share of what remains on either side, in [0, 1].
    Share(f64),
    /// So much on either side, at least 0.
    Fixed(f64),
}

/// The answer to learn: the interval around what remained, in whole units, or `impossible` where
/// nothing could have succeeded (`remaining` is `None`). As text it goes between the tags of an
/// answer.
///
/// With a half-width h, that is w r or w: `[max(1, floor(r - h)), floor(r + h)]`. An end that a
/// share of decimals puts on a whole number is that number: 0.7 of 90 is 63, not 62.
///
/// # Errors
///
/// [`Error::Setting`] unless what remains is from 1 to 1e15 and the width in its range.
///
/// ```
/// use budget_estimation::{Error, Estimate, TargetWidth, training_target};
///
/// let target = training_target(Some(437.0), TargetWidth::Share(0.1))?;
/// assert_eq!(target, Estimate::interval(393.0, 480.0)?);
/// assert_eq!(format!("<answer>{target}</answer>"), "<answer>[393, 480]</answer>");
/// let target = training_target(Some(437.0), TargetWidth::Fixed(500.0))?;
/// assert_eq!(target, Estimate::interval(1.0, 937.0)?);
/// let target = training_target(Some(90.0), TargetWidth::Share(0.3))?;
/// assert_eq!(target, Estimate::interval(63.0, 117.0)?);
/// assert_eq!(training_target(None, TargetWidth::Share(0.1))?, Estimate::Impossible);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E.
pub fn training_target(remaining: Option<f64>, width: TargetWidth) -> Result<Estimate, Error> {
    let (name, value, allowed) = match width {
        TargetWidth::Share(w) => ("half-width as a share", w, 0.0..=1.0),
        TargetWidth::Fixed(w) => ("fixed half-width", w, 0.0..=1e15),
    };
    if !allowed.contains(&value) {
        let range = "from 0 to 1 as a share, from 0 to 1e15 as a number";
        return Err(Error::Setting { name, value, range });
    }
    let Some(remaining) = remaining else { return Ok(Estimate::Impossible) };
    check_remaining(remaining)?;
    if !(1.0..=1e15).contains(&remaining) {
        let name = "what remains, in whole units";
        return Err(Error::Setting { name, value: remaining, range: "from 1 to 1e15" });
    }
    let (low, high) = match width {
        TargetWidth::Share(w) => (remaining * (1.0 - w), remaining * (1.0 + w)),
        TargetWidth::Fixed(w) => (remaining - w, remaining + w),
    };
    Estimate::interval(floor(low).max(1.0), floor(high))
}

/// The whole number at or below, where what is off a whole number by rounding alone is that number.
fn floor(value: f64) -> f64 {
    let nearest = value.round();
    if (value - nearest).abs() <= 4.0 * f64::EPSILON * value.abs() {
        nearest
    } else {
        value.floor()
    }
}
