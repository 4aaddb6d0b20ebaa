use crate::error::Error;

/// A clip that leaves room between its ends and keeps them off 0 and 1.
pub(crate) fn check_clip(clip: f64) -> Result<f64, Error> {
    // A NaN is in no range.
    if (f64::EPSILON / 2.0..0.5).contains(&clip) {
        Ok(clip)
    } else {
        let range = "at least 2^-53 and below 1/2";
        Err(Error::Setting { name: "clip", value: clip, range })
    }
}

pub(crate) fn clip(p: f64, clip: f64) -> f64 {
    p.clamp(clip, 1.0 - clip)
}
