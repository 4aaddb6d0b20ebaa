use crate::{
    checks::MOST,
    error::Error,
    replay::prefix::Prefix,
    resource::Resource,
    rollouts::{column::Column, rollout::Rollout, usage::Usage},
};

/// Number of turns of the recent mean.
const RECENT: usize = 3;

/// Number of columns of the estimated resource, with the number of turns first.
const ESTIMATED: usize = 10;

/// Number of columns of each other resource.
const OTHER: usize = 6;

/// Number of columns of each of the caller's features.
const FEATURE: usize = 2;

/// Converts prefixes to vectors of numbers, for estimators that learn from numbers. A live run gives the same vectors
/// as its replay, to the last bit.
///
/// A row has these columns, for k completed turns, where turn i cost c_i and the sum is C_k:
///
/// | column | value |
/// |---|---|
/// | `turns` | k |
/// | `spent` | C_k |
/// | `last_cost` | c_k |
/// | `mean_cost` | C_k / k |
/// | `recent_mean_cost` | mean cost of the last 3 turns, or of all turns if there are fewer |
/// | `largest_cost` | largest c_i |
/// | `trend` | `recent_mean_cost` / `mean_cost` |
/// | `spread` | standard deviation of the costs (divided by k, not k - 1) / `mean_cost` |
/// | `cap_left` | what is left under the cap, negative if the cap is exceeded |
/// | `cap_share` | share of the cap that was spent, at most 1e100; 1 for a cap of 0 |
///
/// For each other resource, its name and a dot precede `spent`, `first_cost`, `last_cost`, `growth`,
/// `last_growth` and `cap_share`, where growth is c_k - c_1 and last growth c_k - c_(k-1). For each feature that
/// the caller declared ([`Rollouts::with_features`](crate::Rollouts::with_features)), its name and a dot precede
/// `latest` and `sum`, the latest known value and the sum of the known values. Costs and features of later turns
/// have no influence.
///
/// A value that does not exist is minus infinity: the costs before the first turn
/// and if they are unknown, a trend or spread of costs of 0, a growth of fewer than two turns, a cap that is not set,
/// and a feature without a known value. A decision tree can separate it from all numbers by a threshold; other models
/// should replace it.
///
/// Keys of the run are texts and have no column; see [`Prefix::key`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct PrefixFeatures {
    resource: String,
    others: Vec<String>,
    features: Vec<String>,
}

impl PrefixFeatures {
    /// The number that marks a missing value. It is below every other number.
    pub(crate) const MISSING: f64 = f64::NEG_INFINITY;

    /// Chooses the columns of the vectors for estimates of a resource, from the resources and the features that the
    /// rollout's collection declares.
    ///
    /// Resources and features of a prefix are found by their names. If a prefix of another collection or of a
    /// [`RecordedRun`](crate::RecordedRun) lacks one, its columns are minus infinity.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] for a handle from other rollouts.
    pub(crate) fn new(rollout: &Rollout<'_>, resource: Resource) -> Result<Self, Error> {
        let rollouts = rollout.rollouts;
        let estimated = rollouts.column(resource)?.name.clone();
        let others = rollouts.columns.iter().map(|column| &column.name);
        Ok(Self {
            others: others.filter(|&name| *name != estimated).cloned().collect(),
            resource: estimated,
            features: rollouts.features.iter().map(|feature| feature.name.clone()).collect(),
        })
    }

    #[cfg(feature = "serde")]
    pub(crate) fn resource_name(&self) -> &str {
        &self.resource
    }

    /// Returns the number of columns.
    pub(crate) fn len(&self) -> usize {
        let (others, features) = (self.others.len(), self.features.len());
        ESTIMATED + others * OTHER + features * FEATURE
    }

    /// Appends the vector of a prefix, one number per column.
    ///
    /// Takes O(1) per column. It allocates only if the rows exceed the capacity of the vector.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] for a prefix of another resource.
    pub(crate) fn append_to(&self, row: &mut Vec<f64>, prefix: &Prefix<'_>) -> Result<(), Error> {
        let (rollouts, k) = (prefix.rollouts, prefix.turns());
        let columns = &rollouts.columns;
        let estimated = columns.get(prefix.resource().index);
        if estimated.is_none_or(|column| column.name != self.resource) {
            return Err(Error::unlike("the estimated resource"));
        }
        row.push(k as f64);
        row.extend(of_estimated(k, &prefix.usage()));
        for (at, name) in self.others.iter().enumerate() {
            // The other resources exclude the estimated one.
            let near = at + usize::from(at >= prefix.resource().index);
            let column = find(columns, near, |column| column.name == *name);
            row.extend(column.map_or([Self::MISSING; OTHER], |column| of_other(prefix, column)));
        }
        for (at, name) in self.features.iter().enumerate() {
            let column = find(&rollouts.features, at, |feature| feature.name == *name);
            let first = prefix.start + prefix.rollout;
            let known = column.and_then(|column| column.after(prefix.rollout, first, k));
            row.extend(known.map_or([Self::MISSING; FEATURE], |(latest, sum)| [latest, sum]));
        }
        Ok(())
    }
}

/// Returns the entry that satisfies a condition. It is probably the entry at `near`.
#[inline]
fn find<T>(entries: &[T], near: usize, is_it: impl Fn(&T) -> bool) -> Option<&T> {
    let likely = entries.get(near).filter(|entry| is_it(entry));
    likely.or_else(|| entries.iter().find(|entry| is_it(entry)))
}

#[inline]
fn of_estimated(k: usize, usage: &Usage<'_>) -> [f64; ESTIMATED - 1] {
    let (costs, spent) = (usage.costs(), usage.total());
    let spent_after = |turns: usize| {
        let sum = turns.checked_sub(1).and_then(|last| usage.cumulative().get(last));
        sum.copied().unwrap_or(0.0)
    };
    let missing = PrefixFeatures::MISSING;
    let mean = |from: usize, to: usize| {
        if from == to {
            return missing;
        }
        (spent_after(to) - spent_after(from)) / (to - from) as f64
    };
    let mean_cost = mean(0, k);
    let recent = mean(k.saturating_sub(RECENT), k);
    let (largest, squares) = usage.seen().map_or((missing, 0.0), |it| (it.largest, it.squares));
    let (trend, spread) = if mean_cost > 0.0 {
        (recent / mean_cost, (squares / k as f64).sqrt() / mean_cost)
    } else {
        (missing, missing)
    };
    [
        spent,
        costs.last().copied().unwrap_or(missing),
        mean_cost,
        recent,
        largest,
        trend,
        spread,
        usage.left().unwrap_or(missing),
        usage.cap().map_or(missing, |cap| share(spent, cap)),
    ]
}

fn share(spent: f64, cap: f64) -> f64 {
    if cap > 0.0 { (spent / cap).min(MOST) } else { 1.0 }
}

#[inline]
fn of_other(prefix: &Prefix<'_>, column: &Column) -> [f64; OTHER] {
    let (missing, k) = (PrefixFeatures::MISSING, prefix.turns());
    let at = |turn: usize| {
        // Turns count from 1.
        let at = (1..=k).contains(&turn).then(|| prefix.start + turn - 1);
        let cost = at.and_then(|at| column.costs.get(at)).copied();
        cost.filter(|cost| !cost.is_nan())
    };
    let spent = match k.checked_sub(1) {
        None => Some(0.0),
        Some(last) => column.cumulative.get(prefix.start + last).copied(),
    };
    let spent = spent.filter(|spent| !spent.is_nan());
    let since = |turn: usize| at(k).zip(at(turn)).filter(|_| k > 1);
    let growth = |turn: usize| since(turn).map_or(missing, |(last, first)| last - first);
    let cap = column.cap(prefix.rollout);
    [
        spent.unwrap_or(missing),
        at(1).unwrap_or(missing),
        at(k).unwrap_or(missing),
        growth(1),
        growth(k.saturating_sub(1)),
        spent.zip(cap).map_or(missing, |(spent, cap)| share(spent, cap)),
    ]
}

#[cfg(test)]
mod tests;
