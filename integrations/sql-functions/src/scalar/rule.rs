use datafusion_common::Result;
use scoring_rules::{BetaScore, BoostingScore, BrierScore, LogScore, ScoringRule, SphericalScore};
use trajectory_metrics::{Tps, WeightSchedule};

use crate::columns::Texts;

/// The names of the rules, for error messages.
const RULES: &str = "log, log(eps), brier, spherical, boosting or beta(alpha, beta)";

/// The score of a trajectory under a rule and a schedule.
pub(crate) type NamedTps = Tps<Box<dyn ScoringRule + Send + Sync>>;

/// Reads rules and schedules by name, and keeps those of the previous row.
pub(crate) struct NamedScores<'a> {
    rules: Texts<'a>,
    schedules: Texts<'a>,
    kept: Option<(&'a str, &'a str, NamedTps)>,
}

impl<'a> NamedScores<'a> {
    pub(crate) fn new(rules: Texts<'a>, schedules: Texts<'a>) -> Self {
        Self { rules, schedules, kept: None }
    }

    /// The score of a row.
    pub(crate) fn tps(&mut self, row: usize) -> Result<&NamedTps> {
        let (rule, schedule) = (self.rules.text(row), self.schedules.text(row));
        let kept = match self.kept.take() {
            Some(kept) if (kept.0, kept.1) == (rule, schedule) => kept,
            _ => {
                let read = read_rule(rule);
                let read =
                    read.ok_or_else(|| self.rules.place().refuse(format_args!("'{rule}'"), RULES))?;
                let known = WeightSchedule::NAMED.iter().map(WeightSchedule::name);
                let steps = schedule.parse::<WeightSchedule>().map_err(|_| {
                    let known = known.collect::<Vec<_>>().join(", ");
                    let range = format!("one of {known}");
                    self.schedules.place().refuse(format_args!("'{schedule}'"), &range)
                })?;
                (rule, schedule, Tps::new(read, steps))
            }
        };
        Ok(&self.kept.insert(kept).2)
    }
}

/// The rule of a name with its parameters in parentheses; `None` for an unknown name or a parameter
/// out of range.
fn read_rule(text: &str) -> Option<Box<dyn ScoringRule + Send + Sync>> {
    let (name, parameters) = match text.split_once('(') {
        None => (text, Vec::new()),
        Some((name, rest)) => {
            let numbers = rest.strip_suffix(')')?.split(',');
            (name, numbers.map(|number| number.trim().parse().ok()).collect::<Option<_>>()?)
        }
    };
    Some(match (name.trim(), parameters[..].as_ref()) {
        ("log", []) => Box::new(LogScore::exact()),
        ("log", &[eps]) => Box::new(LogScore::clipped(eps).ok()?),
        ("brier", []) => Box::new(BrierScore),
        ("spherical", []) => Box::new(SphericalScore),
        ("boosting", []) => Box::new(BoostingScore),
        ("beta", &[alpha, beta]) => Box::new(BetaScore::new(alpha, beta).ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use scoring_rules::Probability;

    #[test]
    fn rules_are_read_by_name_with_their_parameters() {
        let p = Probability::new(0.3).unwrap();
        let score = |text: &str| read_rule(text).map(|rule| rule.score(p, true));
        assert_eq!(score("log"), Some(LogScore::exact().score(p, true)));
        assert_eq!(score("log(0.4)"), Some(LogScore::clipped(0.4).unwrap().score(p, true)));
        assert_eq!(score("beta( 2, 4 )"), Some(BetaScore::new(2.0, 4.0).unwrap().score(p, true)));
        for unknown in
            ["", "Log", "log(", "log(0.9)", "log(1e-6) ", "brier(1)", "beta(2)", "beta(2, x)"]
        {
            assert_eq!(score(unknown), None, "{unknown}");
        }
    }
}
