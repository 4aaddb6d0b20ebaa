use crate::{
    error::Error,
    rollouts::{
        key_column::{KeyColumn, TASK},
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

    /// Sets a key of a rollout.
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

    /// Sets the task of a rollout, which is its key `task`. Several rollouts may have the same task.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] if there is no rollout at this position.
    pub fn set_task(&mut self, rollout: usize, task: impl Into<String>) -> Result<(), Error> {
        self.set_key(rollout, TASK, task)
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

    /// Returns the task of the run, which is its key `task`; `None` if unknown.
    #[must_use]
    pub fn task(&self) -> Option<&'a str> {
        self.key(TASK)
    }
}
