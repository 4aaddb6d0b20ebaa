//! Words and numbers of sentences about figures.

use trajectory_metrics::Figure;

/// A figure in percent or percentage points, as a sentence says it.
pub(crate) struct Percent {
    /// The number.
    pub(crate) value: String,
    /// The interval in brackets with a space in front, or nothing.
    pub(crate) interval: String,
}

impl Percent {
    /// A share as percent: without decimals, with one if that would hide that a number is not 0.
    pub(crate) fn of(figure: &Figure) -> Self {
        let ends = figure.interval.ok().map(|ends| [ends.low(), ends.high()]);
        Self::new(figure.value, ends)
    }

    /// The size of a difference, whatever its sign.
    pub(crate) fn of_size(figure: &Figure) -> Self {
        let ends = figure.interval.ok().map(|ends| [ends.low(), ends.high()]);
        match figure.value < 0.0 {
            true => Self::new(-figure.value, ends.map(|[low, high]| [-high, -low])),
            false => Self::new(figure.value, ends),
        }
    }

    /// "1 point", "9.4 points [-0.2, 19.0]"
    pub(crate) fn points(&self) -> String {
        let Self { value, interval } = self;
        format!("{value} point{}{interval}", if value == "1" { "" } else { "s" })
    }

    fn new(value: f64, ends: Option<[f64; 2]>) -> Self {
        let numbers = || std::iter::once(value).chain(ends.into_iter().flatten());
        // A number must not look as if it were 0, or, next to 100, as if it were that.
        let is_hidden = |number: f64| {
            let percent = 100.0 * number;
            let distance = percent.abs().min((100.0 - percent.abs()).abs());
            distance > 1e-9 && distance < 1.0
        };
        let decimals = usize::from(numbers().any(is_hidden));
        let shown = |number: f64| {
            let text = format!("{:.decimals$}", 100.0 * number);
            // A rounded number is no negative zero.
            if text.trim_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
        };
        let interval = ends
            .map_or_else(String::new, |[low, high]| format!(" [{}, {}]", shown(low), shown(high)));
        Self { value: shown(value), interval }
    }
}

/// "1 run", "2 runs"
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A number rounded up to two digits, with commas between thousands.
pub(crate) fn rounded_up(number: u64) -> String {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    let digits = (number.div_ceil(unit) * unit).to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
