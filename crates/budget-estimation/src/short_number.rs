use std::fmt;

/// Prints a number, from 1e16 on in the form 1e300, so that no message has hundreds of digits.
pub(crate) struct Short(pub(crate) f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value.abs() < 1e16 { write!(f, "{value}") } else { write!(f, "{value:e}") }
    }
}
