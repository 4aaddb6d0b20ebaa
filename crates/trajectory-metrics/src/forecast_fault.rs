use std::fmt;

/// The reason why a forecast is invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ForecastFault {
    /// The forecast is missing.
    Missing,
    /// The forecast is NaN.
    Nan,
    /// The forecast is this number, which is outside [0, 1].
    OutOfRange(
        #[cfg_attr(
            feature = "serde",
            serde(
                serialize_with = "scoring_rules::infinite::serialize",
                deserialize_with = "outside"
            )
        )]
        f64,
    ),
}

impl fmt::Display for ForecastFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("missing"),
            Self::Nan => f.write_str("NaN"),
            Self::OutOfRange(value) => write!(f, "{value}, outside [0, 1]"),
        }
    }
}

/// Reads a number outside [0, 1].
#[cfg(feature = "serde")]
fn outside<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = scoring_rules::infinite::deserialize(deserializer)?;
    if (0.0..=1.0).contains(&value) {
        let wrong = format_args!("found {value}; give a number outside [0, 1]");
        return Err(serde::de::Error::custom(wrong));
    }
    Ok(value)
}
