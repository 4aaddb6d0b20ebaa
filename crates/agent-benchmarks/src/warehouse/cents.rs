use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Sub, SubAssign},
};

/// An amount of money in whole cents. It is displayed in whole dollars, as in observations: `$438,256`.
///
/// ```
/// use agent_benchmarks::warehouse::Cents;
///
/// let cash = Cents::new(43_825_640);
/// assert_eq!((cash.to_string(), cash.dollars()), ("$438,256".to_owned(), 438_256.4));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cents(i64);

impl Cents {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// Creates an amount of this number of cents.
    #[must_use]
    pub const fn new(cents: i64) -> Self {
        Self(cents)
    }

    /// Creates an amount of this number of whole dollars.
    pub(super) const fn from_dollars(dollars: i64) -> Self {
        Self(dollars * 100)
    }

    /// Returns the number of cents.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the amount in dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// Returns `share` thousandths of an amount that is not below 0, rounded to the nearest cent.
    pub(super) const fn per_mille(self, share: i64) -> Self {
        Self((self.0 * share + 500) / 1_000)
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded as in the released texts.
        let digits = format!("{:.0}", self.dollars().abs());
        let sign = if self.0 < 0 && digits != "0" { "-" } else { "" };
        let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
        write!(f, "{sign}${}", Vec::from_iter(groups).join(","))
    }
}

macro_rules! operators {
    ($($trait:ident $name:ident $assign:ident $in_place:ident $with:tt),*) => {$(
        impl $trait for Cents {
            type Output = Self;
            fn $name(self, other: Self) -> Self { Self(self.0 $with other.0) }
        }
        impl $assign for Cents {
            fn $in_place(&mut self, other: Self) { *self = *self $with other; }
        }
    )*};
}
operators!(Add add AddAssign add_assign +, Sub sub SubAssign sub_assign -);

impl Mul<i64> for Cents {
    type Output = Self;

    fn mul(self, times: i64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for Cents {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}
