use datafusion_common::Result;
use scoring_rules::{AnyRule, Error};
use trajectory_metrics::{Tps, WeightSchedule};

use crate::arguments::Texts;

/// The rules as SQL writes them.
const RULES: &str = "log, log(eps), brier, spherical, boosting, beta(alpha, beta), power(power, baseline), \
                     pseudospherical(power, baseline) or elementary(threshold)";

/// The score of a trajectory under a rule and a schedule.
pub(crate) type NamedTps = Tps<AnyRule>;

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
                let place = self.rules.place();
                let read = read_rule(rule).map_err(|error| match error {
                    Error::UnknownRule => {
                        place.failed(rule, format_args!("no such scoring rule; give {RULES}"))
                    }
                    other => place.failed(rule, other),
                })?;
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

/// The rule of a name, with its parameters in parentheses or as [`AnyRule`] writes them.
fn read_rule(text: &str) -> std::result::Result<AnyRule, Error> {
    match text.split_once('(') {
        None => text.parse(),
        Some((name, rest)) => {
            let parameters = rest.strip_suffix(')').ok_or(Error::UnknownRule)?;
            format!("{name}:{parameters}").parse()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scoring_rules::{BetaScore, LogScore, Probability, ScoringRule};

    #[test]
    fn rules_are_read_by_name_with_their_parameters() {
        let p = Probability::new(0.3).unwrap();
        let score = |text: &str| read_rule(text).map(|rule| rule.score(p, true));
        assert_eq!(score("log"), Ok(LogScore::exact().score(p, true)));
        assert_eq!(score("log(0.4)"), Ok(LogScore::clipped(0.4).unwrap().score(p, true)));
        assert_eq!(score("beta( 2, 4 )"), Ok(BetaScore::new(2.0, 4.0).unwrap().score(p, true)));
        assert_eq!(score("beta:2,4"), score("beta(2, 4)"));
        for unknown in ["", "Log", "log(", "log(1e-6) ", "brier(1)", "beta(2)", "beta(2, x)"] {
            assert_eq!(score(unknown), Err(Error::UnknownRule), "{unknown}");
        }
        assert!(matches!(score("log(0.9)"), Err(Error::Setting { name: "eps", .. })));
    }
}
