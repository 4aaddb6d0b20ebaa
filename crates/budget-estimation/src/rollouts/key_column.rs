/// The key that every collection has.
pub(crate) const TASK: &str = "task";

/// One key of all rollouts, such as the model.
#[derive(Clone, Debug)]
pub(crate) struct KeyColumn {
    pub(crate) name: String,
    /// One per rollout, up to the last rollout that has this key.
    values: Vec<Option<String>>,
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
        if let Some(entry) = self.values.get_mut(rollout) {
            *entry = Some(value);
        }
    }
}
