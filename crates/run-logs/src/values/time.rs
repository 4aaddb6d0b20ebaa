/// Returns a date and time of RFC 3339 as seconds of UTC since 1970; `None` for any other text.
pub(crate) fn seconds_of(text: &str) -> Option<f64> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let (clock, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, "Z"),
    };
    let numbers = |text: &str| -> Option<[f64; 3]> {
        let all =
            text.split([':', '-']).map(|part| part.parse().ok().filter(|it: &f64| it.is_finite()));
        match *all.collect::<Option<Vec<f64>>>()?.as_slice() {
            [a, b] => Some([a, b, 0.0]),
            [a, b, c] => Some([a, b, c]),
            _ => None,
        }
    };
    let seconds = |[hours, minutes, seconds]: [f64; 3]| hours * 3600.0 + minutes * 60.0 + seconds;
    let [year, month, day] = numbers(date)?;
    // Years begin in March, so that the leap day is the last day of the year.
    let (year, month) = if month > 2.0 { (year, month - 3.0) } else { (year - 1.0, month + 9.0) };
    let leap = (year / 4.0).floor() - (year / 100.0).floor() + (year / 400.0).floor();
    let days = 365.0 * year + leap + ((153.0 * month + 2.0) / 5.0).floor() + day;
    let ahead = match (offset.get(..1)?, offset.get(1..)?) {
        (_, "") => 0.0,
        (sign, text) => {
            let size = numbers(text)
                .or_else(|| numbers(&format!("{}:{}", text.get(..2)?, text.get(2..)?)))?;
            if sign == "-" { -seconds(size) } else { seconds(size) }
        }
    };
    Some((days - 719_469.0) * 86_400.0 + seconds(numbers(clock)?) - ahead)
}

/// Returns the seconds between two times, if both are known and in order.
pub(crate) fn between(start: Option<f64>, end: Option<f64>) -> Option<f64> {
    let seconds = end? - start?;
    (seconds >= 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::seconds_of;

    #[test]
    fn times_are_those_of_unix() {
        // date -u -d 2026-11-22T23:22:13.25+02:00 +%s.%N
        assert_eq!(seconds_of("2026-11-22T23:22:13.25+02:00"), Some(1_795_382_533.25));
        assert_eq!(seconds_of("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(seconds_of("yesterday"), None);
    }
}
