use std::{fmt, str::FromStr};

use censoring::{StopClass, StopReason};
use trajectory_metrics::tool_calls::Value;

use crate::{
    error::{Error, Place, Problem},
    values::{
        confidence_scale::ConfidenceScale,
        evaluation::is_scorer,
        run::{Run, Score, number_of},
    },
};

/// The rule that decides the outcome of a run that a limit ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AtLimit {
    /// A grade that was given at the limit counts, as in inspect_ai, Harbor and tau2. Without a grade, the outcome is unknown.
    #[default]
    Graded,
    /// The run failed, whatever its grade.
    Failed,
    /// The outcome is unknown, whatever the grade: the run is censored at the point where the limit ended it.
    Unknown,
}

impl AtLimit {
    /// Returns the name of the rule as a value of the option `at_limit`: `graded`, `failed` or `unknown`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Graded => "graded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// The rule for a run that is found several times: with the same unique id, as the same sample in a copy or a retry of
/// an evaluation, or as a repeated line of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repeats {
    /// The run counts once, and the newest complete occurrence is kept.
    #[default]
    Drop,
    /// Each occurrence counts as a run.
    Keep,
}

/// The lowest and the highest score that a scorer can give.
///
/// ```
/// use run_logs::ScoreRange;
///
/// let marks: ScoreRange = "1..10".parse()?;
/// assert_eq!((marks.grade(5.5), marks.grade(11.0)), (Some(0.5), None));
/// assert!("10..1".parse::<ScoreRange>().is_err());
/// # Ok::<(), run_logs::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct ScoreRange {
    low: f64,
    high: f64,
}

impl ScoreRange {
    /// Creates a range of scores.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for bounds that are not finite or not in order.
    pub fn new(low: f64, high: f64) -> Result<Self, Error> {
        if low < high && (high - low).is_finite() {
            return Ok(Self { low, high });
        }
        Err(not_a_range(format!("{low}..{high}")))
    }

    /// Returns the score as a share of the range, or `None` if the score is outside the range.
    #[must_use]
    pub fn grade(self, score: f64) -> Option<f64> {
        let is_inside = score >= self.low && score <= self.high;
        is_inside.then(|| (score - self.low) / (self.high - self.low))
    }

    /// Returns the length of the range.
    pub(crate) fn size(self) -> f64 {
        self.high - self.low
    }
}

impl fmt::Display for ScoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}

impl TryFrom<String> for ScoreRange {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl FromStr for ScoreRange {
    type Err = Error;

    /// Reads `LO..HI`.
    ///
    /// # Errors
    ///
    /// The errors of [`ScoreRange::new`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let ends = text
            .split_once("..")
            .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
        let (low, high) = ends.unwrap_or((f64::NAN, f64::NAN));
        Self::new(low, high).map_err(|_| not_a_range(text.to_owned()))
    }
}

fn not_a_range(value: String) -> Error {
    let place = Place { field: "score range".to_owned(), ..Place::default() };
    let expected = "LO..HI with LO below HI, such as 1..10";
    Error::invalid(place, Problem::Value { value, expected })
}

/// The rules that derive facts about runs, such as outcomes, from logs. By default, each rule is the one of the
/// program that wrote the log.
///
/// ```
/// use run_logs::{AtLimit, Error, FactRules, Run, RunLimit, Score, StopReason};
///
/// let mut run = Run::new("sample-1");
/// run.scores.insert("match".to_owned(), Score { value: "C".into(), ..Score::default() });
/// run.stop = Some(StopReason::MaxTokens);
/// run.limit = Some(RunLimit { kind: "token".to_owned(), limit: Some(500.0), reason: None });
///
/// let graded = FactRules::default().judgement(&run)?;
/// assert_eq!((graded.outcome, graded.is_at_limit), (Some(true), true));
/// let unknown = FactRules { at_limit: Some(AtLimit::Unknown), ..FactRules::default() }.judgement(&run)?;
/// assert_eq!((unknown.outcome, unknown.stop), (None, Some(StopReason::MaxTokens)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[derive(serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactRules {
    /// Name of the scorer whose score counts, such as match (default: the first scorer in the log). For one of several
    /// values of a scorer, append its name, such as judge.style. Runs without this score have no grade
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub scorer: Option<String>,
    /// Lowest score that counts as a success; lower scores count as failures. Without this option, 1 is a success, 0 is
    /// a failure, and a score between 0 and 1 is a partial success
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", value_parser = finite))]
    pub success_at: Option<f64>,
    /// Lowest and highest possible score, such as 0..100, if they are not 0 and 1
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "LO..HI",
            conflicts_with = "success_at",
            allow_hyphen_values = true
        )
    )]
    pub score_range: Option<ScoreRange>,
    /// Outcome of a run that ended at a limit: graded takes it from the grade, if there is one; failed counts the run
    /// as a failure; unknown ignores the grade (default: graded; for cut-off unknown)
    #[cfg_attr(feature = "clap", arg(long, value_enum, hide_possible_values = true))]
    pub at_limit: Option<AtLimit>,
    /// How to count a run that occurs several times, such as in a retry or a copy of an evaluation, or in a second row
    /// of a table: drop counts only the newest complete one, and keep counts all of them
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, default_value_t, hide_possible_values = true)
    )]
    pub repeats: Repeats,
    /// Read confidences without a percent sign as percentages. With =no, read them as values from 0 to 1, even if some
    /// are above 1. Without this option, a file with confidences above 1 and none above 100 is refused
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "YES|NO", num_args = 0..=1, require_equals = true, default_missing_value = "yes", default_value = "auto", hide_default_value = true, hide_possible_values = true))]
    pub percent: ConfidenceScale,
    /// Whether a run for which neither the rules nor the log decide the grade stays without a grade, instead of
    /// causing an error.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub is_lenient: bool,
}

#[cfg(feature = "clap")]
fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if number.is_finite() { Ok(number) } else { Err("give a finite number".to_owned()) }
}

/// The reason why a run has no grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Ungraded {
    /// An error ended the run.
    Error,
    /// A limit ended the run.
    AtLimit,
    /// The log excludes the run, for example because of an infrastructure error.
    Excluded,
    /// The run has no score.
    NoScore,
    /// The run was planned, but the log lacks it.
    Missing,
    /// The run belongs to an evaluation without the requested scorer.
    OtherScorer,
}

impl Ungraded {
    /// Returns the word under which runs without a grade are counted: `error`, `at_limit`, `excluded`, `no_score`,
    /// `missing` or `other_scorer`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::AtLimit => "at_limit",
            Self::Excluded => "excluded",
            Self::NoScore => "no_score",
            Self::Missing => "missing",
            Self::OtherScorer => "other_scorer",
        }
    }
}

/// The outcome that the rules find for a run, or the reason why they find none.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The grade of the run, from 0 to 1, or the reason why it has none. A score outside [0, 1] without a rule for it is kept
    /// unchanged.
    pub grade: Option<f64>,
    /// The reason why there is no grade.
    pub ungraded: Option<Ungraded>,
    /// Whether the run succeeded; `None` for a run without a grade, and for a partial success.
    pub outcome: Option<bool>,
    /// The reason why the run ended, as `censoring::Stopped` takes it; [`StopReason::Unjudged`] for a run that ended
    /// by itself without a grade.
    pub stop: Option<StopReason>,
    /// Whether a limit ended the run.
    pub is_at_limit: bool,
    /// Whether the rule [`AtLimit`] has no effect on the run, because the grade was given outside the log or the log
    /// excludes the run.
    pub is_settled: bool,
    /// The scorer whose score is the grade.
    pub scorer: Option<String>,
}

/// Scores within this distance of 0 or 1 count as 0 or 1: some programs multiply parts that are 1.
const ROUNDING: f64 = 1e-6;

impl FactRules {
    /// Sets the lowest score that counts as a success.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a number that is not finite.
    pub fn with_success_at(mut self, least: f64) -> Result<Self, Error> {
        scoring_rules::checks::setting("success_at", least, least.is_finite(), "finite")?;
        self.success_at = Some(least);
        Ok(self)
    }

    /// The rules that differ from the default and have no other place in an account, each with its option.
    pub(crate) fn stated(&self) -> Vec<String> {
        let scorer =
            self.scorer.iter().map(|name| format!("the score is that of {name} (--scorer)"));
        scorer.chain(stated(self.repeats, self.percent)).collect()
    }

    /// Judges a run by the rules.
    ///
    /// The first available source decides: a grade given outside the log ([`Run::grade`]), the log's exclusion of the run, the
    /// log's own outcome, the score. A run with none of them has no grade. The words of inspect_ai have the values that
    /// inspect_ai gives them: `C` is 1, `P` 0.5, `I` and `N` 0, `yes` and `true` 1, `no` and `false` 0 in any case; digits are a
    /// number. Scores of other scorers than the requested one count as no score.
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] if neither the rules nor the log say which of several scores counts, if the score does not represent
    /// a number, or if it is outside the range of the rules.
    pub fn judgement(&self, run: &Run) -> Result<Judgement, Error> {
        let stop = run.stop.clone();
        let is_limit = |stop: &StopReason| stop.class() == StopClass::Censored;
        let is_at_limit = run.limit.is_some() || stop.as_ref().is_some_and(is_limit);
        let found = Judgement { stop, is_at_limit, ..Judgement::default() };
        if let Some(grade) = run.grade {
            // The threshold is not on the scale of the scores: 1 is a success and 0 a failure, whatever scores represent them.
            let least = self.success_at.filter(|least| *least > 0.0 && *least <= 1.0);
            return Ok(Judgement { is_settled: true, ..found }.graded(grade, least));
        }
        if let Some(reason) = &run.excluded {
            let own = found.stop.clone().filter(|stop| stop.class() == StopClass::Excluded);
            let stop = Some(own.unwrap_or_else(|| StopReason::Other(reason.clone())));
            return Ok(Judgement { stop, is_settled: true, ..found }.ungraded(Ungraded::Excluded));
        }
        let at_limit = self.at_limit.unwrap_or_default();
        if is_at_limit && at_limit == AtLimit::Failed {
            return Ok(found.graded(0.0, None));
        }
        if is_at_limit && at_limit == AtLimit::Unknown {
            return Ok(found.ungraded(Ungraded::AtLimit));
        }
        if let (Some(outcome), None) = (run.outcome, &self.scorer) {
            return Ok(found.graded(f64::from(outcome), None));
        }
        let scored = match self.scored(run) {
            Err(_) if self.is_lenient => None,
            scored => scored?,
        };
        match scored {
            Some((scorer, score)) => {
                let graded = graded_in_range(score, self.success_at, self.score_range);
                let (grade, outcome) = graded.map_err(|range| {
                    let reason = format!(
                        "the score {scorer} of run {} is {score}, outside the range {range}",
                        run.id
                    );
                    Error::Undefined { name: "outcome", reason }
                })?;
                Ok(Judgement { grade: Some(grade), outcome, scorer: Some(scorer), ..found })
            }
            None if run.error.is_some() => Ok(found.ungraded(Ungraded::Error)),
            None if is_at_limit => Ok(found.ungraded(Ungraded::AtLimit)),
            None => Ok(found.ungraded(Ungraded::NoScore)),
        }
    }

    /// Returns the scorer that counts and its number; `None` without a score.
    fn scored(&self, run: &Run) -> Result<Option<(String, f64)>, Error> {
        let all = scores(run);
        let wrong = |reason| Err(Error::Undefined { name: "outcome", reason });
        let found = match (&self.scorer, all.as_slice()) {
            (Some(wanted), all) => all.iter().find(|(name, _)| is_scorer(name, wanted)),
            (None, all) => {
                let head = || run.evaluation.iter().flat_map(|it| &it.scorers);
                let is_of = |of: &str, name: &String| {
                    of == name || of.strip_prefix(name).is_some_and(|it| it.starts_with('.'))
                };
                let is_headed = |of: &str| head().any(|name| is_of(of, name));
                match (head().next(), all) {
                    // The first scorer of the log counts in each of its runs, even in a run without a score from it.
                    (Some(first), all) if all.iter().any(|(of, _)| is_headed(of)) => {
                        all.iter().find(|(of, _)| is_of(of, first))
                    }
                    (_, []) => None,
                    (_, [only]) => Some(only),
                    _ => {
                        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
                        return wrong(format!(
                            "run {} has the scorers {}; name one with --scorer",
                            run.id,
                            names.join(", ")
                        ));
                    }
                }
            }
        };
        let Some((name, value)) = found.filter(|(_, value)| !matches!(value, Value::Null)) else {
            return Ok(None);
        };
        match number(value) {
            Some(score) => Ok(Some((name.clone(), score))),
            None => wrong(format!(
                "the score {name} of run {} does not stand for a number; name another scorer",
                run.id
            )),
        }
    }
}

impl Judgement {
    fn graded(self, score: f64, least: Option<f64>) -> Self {
        let (grade, outcome) = graded(score, least);
        Self { grade: Some(grade), outcome, ..self }
    }

    fn ungraded(self, why: Ungraded) -> Self {
        let completed = self.stop.as_ref().is_none_or(|stop| stop.class() == StopClass::Complete);
        let stop = if completed { Some(StopReason::Unjudged) } else { self.stop };
        Self { ungraded: Some(why), stop, ..self }
    }
}

/// Returns the grade of a score, and whether it is a success or a failure. `least` is the lowest score that counts as a success, if there is
/// one.
pub(crate) fn graded(score: f64, least: Option<f64>) -> (f64, Option<bool>) {
    let grade = match least {
        Some(least) => f64::from(u8::from(score >= least)),
        None if score.abs() <= ROUNDING => 0.0,
        None if (score - 1.0).abs() <= ROUNDING => 1.0,
        None => score,
    };
    let outcome = [(0.0, false), (1.0, true)].into_iter().find(|(it, _)| *it == grade);
    (grade, outcome.map(|(_, outcome)| outcome))
}

/// Returns the grade of a score as a share of the range of scores, if there is no lowest score that counts as a success, and
/// whether it is a success or a failure.
///
/// # Errors
///
/// The range, if the score is outside of it.
pub(crate) fn graded_in_range(
    score: f64,
    least: Option<f64>,
    range: Option<ScoreRange>,
) -> Result<(f64, Option<bool>), ScoreRange> {
    match range.filter(|_| least.is_none()) {
        None => Ok(graded(score, least)),
        Some(range) => range.grade(score).map(|grade| graded(grade, None)).ok_or(range),
    }
}

/// Returns the rules for repeats and percentages that differ from the default, each with its option.
pub(crate) fn stated(repeats: Repeats, scale: ConfidenceScale) -> impl Iterator<Item = String> {
    let keep =
        (repeats == Repeats::Keep).then_some("repeated runs count each time (--repeats keep)");
    let scale = match scale {
        ConfidenceScale::Checked => None,
        ConfidenceScale::Percent => Some("confidences are percentages (--percent)"),
        ConfidenceScale::Share => Some("confidences are shares of 1 (--percent=no)"),
    };
    keep.into_iter().chain(scale).map(str::to_owned)
}

/// Describes in words which runs are successes; without a rule, returns `otherwise`.
pub(crate) fn success(least: Option<f64>, range: Option<ScoreRange>, otherwise: &str) -> String {
    match (least, range) {
        (Some(least), _) => format!("a score of at least {least} (--success-at)"),
        (None, Some(range)) => format!("the highest score of {range} (--score-range)"),
        (None, None) => otherwise.to_owned(),
    }
}

/// The advice for scores outside [0, 1].
pub(crate) const PLACE_SCORES: &str = "give the range of possible scores, as in --score-range LO..HI, or the lowest score that counts as a success, as in --success-at X";

/// Returns whether a run has a score of the scorer `wanted`; `None` for a run without any score.
pub(crate) fn has_score(run: &Run, wanted: &str) -> Option<bool> {
    let all = scores(run);
    (!all.is_empty()).then(|| all.iter().any(|(name, _)| is_scorer(name, wanted)))
}

/// Returns the scores of a run by name. A scorer with several values has one score per value, named `scorer.key`.
fn scores(run: &Run) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    for (name, Score { value, .. }) in &run.scores {
        match value {
            Value::Map(parts) => {
                all.extend(parts.iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            value => all.push((name.clone(), value)),
        }
    }
    all
}

/// Returns the number that a score represents: numbers and booleans are themselves, words have the values of inspect_ai, and any
/// other value is `None`.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(value) => Some(f64::from(*value)),
        Value::Text(word) => match word.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            word => match word.to_ascii_lowercase().as_str() {
                "yes" | "true" => Some(1.0),
                "no" | "false" => Some(0.0),
                word => word.parse().ok(),
            },
        },
        number => number_of(number),
    }
    .filter(|number: &f64| number.is_finite())
}
