use crate::{
    checks::MOST,
    error::Error,
    rollouts::{
        declared_column::{FeatureColumn, KeyColumn},
        rollout::Rollout,
        storage::Rollouts,
    },
};

impl Rollouts {
    /// Declares keys: texts that are known before the first turn of a run, such as its model or domain.
    /// The key `task` exists in every collection.
    ///
    /// A [`Prefix`](crate::Prefix) shows the keys of its run, and JSON Lines have a field of that name.
    ///
    /// # Errors
    ///
    /// [`Error::ColumnName`] for a name that is empty, taken, or a field of the JSON Lines with another
    /// meaning.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?.with_keys(["model"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// rollouts.set_key(0, "model", "small")?;
    /// let before = rollouts.get(0)?.probe(rollouts.resource("tokens")?)?;
    /// assert_eq!((before.key("model"), before.key("task")), (Some("small"), None));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_keys<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        for name in names {
            let name = self.new_column_name(name.into())?;
            self.keys.push(KeyColumn::new(name));
        }
        Ok(self)
    }

    /// Sets the value of a declared key, or of `task`, for a rollout.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`] if the key is not declared; [`Error::NoSuchRollout`] if there is no
    /// rollout at this position.
    pub fn set_key(
        &mut self,
        rollout: usize,
        name: &str,
        value: impl Into<String>,
    ) -> Result<(), Error> {
        let rollouts = self.len();
        let found = self.keys.iter_mut().find(|key| key.name == name);
        let key = found.ok_or_else(|| Error::NoSuchColumn { name: name.to_owned() })?;
        if rollout >= rollouts {
            return Err(Error::NoSuchRollout { rollout, rollouts });
        }
        key.set(rollout, value.into());
        Ok(())
    }

    /// Returns the names of the keys: `task`, and the names given to [`Rollouts::with_keys`].
    pub fn key_names(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.name.as_str())
    }

    /// Returns the keys of a rollout that have a value.
    pub(crate) fn keys_of(&self, rollout: usize) -> impl Iterator<Item = (&str, &str)> {
        self.keys.iter().filter_map(move |key| Some((key.name.as_str(), key.get(rollout)?)))
    }

    pub(crate) fn key_of(&self, rollout: usize, name: &str) -> Option<&str> {
        self.keys.iter().find(|key| key.name == name)?.get(rollout)
    }
}

impl<'a> Rollout<'a> {
    /// Returns the value of a key; `None` if the run has no such value. See [`Rollouts::with_keys`].
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'a str> {
        self.rollouts.key_of(self.index, name)
    }

    /// Returns the names and values of all keys that have a value, in the order of their declaration after
    /// `task`.
    pub fn keys(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.rollouts.keys_of(self.index)
    }
}

impl Rollouts {
    /// Declares numeric features of turns, such as the number of tool errors or of passed tests.
    ///
    /// A [`Prefix`](crate::Prefix) shows the features of its completed turns, and each turn of the JSON Lines
    /// has a field of that name.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::with_keys`].
    pub fn with_features<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        for name in names {
            let name = self.new_column_name(name.into())?;
            self.features.push(FeatureColumn::new(name));
        }
        Ok(self)
    }

    /// Sets a feature of a turn, counted from 1. With turn 0, sets a feature that is known before the first turn.
    ///
    /// Takes O(1) if the features of a run are set in the order of its turns.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchColumn`] if the feature is not declared; [`Error::Feature`] for a value that is
    /// not from -1e100 to 1e100; [`Error::NoSuchRollout`] if there is no rollout at this position;
    /// [`Error::NoSuchTurn`] if it has fewer turns.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?.with_features(["tool_errors"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// rollouts.set_feature(0, 1, "tool_errors", 2.0)?;
    /// rollouts.set_feature(0, 2, "tool_errors", 0.0)?;
    /// let tokens = rollouts.resource("tokens")?;
    /// let first = rollouts.get(0)?.replay(tokens)?.next().ok_or(scoring_rules::Error::Empty)?;
    /// assert_eq!(first.feature(1, "tool_errors"), Some(2.0));
    /// assert_eq!(first.feature(2, "tool_errors"), None);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_feature(
        &mut self,
        rollout: usize,
        turn: usize,
        name: &str,
        value: f64,
    ) -> Result<(), Error> {
        let run = self.get(rollout)?;
        let (turns, first) = (run.turns(), run.first_feature());
        if turn > turns {
            return Err(Error::NoSuchTurn { rollout, turn, turns });
        }
        let found = self.features.iter_mut().find(|feature| feature.name == name);
        let feature = found.ok_or_else(|| Error::NoSuchColumn { name: name.to_owned() })?;
        if !(-MOST..=MOST).contains(&value) {
            return Err(Error::Feature { rollout, turn, name: name.to_owned(), value });
        }
        // Negative zero becomes zero.
        feature.set(rollout, first, turn, value + 0.0);
        Ok(())
    }

    /// Returns the names of the features, as given to [`Rollouts::with_features`].
    pub fn feature_names(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(|feature| feature.name.as_str())
    }
}

impl Rollout<'_> {
    /// Returns the position of turn 0 in a column of features.
    #[inline]
    pub(crate) const fn first_feature(&self) -> usize {
        self.start + self.index
    }

    /// Returns a feature of a turn, 0 to T; `None` if it is unknown. See [`Rollouts::with_features`].
    #[must_use]
    pub fn feature(&self, turn: usize, name: &str) -> Option<f64> {
        let column = self.rollouts.features.iter().find(|feature| feature.name == name)?;
        column.get(self.index, self.first_feature(), turn)
    }
}
