#[cfg(feature = "serde")]
use std::collections::BTreeMap;

#[cfg(feature = "serde")]
use crate::rollouts::{
    feature_column::FeatureColumn,
    key_column::{KeyColumn, TASK},
};
use crate::{
    error::Error, replay::prefix::Prefix, resource::Resource, rollouts::storage::Rollouts,
};

/// A run that has not ended: its turns so far, about which an estimator can be asked.
///
/// After k turns it shows the same prefix as a replay of the finished run.
///
/// ```
/// use budget_estimation::{Error, Estimate, Estimator, LinearEstimator, LiveRun};
///
/// let mut run = LiveRun::new(["input_tokens", "output_tokens"])?;
/// let output = run.resource("output_tokens")?;
/// run.set_cap(output, 500.0)?;
/// run.push(&[Some(900.0), Some(50.0)])?;
/// run.push(&[Some(1000.0), Some(70.0)])?;
///
/// let mut linear = LinearEstimator::new(5.0, 0.5)?;
/// let estimate = linear.estimate(&run.prefix(output)?)?;
/// assert_eq!(estimate, Estimate::interval(90.0, 270.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct LiveRun {
    /// One rollout, without a turn at first.
    rollouts: Rollouts,
}

impl LiveRun {
    /// A run before its first turn; each turn spends the resources with these names.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::new`].
    pub fn new<N: Into<String>>(resources: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        let mut rollouts = Rollouts::new(resources)?;
        rollouts.begin();
        Ok(Self { rollouts })
    }

    /// Declares keys of the run, such as its model; see [`Rollouts::with_keys`].
    ///
    /// # Errors
    ///
    /// As [`Rollouts::with_keys`].
    pub fn with_keys<N: Into<String>>(
        self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        Ok(Self { rollouts: self.rollouts.with_keys(names)? })
    }

    /// Declares numeric features of turns; see [`Rollouts::with_features`].
    ///
    /// # Errors
    ///
    /// As [`Rollouts::with_features`].
    pub fn with_features<N: Into<String>>(
        self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        Ok(Self { rollouts: self.rollouts.with_features(names)? })
    }

    /// The handle of a resource.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::resource`].
    pub fn resource(&self, name: &str) -> Result<Resource, Error> {
        self.rollouts.resource(name)
    }

    /// Sets the cap on a resource.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::set_cap`].
    pub fn set_cap(&mut self, resource: Resource, cap: f64) -> Result<(), Error> {
        self.rollouts.set_cap(resource, cap)
    }

    /// Appends a turn with its cost of each resource; `None` for an unknown cost.
    ///
    /// # Errors
    ///
    /// [`Error::CostCount`] unless there is one cost per resource; [`Error::Cost`] for a cost that is
    /// not from 0 to 1e100. Nothing is appended.
    pub fn push(&mut self, costs: &[Option<f64>]) -> Result<(), Error> {
        self.rollouts.continue_with(costs)
    }

    /// Sets the content of a completed turn, or with turn 0 of what was known before the first turn; see
    /// [`Rollouts::set_content`].
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTurn`] for a turn that is not completed.
    pub fn set_content(&mut self, turn: usize, content: impl Into<String>) -> Result<(), Error> {
        self.rollouts.set_content(0, turn, content)
    }

    /// Sets a key, such as `task`, which is known before the first turn.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`] if the key is not declared.
    pub fn set_key(&mut self, name: &str, value: impl Into<String>) -> Result<(), Error> {
        self.rollouts.set_key(0, name, value)
    }

    /// Sets a feature of a completed turn, or with turn 0 of what was known before the first turn; see
    /// [`Rollouts::set_feature`].
    ///
    /// # Errors
    ///
    /// As [`Rollouts::set_feature`].
    pub fn set_feature(&mut self, turn: usize, name: &str, value: f64) -> Result<(), Error> {
        self.rollouts.set_feature(0, turn, name, value)
    }

    /// What is known now, for an estimate of this resource.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if one of its costs is unknown; [`Error::NoSuchResource`] for a handle
    /// from other runs.
    pub fn prefix(&self, resource: Resource) -> Result<Prefix<'_>, Error> {
        let rollout = self.rollouts.get(0)?;
        let usage = rollout.usage(resource)?;
        Ok(super::prefix::prefix(&rollout, resource, usage, rollout.turns()))
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    resources: Vec<StoredResource>,
    turns: Vec<Vec<Option<f64>>>,
    /// By turn, 0 being before the first turn.
    #[serde(default)]
    contents: BTreeMap<usize, String>,
    /// The declared keys in their order.
    #[serde(default)]
    keys: Vec<(String, Option<String>)>,
    /// The declared features in their order, with the known values by turn.
    #[serde(default)]
    features: Vec<(String, BTreeMap<usize, f64>)>,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct StoredResource {
    name: String,
    cap: Option<f64>,
}

#[cfg(feature = "serde")]
impl From<LiveRun> for Stored {
    fn from(run: LiveRun) -> Self {
        let columns = &run.rollouts.columns;
        let known = |cost: Option<&f64>| cost.copied().filter(|cost| !cost.is_nan());
        let turn = |at: usize| columns.iter().map(|column| known(column.costs.get(at))).collect();
        let turns = columns.first().map_or(0, |column| column.costs.len());
        let resource = |column: &crate::rollouts::column::Column| StoredResource {
            name: column.name.clone(),
            cap: column.cap(0),
        };
        let key = |key: &KeyColumn| (key.name.clone(), key.get(0).map(str::to_owned));
        let feature = |feature: &FeatureColumn| {
            let known = (0..=turns).filter_map(|turn| Some((turn, feature.get(0, 0, turn)?)));
            (feature.name.clone(), known.collect())
        };
        Self {
            resources: columns.iter().map(resource).collect(),
            turns: (0..turns).map(turn).collect(),
            contents: run.rollouts.contents.iter().map(|(&(_, k), it)| (k, it.clone())).collect(),
            keys: run.rollouts.keys.iter().map(key).collect(),
            features: run.rollouts.features.iter().map(feature).collect(),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for LiveRun {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let mut run = Self::new(stored.resources.iter().map(|resource| resource.name.as_str()))?;
        for StoredResource { name, cap } in &stored.resources {
            if let Some(cap) = *cap {
                run.set_cap(run.resource(name)?, cap)?;
            }
        }
        stored.turns.iter().try_for_each(|costs| run.push(costs))?;
        for (turn, content) in stored.contents {
            run.set_content(turn, content)?;
        }
        for (name, value) in stored.keys {
            if name != TASK {
                run = run.with_keys([name.as_str()])?;
            }
            if let Some(value) = value {
                run.set_key(&name, value)?;
            }
        }
        for (name, values) in stored.features {
            run = run.with_features([name.as_str()])?;
            values.into_iter().try_for_each(|(turn, value)| run.set_feature(turn, &name, value))?;
        }
        Ok(run)
    }
}
