//! Tests whether tasks or groups of tasks changed, with a correction for their number.

use std::cmp::Ordering;

use scoring_rules::Level;
use trajectory_metrics::benjamini_hochberg;

/// The maximum number of tasks or groups that a sentence names.
const MOST_NAMES: usize = 5;

/// The test results of a task or a group under each assumption about the runs without a grade. The first assumption
/// leaves these runs out.
#[derive(Default)]
pub(super) struct Verdict {
    /// The p-value of no change and the direction of the change under each assumption; `None` if it cannot be tested.
    readings: Vec<Option<(f64, Ordering)>>,
    /// The p-values after the correction for the number of tests.
    adjusted: Vec<Option<f64>>,
    /// The direction of the change under each assumption, if it is beyond noise after the correction.
    sides: Vec<Option<Ordering>>,
}

impl Verdict {
    /// Adds that of a reading.
    pub(super) fn push(&mut self, at: usize, found: Option<(f64, Ordering)>) {
        self.readings.resize(at, None);
        self.readings.push(found);
    }

    /// Returns the p-value and direction by a reading; where all runs have a grade, there is one reading.
    fn reading(&self, at: usize) -> Option<(f64, Ordering)> {
        *self.readings.get(at).or(self.readings.first())?
    }

    pub(super) fn is_tested(&self) -> bool {
        self.readings.iter().any(Option::is_some)
    }

    /// Returns whether it changed in this direction under every assumption about the runs without a grade.
    pub(super) fn is_told(&self, side: Ordering) -> bool {
        !self.sides.is_empty() && self.sides.iter().all(|found| *found == Some(side))
    }

    /// Returns whether the change is a loss under at least one assumption about the runs without a grade: a gate fails
    /// safe.
    pub(super) fn is_worse(&self) -> bool {
        self.sides.contains(&Some(Ordering::Less))
    }

    /// Returns the raw and the adjusted p-value over the runs with a grade.
    pub(super) fn p_values(&self) -> [Option<f64>; 2] {
        [self.reading(0).map(|it| it.0), self.adjusted.first().copied().flatten()]
    }
}

/// Corrects the p-values under each assumption for the number of tests.
pub(super) fn correct(mut family: Vec<&mut Verdict>, level: Level) {
    let n_readings = family.iter().map(|verdict| verdict.readings.len()).max().unwrap_or(0);
    for at in 0..n_readings {
        let p_values = family.iter().filter_map(|verdict| Some(verdict.reading(at)?.0));
        let adjusted = benjamini_hochberg(&p_values.collect::<Vec<_>>());
        let mut adjusted = adjusted.into_iter().flatten();
        for verdict in &mut family {
            let found = verdict.reading(at).zip(verdict.reading(at).and_then(|_| adjusted.next()));
            let beyond = found.filter(|(_, adjusted)| *adjusted <= 1.0 - level.get());
            verdict.adjusted.push(found.map(|(_, adjusted)| adjusted));
            verdict.sides.push(beyond.map(|((_, side), _)| side));
        }
    }
}

/// Joins names for a sentence, such as "t-1, t-2 and 3 more".
pub(super) fn listed<N: AsRef<str>>(names: &[N]) -> String {
    let joined = |names: &[N]| names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names {
        [before @ .., last] if !before.is_empty() && names.len() <= MOST_NAMES => {
            format!("{} and {}", joined(before), last.as_ref())
        }
        _ if names.len() <= MOST_NAMES => joined(names),
        _ => {
            let (shown, others) = names.split_at(MOST_NAMES - 1);
            format!("{} and {} more", joined(shown), others.len())
        }
    }
}
