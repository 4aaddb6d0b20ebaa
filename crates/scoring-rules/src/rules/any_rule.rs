use std::{fmt, ops::Deref, str::FromStr};

use crate::{
    error::Error,
    rule::ScoringRule,
    rules::{
        beta::beta_score::BetaScore,
        boosting::BoostingScore,
        brier::BrierScore,
        log::log_score::LogScore,
        power::{
            baseline::Baseline, power_score::PowerScore,
            pseudospherical_score::PseudosphericalScore,
        },
        spherical::SphericalScore,
        thresholds::elementary_score::ElementaryScore,
    },
    values::level::Level,
};

/// A rule that is chosen at run time by its name and its parameters, for example from a file of settings.
///
/// | written | the rule |
/// |---|---|
/// | `log` | [`LogScore::exact`] |
/// | `log:CLIP` | [`LogScore::clipped`] |
/// | `brier`, `spherical`, `boosting` | [`BrierScore`], [`SphericalScore`], [`BoostingScore`] |
/// | `beta:ALPHA,BETA` | [`BetaScore::new`] |
/// | `power:POWER,BASELINE` | [`PowerScore::new`] |
/// | `pseudospherical:POWER,BASELINE` | [`PseudosphericalScore::new`] |
/// | `elementary:THRESHOLD` | [`ElementaryScore`] |
///
/// Scores have the same bits and nearly the speed of the rule itself. With the feature `serde` a rule is
/// stored as this text.
///
/// ```
/// use scoring_rules::{AnyRule, Error, LogScore, Probability, ScoringRule};
///
/// let rule: AnyRule = "log:1e-6".parse()?;
/// assert_eq!(rule, AnyRule::Log(LogScore::clipped(1e-6)?));
/// assert_eq!(rule.score(Probability::ZERO, true), 1e-6_f64.ln());
/// assert_eq!("beta: 2, 4".parse::<AnyRule>()?.to_string(), "beta:2,4");
/// assert_eq!("brier:1".parse::<AnyRule>(), Err(Error::UnknownRule));
/// assert!(matches!("log:0.7".parse::<AnyRule>(), Err(Error::Setting { name: "eps", .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
#[non_exhaustive]
pub enum AnyRule {
    /// The log score, exact or clipped.
    Log(LogScore),
    /// The Brier score.
    Brier(BrierScore),
    /// The spherical score.
    Spherical(SphericalScore),
    /// The boosting score.
    Boosting(BoostingScore),
    /// A member of the beta family.
    Beta(Box<BetaScore>),
    /// A power score.
    Power(PowerScore),
    /// A pseudospherical score.
    Pseudospherical(PseudosphericalScore),
    /// An elementary score.
    Elementary(ElementaryScore),
}

impl AnyRule {
    /// Creates the rule with this name and these parameters.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] for another name or number of parameters, and the errors of the rule.
    ///
    /// ```
    /// use scoring_rules::{AnyRule, BrierScore, Error};
    ///
    /// assert_eq!(AnyRule::named("brier", &[])?, AnyRule::Brier(BrierScore));
    /// assert_eq!(AnyRule::named("beta", &[2.0]), Err(Error::UnknownRule));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn named(name: &str, parameters: &[f64]) -> Result<Self, Error> {
        Ok(match (name, parameters) {
            ("log", []) => Self::Log(LogScore::exact()),
            ("log", &[clip]) => Self::Log(LogScore::clipped(clip)?),
            ("brier", []) => Self::Brier(BrierScore),
            ("spherical", []) => Self::Spherical(SphericalScore),
            ("boosting", []) => Self::Boosting(BoostingScore),
            ("beta", &[alpha, beta]) => Self::Beta(Box::new(BetaScore::new(alpha, beta)?)),
            ("power", &[power, baseline]) => {
                Self::Power(PowerScore::new(power, Level::new(baseline)?)?)
            }
            ("pseudospherical", &[power, baseline]) => {
                Self::Pseudospherical(PseudosphericalScore::new(power, Level::new(baseline)?)?)
            }
            ("elementary", &[threshold]) => {
                Self::Elementary(ElementaryScore { threshold: Level::new(threshold)? })
            }
            _ => return Err(Error::UnknownRule),
        })
    }

    /// Returns the name of the rule and its parameters, from which [`Self::named`] creates the same rule.
    ///
    /// ```
    /// use scoring_rules::AnyRule;
    ///
    /// assert_eq!(AnyRule::named("power", &[2.0, 0.5])?.name(), ("power", vec![2.0, 0.5]));
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> (&'static str, Vec<f64>) {
        let of_family = |family: Baseline| vec![family.power, family.level.get()];
        match self {
            Self::Log(rule) => ("log", rule.eps().into_iter().collect()),
            Self::Brier(_) => ("brier", Vec::new()),
            Self::Spherical(_) => ("spherical", Vec::new()),
            Self::Boosting(_) => ("boosting", Vec::new()),
            Self::Beta(rule) => ("beta", vec![rule.alpha(), rule.beta()]),
            Self::Power(rule) => ("power", of_family(rule.0)),
            Self::Pseudospherical(rule) => ("pseudospherical", of_family(rule.0)),
            Self::Elementary(rule) => ("elementary", vec![rule.threshold.get()]),
        }
    }
}
impl FromStr for AnyRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, parameters) = match text.split_once(':') {
            None => (text, Vec::new()),
            Some((name, numbers)) => {
                let numbers = numbers.split(',').map(|number| number.trim().parse());
                (name, numbers.collect::<Result<_, _>>().map_err(|_| Error::UnknownRule)?)
            }
        };
        Self::named(name.trim(), &parameters)
    }
}

impl fmt::Display for AnyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, parameters) = self.name();
        f.write_str(name)?;
        let marks = std::iter::once(":").chain(std::iter::repeat(","));
        // The shortest notation of a number, so that a clip is 1e-6 and not 0.000001.
        marks.zip(parameters).try_for_each(|(mark, number)| match number.abs() {
            size if size < 1e-4 => write!(f, "{mark}{number:e}"),
            _ => write!(f, "{mark}{number}"),
        })
    }
}

impl TryFrom<String> for AnyRule {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<AnyRule> for String {
    fn from(rule: AnyRule) -> Self {
        rule.to_string()
    }
}

impl Deref for AnyRule {
    type Target = dyn ScoringRule;

    /// The rule itself, so that this is a [`ScoringRule`].
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Log(rule) => rule,
            Self::Brier(rule) => rule,
            Self::Spherical(rule) => rule,
            Self::Boosting(rule) => rule,
            Self::Beta(rule) => &**rule,
            Self::Power(rule) => rule,
            Self::Pseudospherical(rule) => rule,
            Self::Elementary(rule) => rule,
        }
    }
}
