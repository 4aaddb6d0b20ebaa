/// The key that every collection has.
pub(crate) const TASK: &str = "task";

/// One key of all rollouts, such as the model.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct KeyColumn {
    pub(crate) name: String,
    /// One per rollout, up to the last rollout that has this key.
    pub(super) values: Vec<Option<String>>,
}

impl KeyColumn {
    pub(crate) const fn new(name: String) -> Self {
        Self { name, values: Vec::new() }
    }

    pub(crate) fn get(&self, rollout: usize) -> Option<&str> {
        self.values.get(rollout)?.as_deref()
    }

    pub(crate) fn set(&mut self, rollout: usize, value: String) {
        if self.values.len() <= rollout {
            self.values.resize(rollout + 1, None);
        }
        self.values[rollout] = Some(value);
    }
}

/// One numeric feature of all turns, such as the number of tool errors.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct FeatureColumn {
    pub(crate) name: String,
    /// One per turn of each rollout, from turn 0; up to the last that was needed.
    pub(super) entries: Vec<Entry>,
    /// For each rollout, the number of filled entries. The last of them is the last known value.
    #[cfg_attr(feature = "serde", serde(skip))]
    filled: Vec<usize>,
}

/// The values known after one turn. NaN marks a missing number. Only the value is stored.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(from = "Option<f64>", into = "Option<f64>"))]
pub(super) struct Entry {
    value: f64,
    /// The latest known value up to this turn.
    latest: f64,
    /// The sum of the known values up to this turn.
    sum: f64,
}

const NOTHING: Entry = Entry { value: f64::NAN, latest: f64::NAN, sum: f64::NAN };

impl From<Option<f64>> for Entry {
    fn from(value: Option<f64>) -> Self {
        Self { value: value.unwrap_or(f64::NAN), ..NOTHING }
    }
}

impl From<Entry> for Option<f64> {
    fn from(entry: Entry) -> Self {
        Some(entry.value).filter(|value| !value.is_nan())
    }
}

impl FeatureColumn {
    pub(crate) const fn new(name: String) -> Self {
        Self { name, entries: Vec::new(), filled: Vec::new() }
    }

    /// Returns the value of a turn of a rollout whose turn 0 has the position `first`.
    pub(crate) fn get(&self, rollout: usize, first: usize, turn: usize) -> Option<f64> {
        if turn >= *self.filled.get(rollout)? {
            return None;
        }
        (*self.entries.get(first + turn)?).into()
    }

    /// Returns the latest known value and the sum of the known values after some turns; `None` if no value is
    /// known.
    #[inline]
    pub(crate) fn after(&self, rollout: usize, first: usize, turns: usize) -> Option<(f64, f64)> {
        let filled = self.filled.get(rollout)?;
        let entry = self.entries.get(first + filled.checked_sub(1)?.min(turns))?;
        (!entry.latest.is_nan()).then_some((entry.latest, entry.sum))
    }

    pub(crate) fn set(&mut self, rollout: usize, first: usize, turn: usize, value: f64) {
        if self.filled.len() <= rollout {
            self.filled.resize(rollout + 1, 0);
        }
        if self.entries.len() <= first + turn {
            self.entries.resize(first + turn + 1, NOTHING);
        }
        let filled = self.filled.get_mut(rollout);
        let Some((filled, entries)) = filled.zip(self.entries.get_mut(first..)) else { return };
        if let Some(entry) = entries.get_mut(turn) {
            entry.value = value;
        }
        let from = turn.min(*filled);
        *filled = (*filled).max(turn + 1);
        let mut before = from.checked_sub(1).and_then(|at| entries.get(at)).copied();
        for entry in entries.iter_mut().take(*filled).skip(from) {
            let (latest, sum) = before.map_or((f64::NAN, f64::NAN), |it| (it.latest, it.sum));
            (entry.latest, entry.sum) = match entry.value {
                value if value.is_nan() => (latest, sum),
                value if sum.is_nan() => (value, value),
                value => (value, sum + value),
            };
            before = Some(*entry);
        }
    }

    /// Copies the first turns of a rollout from another collection. Positions refer to the rollout and to its
    /// turn 0.
    pub(crate) fn copy(
        &mut self,
        to: (usize, usize),
        other: &Self,
        from: (usize, usize),
        turns: usize,
    ) {
        for turn in 0..=turns {
            if let Some(value) = other.get(from.0, from.1, turn) {
                self.set(to.0, to.1, turn, value);
            }
        }
    }
}
