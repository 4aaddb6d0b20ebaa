//! A fast reader of the usual lines of a file of traces. A line that it does not understand is not
//! wrong: the caller reads it once more with `serde_json`, which finds out and says what is wrong.

use trajectory_metrics::Probability;

/// One line, except for its forecasts.
#[derive(Debug, PartialEq)]
pub(crate) struct TraceLine<'a> {
    pub(crate) id: &'a str,
    pub(crate) task: Option<&'a str>,
    pub(crate) outcome: Option<bool>,
    pub(crate) stop: Option<&'a str>,
    pub(crate) horizon: Option<usize>,
    pub(crate) success_chance: Option<Probability>,
}

/// Reads the line at the start of `bytes`, appends its forecasts to `forecasts`, and returns the line and
/// its length with the line feed.
///
/// `None` stands for a line that needs another reader; `forecasts` is then unchanged. Among these are all
/// wrong lines, but also texts with escapes, and forecasts that are missing or outside [0, 1].
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    forecasts: &mut Vec<Probability>,
) -> Option<(TraceLine<'a>, usize)> {
    let before = forecasts.len();
    let mut cursor = Cursor { bytes, at: 0 };
    let line = cursor.line(forecasts);
    if line.is_none() || forecasts.len() == before {
        forecasts.truncate(before);
        return None;
    }
    line.map(|line| (line, cursor.at))
}

/// Unknown fields of an object whose names are compared; an object with more is left to the other reader.
const MOST_NAMES: usize = 16;

/// Objects and lists within each other in fields that are passed over.
const DEEPEST: usize = 16;

/// The powers of ten that are f64 values.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// All whole numbers up to this one are f64 values.
const LARGEST_EXACT: u64 = 1 << f64::MANTISSA_DIGITS;

/// The names of the fields of one object.
struct Names<'a> {
    names: [&'a str; MOST_NAMES],
    count: usize,
}

impl<'a> Names<'a> {
    const NONE: Self = Self { names: [""; MOST_NAMES], count: 0 };

    /// `None` for a name that was there already, and for too many.
    fn insert(&mut self, name: &'a str) -> Option<()> {
        if self.names[..self.count].contains(&name) {
            return None;
        }
        *self.names.get_mut(self.count)? = name;
        self.count += 1;
        Some(())
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn line(&mut self, forecasts: &mut Vec<Probability>) -> Option<TraceLine<'a>> {
        let (mut id, mut task, mut listed, mut outcome) = (None, None, false, None);
        let (mut stop, mut horizon, mut success_chance) = (None, None, None);
        let mut others = Names::NONE;
        self.object(|cursor, name| {
            let is_new = match name {
                "id" => id.replace(cursor.text()?).is_none(),
                "task" => task.replace(cursor.or_null(Self::text)?).is_none(),
                "forecasts" => {
                    cursor.forecasts(forecasts)?;
                    !std::mem::replace(&mut listed, true)
                }
                "outcome" => outcome.replace(cursor.or_null(Self::truth)?).is_none(),
                "stop" => stop.replace(cursor.or_null(Self::text)?).is_none(),
                "horizon" => horizon.replace(cursor.or_null(Self::whole_number)?).is_none(),
                "success_chance" => {
                    success_chance.replace(cursor.or_null(Self::forecast)?).is_none()
                }
                _ => {
                    others.insert(name)?;
                    cursor.pass_over(0)?;
                    true
                }
            };
            is_new.then_some(())
        })?;
        match self.peek() {
            Some(b'\n') => self.at += 1,
            Some(_) => return None,
            None => {}
        }
        Some(TraceLine {
            id: id?,
            task: task.flatten(),
            outcome: outcome?,
            stop: stop.flatten(),
            horizon: horizon.flatten(),
            success_chance: success_chance.flatten(),
        })
    }

    /// The next byte that is no space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Takes the next byte that is no space if it is this one.
    #[inline]
    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    /// An object, whose fields are read by `field`, which gets their names.
    #[inline]
    fn object(&mut self, mut field: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        if self.takes(b'}') {
            return Some(());
        }
        loop {
            let name = self.text()?;
            self.take(b':')?;
            field(self, name)?;
            if !self.takes(b',') {
                return self.take(b'}');
            }
        }
    }

    #[inline]
    fn list(&mut self, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        if self.takes(b']') {
            return Some(());
        }
        loop {
            entry(self)?;
            if !self.takes(b',') {
                return self.take(b']');
            }
        }
    }

    /// A text without escapes.
    #[inline]
    fn text(&mut self) -> Option<&'a str> {
        self.take(b'"')?;
        let start = self.at;
        let length = self.bytes[start..]
            .iter()
            .position(|&byte| byte == b'"' || byte == b'\\' || byte < b' ')?;
        let end = start + length;
        if self.bytes[end] != b'"' {
            return None;
        }
        self.at = end + 1;
        str::from_utf8(&self.bytes[start..end]).ok()
    }

    fn or_null<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.peek() == Some(b'n') {
            self.word("null").map(|()| None)
        } else {
            read(self).map(Some)
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let rest = self.bytes[self.at..].strip_prefix(word.as_bytes())?;
        self.at = self.bytes.len() - rest.len();
        Some(())
    }

    fn truth(&mut self) -> Option<bool> {
        match self.peek()? {
            b't' => self.word("true").map(|()| true),
            _ => self.word("false").map(|()| false),
        }
    }

    fn whole_number(&mut self) -> Option<usize> {
        self.peek()?;
        self.number()?.parse().ok()
    }

    fn forecasts(&mut self, forecasts: &mut Vec<Probability>) -> Option<()> {
        self.list(|cursor| {
            forecasts.push(cursor.forecast()?);
            Some(())
        })
    }

    /// A number from 0 to 1, rounded as `str::parse` rounds it.
    #[inline]
    fn forecast(&mut self) -> Option<Probability> {
        self.peek()?;
        let start = self.at;
        let (digits, decimals) = self.decimal()?;
        let length = self.at - start;
        let is_plain = !matches!(self.bytes.get(self.at), Some(b'e' | b'E'));
        // Up to 18 digits cannot overflow. The quotient of two exact numbers is rounded once.
        let value = if is_plain && length < 20 && digits <= LARGEST_EXACT {
            digits as f64 / POWERS_OF_TEN.get(decimals)?
        } else {
            self.exponent()?;
            str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()?
        };
        Probability::new(value).ok()
    }

    /// Digits with or without a decimal point: the digits as a number, if it does not overflow, and how
    /// many of them are decimals.
    #[inline]
    fn decimal(&mut self) -> Option<(u64, usize)> {
        let start = self.at;
        let mut digits = self.digits(0);
        let whole = self.at - start;
        // JSON writes no zero before other digits.
        if whole == 0 || (whole > 1 && self.bytes[start] == b'0') {
            return None;
        }
        if self.bytes.get(self.at) != Some(&b'.') {
            return Some((digits, 0));
        }
        self.at += 1;
        let point = self.at;
        digits = self.digits(digits);
        (self.at > point).then_some((digits, self.at - point))
    }

    /// Appends digits to a number.
    #[inline]
    fn digits(&mut self, mut number: u64) -> u64 {
        while let Some(digit) = self.bytes.get(self.at).map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.at += 1;
        }
        number
    }

    fn exponent(&mut self) -> Option<()> {
        if !matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            return Some(());
        }
        self.at += 1;
        if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
            self.at += 1;
        }
        let start = self.at;
        self.digits(0);
        (self.at > start).then_some(())
    }

    /// The text of any number.
    fn number(&mut self) -> Option<&'a str> {
        let start = self.at;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        self.decimal()?;
        self.exponent()?;
        str::from_utf8(&self.bytes[start..self.at]).ok()
    }

    /// The value of a field that is ignored.
    fn pass_over(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.pass_over_text(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            b'[' if depth < DEEPEST => self.list(|cursor| cursor.pass_over(depth + 1)),
            b'{' if depth < DEEPEST => {
                let mut names = Names::NONE;
                self.object(|cursor, name| {
                    names.insert(name)?;
                    cursor.pass_over(depth + 1)
                })
            }
            b'[' | b'{' => None,
            _ => self.number().map(|_| ()),
        }
    }

    /// A text with or without escapes.
    fn pass_over_text(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                b'\\' => {
                    let escape = *self.bytes.get(self.at)?;
                    self.at += 1;
                    match escape {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        b'u' => {
                            let digits = self.bytes.get(self.at..self.at + 4)?;
                            digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                            self.at += 4;
                        }
                        _ => return None,
                    }
                }
                0..b' ' => return None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use trajectory_metrics::distinct_keys::repeated_key;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Slow {
        id: String,
        task: Option<String>,
        forecasts: Vec<f64>,
        #[serde(deserialize_with = "Option::deserialize")]
        outcome: Option<bool>,
        stop: Option<String>,
        horizon: Option<usize>,
        success_chance: Option<f64>,
    }

    fn fast(line: &[u8]) -> Option<Slow> {
        let mut forecasts = vec![Probability::HALF];
        let Some((line, _)) = read(line, &mut forecasts) else {
            assert_eq!(forecasts, [Probability::HALF]);
            return None;
        };
        Some(Slow {
            id: line.id.to_owned(),
            task: line.task.map(str::to_owned),
            forecasts: forecasts[1..].iter().map(|forecast| forecast.get()).collect(),
            outcome: line.outcome,
            stop: line.stop.map(str::to_owned),
            horizon: line.horizon,
            success_chance: line.success_chance.map(Probability::get),
        })
    }

    /// What `serde_json` and the check for repeated keys say.
    fn slow(line: &[u8]) -> Option<Slow> {
        let read: Slow = serde_json::from_slice(line).ok()?;
        let mut numbers = read.forecasts.iter().chain(&read.success_chance);
        let in_range = numbers.all(|p| (0.0..=1.0).contains(p));
        (in_range && !read.forecasts.is_empty() && repeated_key(line).is_none()).then_some(read)
    }

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![
            (0..=10_000_u32).prop_map(|n| (f64::from(n) / 1e4).to_string()),
            (0.0..=1.0_f64).prop_map(|p| p.to_string()),
            (0.0..=1.0_f64).prop_map(|p| format!("{p:e}")),
            "0\\.[0-9]{1,30}",
            "[0-9]{1,25}(\\.[0-9]{1,8})?[eE][+-]?[0-9]{1,3}",
            "[01]|1\\.0{1,30}|0\\.0{0,25}[0-9]{1,4}|-0\\.0|00|01|1\\.|\\.5|0\\.5e",
        ]
    }

    fn value() -> impl Strategy<Value = String> {
        let text = r#""([ -!#-Z^-~é☃]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#;
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            Just("false".to_owned()),
            number(),
            text.prop_map(|text| text),
            Just("-12.5e-3".to_owned()),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|values| format!("[{}]", values.join(", "))),
                prop::collection::vec(("[a-c]", inner), 0..4).prop_map(|fields| {
                    let fields = fields.iter().map(|(name, value)| format!(r#""{name}" :{value}"#));
                    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
                }),
            ]
        })
    }

    /// A line with some of the known fields, most often all, and others.
    fn line() -> impl Strategy<Value = String> {
        let field = |name: &'static str, value: BoxedStrategy<String>| {
            value.prop_map(move |value| Some(format!(r#""{name}":{value}"#))).boxed()
        };
        let maybe =
            |field: BoxedStrategy<Option<String>>| prop_oneof![6 => field, 1 => Just(None)].boxed();
        let text = || r#""[a-z0-9 é-]{0,9}""#.prop_map(|text| text).boxed();
        let or_null = |value: BoxedStrategy<String>| {
            prop_oneof![4 => value, 1 => Just("null".to_owned())].boxed()
        };
        let forecasts = prop::collection::vec(number(), 0..6)
            .prop_map(|numbers| format!("[{}]", numbers.join(" , ")))
            .boxed();
        let outcome = prop_oneof![Just("true".to_owned()), Just("false".to_owned())].boxed();
        let horizon = prop_oneof!["[0-9]{1,4}", "[0-9]{18,22}", "1\\.0", "-1", "1e3"].boxed();
        let fields = [
            field("id", text()),
            maybe(field("task", or_null(text()))),
            field("forecasts", forecasts),
            field("outcome", or_null(outcome)),
            maybe(field("stop", or_null(text()))),
            maybe(field("horizon", or_null(horizon))),
            maybe(field("success_chance", or_null(number().boxed()))),
            maybe(
                ("[a-d]", value())
                    .prop_map(|(name, value)| Some(format!(r#""{name}": {value}"#)))
                    .boxed(),
            ),
            maybe(
                ("[a-d]", value())
                    .prop_map(|(name, value)| Some(format!("\t\"{name}\":{value} ")))
                    .boxed(),
            ),
        ];
        fields.to_vec().prop_shuffle().prop_map(|fields| {
            let fields: Vec<String> = fields.into_iter().flatten().collect();
            format!("{{{}}}", fields.join(", "))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn what_is_read_fast_is_read_by_serde_json_with_the_same_bits(
            line in line(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        ) {
            let mut line = line.into_bytes();
            for (place, byte) in changes {
                let place = place.index(line.len());
                line[place] = byte;
            }
            // The reader of files has split the lines.
            if !line.contains(&b'\n') && let Some(fast) = fast(&line) {
                let slow = slow(&line);
                prop_assert_eq!(Some(fast), slow, "{}", String::from_utf8_lossy(&line));
            }
        }

        #[test]
        fn numbers_have_the_bits_that_the_standard_library_gives_them(number in number()) {
            let line = format!(r#"{{"id":"a","outcome":true,"forecasts":[{number}]}}"#);
            if let Some(line) = fast(line.as_bytes()) {
                let expected: f64 = number.parse().unwrap();
                prop_assert_eq!(line.forecasts[0].to_bits(), expected.to_bits());
            }
        }
    }

    #[test]
    fn usual_lines_are_read_fast() {
        let full = br#"{"id": "run-8", "task": "t", "forecasts": [0.5, 1, 0.0], "outcome": null, "stop": "max_steps", "horizon": 5}"#;
        let read = fast(full).unwrap();
        assert_eq!((read.id.as_str(), read.task.as_deref()), ("run-8", Some("t")));
        assert_eq!(read.forecasts, [0.5, 1.0, 0.0]);
        assert_eq!((read.outcome, read.horizon), (None, Some(5)));
        assert_eq!(read.stop.as_deref(), Some("max_steps"));
        for more in [
            r#""x": "a\n\u00e9\"", "y": [1, [], {}], "z": {"a": -1.5e3, "b": {"a": null}}"#,
            r#""task": null, "stop": null, "horizon": null"#,
        ] {
            let line = format!(r#" {{"outcome":false,{more},"forecasts":[1e-1],"id":"é"}} "#);
            assert_eq!(fast(line.as_bytes()).unwrap().forecasts, [0.1], "{more}");
        }
    }

    #[test]
    fn lines_that_are_wrong_or_need_a_policy_are_left_to_the_other_reader() {
        for line in [
            "",
            " ",
            "[]",
            r#"{"id":"a","forecasts":[],"outcome":true}"#,
            r#"{"id":"a","forecasts":[null],"outcome":true}"#,
            r#"{"id":"a","forecasts":[1.5],"outcome":true}"#,
            r#"{"id":"a","forecasts":[0.5]}"#,
            r#"{"id":"a","forecasts":[0.5],"outcome":true} x"#,
            r#"{"id":"a","forecasts":[0.5],"outcome":true}}"#,
            r#"{"id":"a","id":"a","forecasts":[0.5],"outcome":true}"#,
            r#"{"id":"a","forecasts":[0.5],"forecasts":[0.5],"outcome":true}"#,
            r#"{"id":"a","forecasts":[0.5],"outcome":true,"x":1,"x":1}"#,
            r#"{"id":"a","forecasts":[0.5],"outcome":true,"x":{"y":1,"y":1}}"#,
            r#"{"id":"a\n","forecasts":[0.5],"outcome":true}"#,
            "{\"id\":\"a\",\n\"forecasts\":[0.5],\"outcome\":true}",
        ] {
            assert_eq!(fast(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_line_ends_at_its_line_feed() {
        let line = "{\"id\":\"a\",\"forecasts\":[0.5],\"outcome\":true}\r\n{";
        let (_, length) = read(line.as_bytes(), &mut Vec::new()).unwrap();
        assert_eq!(&line[length..], "{");
    }
}
