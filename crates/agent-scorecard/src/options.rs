//! Parsers of options. Each option is a field of the options of an evaluation. A command line (with the feature `clap`)
//! and `serde` read it with the same function.

use std::ops::RangeInclusive;

use budget_estimation::Reading;
use censoring::{CalibrationRuns, CensoringAssumption};
use knapsack_oracle::Alpha;
use run_logs::{ConfidenceReading, ConfidenceStream, Format, RunsBy};
use tool_graph::{RuleVersion, TriggerRule, costbench::CostRule};
use trajectory_metrics::{ForecastPolicy, Level, Probability};

/// The nominal coverage of the intervals of reports.
pub const LEVEL: Level = match Level::new(0.95) {
    Ok(level) => level,
    Err(_) => Level::HALF,
};

/// A type with a fixed set of named values.
pub trait Named: Clone + Send + Sync + 'static {
    /// Returns the values with their names.
    fn names() -> Vec<(&'static str, Self)>;

    /// Returns the value of a name.
    ///
    /// # Errors
    ///
    /// A message that lists the names.
    fn named(name: &str) -> Result<Self, String> {
        let names = Self::names();
        let known = || names.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
        let found = names.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| format!("give one of {}", known()))
    }
}

macro_rules! named {
    ($($type:ty: $($name:literal = $value:expr),+;)+) => {$(
        impl $crate::options::Named for $type {
            fn names() -> Vec<(&'static str, Self)> {
                vec![$(($name, $value)),+]
            }
        }
    )+};
}

pub(crate) use named;

named! {
    CalibrationRuns: "complete" = Self::Complete, "cut-off-as-failures" = Self::CutOffAsFailures;
    CostRule: "paper" = Self::PaperText, "released" = Self::Released;
    TriggerRule: "paper" = Self::PaperText, "released" = Self::Released;
    CensoringAssumption: "non-informative" = Self::NonInformative, "failure-side" = Self::FailureSide, "none" = Self::None;
    ConfidenceReading: "strict" = Self::Strict, "lenient" = Self::Lenient;
    Reading: "cap" = Self::Cap, "answers" = Self::Answers;
    RunsBy: "trace" = Self::Trace, "session" = Self::Session;
    RuleVersion: "paper" = Self::PaperText, "released" = Self::Released;
}

impl Named for ConfidenceStream {
    fn names() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|stream| (stream.name(), stream)).to_vec()
    }
}

impl Named for Format {
    fn names() -> Vec<(&'static str, Self)> {
        Self::ALL.iter().map(|format| (format.name(), *format)).collect()
    }
}

/// Returns a parser that accepts these values by name. Help and errors list the names.
#[cfg(feature = "clap")]
pub fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (&'static str, T)>,
) -> impl clap::builder::TypedValueParser<Value = T> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};

    let choices: Vec<(&str, T)> = choices.into_iter().collect();
    let names = PossibleValuesParser::new(choices.iter().map(|(name, _)| *name));
    names.try_map(move |name| {
        let found = choices.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone()).ok_or("there is no such name")
    })
}

/// Returns a parser that accepts the names of the values of a type.
#[cfg(feature = "clap")]
#[must_use]
pub fn names<T: Named>() -> impl clap::builder::TypedValueParser<Value = T> {
    one_of(T::names())
}

/// Deserializers of fields. A field accepts a text or a number; a field with several values accepts a list of these.
pub mod read {
    use std::{fmt, str::FromStr};

    use knapsack_oracle::Alpha;
    use serde::{Deserialize, Deserializer, de::Error as _};
    use serde_json::Value as Json;
    use trajectory_metrics::{ForecastPolicy, Level, Probability};

    use super::{Caps, Named};

    /// A text, or a number converted to text.
    struct Text(String);

    impl<'de> Deserialize<'de> for Text {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            match Json::deserialize(from)? {
                Json::String(text) => Ok(Self(text)),
                // A whole number may be written as 1.0.
                Json::Number(number) => {
                    Ok(Self(match number.as_f64().filter(|_| number.is_f64()) {
                        Some(number) => number.to_string(),
                        None => number.to_string(),
                    }))
                }
                other => Err(D::Error::custom(format!("is {other}; give a text or a number"))),
            }
        }
    }

    impl Text {
        fn parse<T, P: fmt::Display, E: serde::de::Error>(
            self,
            parse: impl Fn(&str) -> Result<T, P>,
        ) -> Result<T, E> {
            parse(&self.0).map_err(|problem| E::custom(format!("is {}; {problem}", self.0)))
        }
    }

    fn one<'de, D: Deserializer<'de>, T, P: fmt::Display>(
        from: D,
        parse: impl Fn(&str) -> Result<T, P>,
    ) -> Result<T, D::Error> {
        Text::deserialize(from)?.parse(parse)
    }

    fn some<'de, D: Deserializer<'de>, T, P: fmt::Display>(
        from: D,
        parse: impl Fn(&str) -> Result<T, P>,
    ) -> Result<Option<T>, D::Error> {
        Option::<Text>::deserialize(from)?.map(|text| text.parse(parse)).transpose()
    }

    fn all<'de, D: Deserializer<'de>, T, P: fmt::Display>(
        from: D,
        parse: impl Fn(&str) -> Result<T, P>,
    ) -> Result<Vec<T>, D::Error> {
        Vec::<Text>::deserialize(from)?.into_iter().map(|text| text.parse(&parse)).collect()
    }

    /// Deserializes a value from its name.
    pub fn name<'de, T: Named, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        one(from, T::named)
    }

    /// Deserializes a value of a type that is parsed from text.
    pub(crate) fn parsed<'de, T: FromStr<Err: fmt::Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        one(from, T::from_str)
    }

    /// Deserializes a value of a type that is parsed from text, or null; see [`parsed`].
    pub(crate) fn some_parsed<'de, T: FromStr<Err: fmt::Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        some(from, T::from_str)
    }

    /// Deserializes a list of caps. No cap is a part of another cap.
    pub(crate) fn caps<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Caps>, D::Error> {
        let caps = |values: Vec<f64>| Caps { values, may_be_one: false };
        Ok(Some(all(from, super::cap)?).filter(|it| !it.is_empty()).map(caps))
    }

    /// Defines a deserializer for each of these parse functions.
    macro_rules! by {
        ($($name:ident: $type:ty = $how:ident($parse:expr);)+) => {
            $(pub fn $name<'de, D: Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                $how(from, $parse)
            })+
        };
    }

    by! {
        resamples: usize = one(super::resamples);
        several_resamples: usize = one(super::several_resamples);
        seed: u64 = one(super::seed);
        number: f64 = one(super::number);
        level: Level = one(super::level);
        text: String = one(super::text);
        odds_ratio: f64 = one(super::odds_ratio);
        count: usize = one(super::count);
        several: usize = one(super::several::<usize>);
        outcomes: u64 = one(super::several::<u64>);
        refinement: usize = one(super::refinement);
        missing: Option<ForecastPolicy> = some(super::policy);
        probability: Option<Probability> = some(super::probability);
        some_seed: Option<u64> = some(super::seed);
        cap: Option<f64> = some(super::cap);
        points: Option<f64> = some(super::points);
        alphas: Vec<Alpha> = all(super::alpha);
        shares: Vec<f64> = all(super::share);
        texts: Vec<String> = all(super::text);
    }
}

/// The maximum number of resamples. More would change no displayed digit, and take hours.
const MOST_RESAMPLES: u64 = 1_000_000;

/// Returns a parser of whole numbers from `least` to `most`.
pub fn whole<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| match most {
            u64::MAX => format!("give a whole number of at least {least}"),
            most => format!("give a whole number from {least} to {most}"),
        })
    }
}

/// Parses a number of resamples, from 0 to 1,000,000; 0 means that nothing is resampled.
pub fn resamples(text: &str) -> Result<usize, &'static str> {
    whole(0, MOST_RESAMPLES)(text).map_err(|_| "give a whole number up to 1000000")
}

/// Parses a number of resamples that is large enough for a standard error, from 2 to 1,000,000.
pub fn several_resamples(text: &str) -> Result<usize, String> {
    whole(2, MOST_RESAMPLES)(text)
}

/// Parses a seed.
pub fn seed(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "give a whole number from 0 to 18446744073709551615")
}

/// Parses a number of a type that checks it.
fn checked<T, E>(
    text: &str,
    new: impl Fn(f64) -> Result<T, E>,
    problem: &'static str,
) -> Result<T, &'static str> {
    text.parse().ok().and_then(|number| new(number).ok()).ok_or(problem)
}

/// Parses a number within a range.
fn within(
    text: &str,
    range: RangeInclusive<f64>,
    problem: &'static str,
) -> Result<f64, &'static str> {
    checked(text, |number| range.contains(&number).then_some(number).ok_or(()), problem)
}

/// Parses a share from 0 to 1.
pub fn share(text: &str) -> Result<f64, &'static str> {
    // Adding 0 turns -0 into 0.
    within(text, 0.0..=1.0, "give a number from 0 to 1").map(|share| share + 0.0)
}

/// Parses a difference in percentage points, from 1 to 100.
pub fn points(text: &str) -> Result<f64, &'static str> {
    within(text, 1.0..=100.0, "give a number of points from 1 to 100")
}

/// Parses a budget as a share of the total cost: a number above 0 and at most 1.
pub fn alpha(text: &str) -> Result<Alpha, &'static str> {
    checked(text, Alpha::new, "give a number above 0 and at most 1")
}

/// Parses a cap on a resource: a number from 0 to 1e100.
pub fn cap(text: &str) -> Result<f64, &'static str> {
    within(text, 0.0..=1e100, "give a number from 0 to 1e100")
}

/// A list of caps, separated by commas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caps {
    /// The caps.
    pub values: Vec<f64>,
    /// Whether the text may be a single number with commas between thousands, such as 1,200.
    pub may_be_one: bool,
}

/// Parses a list of caps, separated by commas.
pub fn caps(text: &str) -> Result<Caps, &'static str> {
    let values: Vec<f64> = text.split(',').map(cap).collect::<Result<_, _>>()?;
    let mut groups = text.split(',');
    let is_short = groups.next().is_some_and(|first| first.len() < 3);
    let are_thousands = groups.all(|group| group.len() == 3 && !group.contains('.'));
    Ok(Caps { may_be_one: values.len() > 1 && is_short && are_thousands, values })
}

/// Parses a nominal coverage: a number above 0 and below 1.
pub fn level(text: &str) -> Result<Level, &'static str> {
    checked(text, Level::new, "give a number between 0 and 1")
}

/// Parses a name, which must not be empty.
pub fn text(text: &str) -> Result<String, &'static str> {
    (!text.is_empty()).then(|| text.to_owned()).ok_or("give names with commas between them")
}

/// Parses a list of names, separated by commas.
pub fn texts(names: &str) -> Result<Vec<String>, &'static str> {
    names.split(',').map(text).collect()
}

/// Parses a number.
pub fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "give a number")
}

/// Parses a whole number.
pub fn count(text: &str) -> Result<usize, String> {
    whole(0, u64::MAX)(text)
}

/// Parses a whole number of at least 1.
pub fn several<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    whole(1, u64::MAX)(text)
}

/// Parses a refinement level from 0 to 10. The number of composite tools grows fast with the level, and so does the
/// computing time.
pub fn refinement(text: &str) -> Result<usize, String> {
    whole(0, 10)(text)
}

/// Parses a probability.
pub fn probability(text: &str) -> Result<Probability, &'static str> {
    Probability::new(share(text)?).map_err(|_| "give a number from 0 to 1")
}

/// Parses the largest factor by which estimated odds of success may differ from the true odds: a finite number of at
/// least 1.
pub fn odds_ratio(text: &str) -> Result<f64, &'static str> {
    within(text, 1.0..=f64::MAX, "give a finite number of at least 1")
}

/// Parses the name of a policy for missing or invalid forecasts, such as `leave-out` or `carry-forward-from=0.5`.
pub fn policy(name: &str) -> Result<ForecastPolicy, &'static str> {
    let (policy, first) = name.split_once('=').map_or((name, None), |(a, b)| (a, Some(b)));
    let policy = policy.replace('-', "_");
    let known = first.map_or_else(|| policy.clone(), |first| format!("{policy}={first}")).parse();
    known.map_err(|_| {
        "give refuse, leave-out, skip, carry-forward, carry-forward-from=P with P from 0 to 1, or clip"
    })
}

/// Parses the name of a resource, optionally with a cap, as in `total_tokens=2500`.
pub fn capped(text: &str) -> Result<(String, Option<f64>), &'static str> {
    let (name, cap) = text.split_once('=').map_or((text, None), |(name, cap)| (name, Some(cap)));
    if name.is_empty() {
        return Err("give a name, or a name and a cap, as in total_tokens=2500");
    }
    Ok((name.to_owned(), cap.map(self::cap).transpose()?))
}
