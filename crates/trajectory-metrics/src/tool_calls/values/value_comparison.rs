use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
};

use crate::tool_calls::values::value::Value;

/// Orders values by kind and then by content. The kinds are in the order of the variants, with all numbers as one kind.
/// NaN comes after all other numbers.
impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Real(a), Self::Real(b)) => reals(*a, *b),
            (Self::Integer(a), Self::Real(b)) => integer_and_real(*a, *b),
            (Self::Real(a), Self::Integer(b)) => integer_and_real(*b, *a).reverse(),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) => a.cmp(b),
            (Self::Map(a), Self::Map(b)) => a.cmp(b),
            _ => kind(self).cmp(&kind(other)),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        kind(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Integer(value) => value.hash(state),
            // Hashed as the integer that it equals, if there is one.
            Self::Real(value) => match as_integer(*value) {
                Some(value) => value.hash(state),
                None if value.is_nan() => f64::NAN.to_bits().hash(state),
                None => value.to_bits().hash(state),
            },
            Self::Text(value) => value.hash(state),
            Self::List(values) => values.hash(state),
            Self::Map(values) => values.hash(state),
        }
    }
}

const fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Integer(_) | Value::Real(_) => 2,
        Value::Text(_) => 3,
        Value::List(_) => 4,
        Value::Map(_) => 5,
    }
}

fn reals(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Compares without rounding the integer, which would make neighbouring integers equal.
fn integer_and_real(integer: i128, real: f64) -> Ordering {
    if real < -TWO_TO_127 {
        return Ordering::Greater;
    }
    if real < TWO_TO_127 {
        // The integer part is exact; if it is equal, the sign of the fraction decides.
        return integer.cmp(&(real as i128)).then_with(|| reals(0.0, real.fract()));
    }
    Ordering::Less
}

fn as_integer(real: f64) -> Option<i128> {
    // A larger number would be cast to the largest integer.
    let in_range = (-TWO_TO_127..TWO_TO_127).contains(&real);
    (in_range && real.fract() == 0.0).then_some(real as i128)
}

const TWO_TO_127: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
