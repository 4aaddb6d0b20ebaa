use crate::Usage;

/// One resource of all rollouts.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// One a turn; a NaN where it is not known.
    pub(crate) costs: Vec<f64>,
    /// The sum of the run so far; a NaN from the first unknown cost of the run on.
    pub(crate) cumulative: Vec<f64>,
    /// One a rollout; plus infinity where there is none.
    pub(crate) caps: Vec<f64>,
    /// The cap of rollouts to come.
    pub(crate) cap: f64,
}

impl Column {
    pub(crate) fn new(name: String) -> Self {
        let (costs, cumulative, caps) = Default::default();
        Self { name, costs, cumulative, caps, cap: f64::INFINITY }
    }

    #[inline]
    pub(crate) fn cap(&self, rollout: usize) -> Option<f64> {
        self.caps.get(rollout).copied().filter(|cap| cap.is_finite())
    }

    /// The first turns of a rollout, where all of their costs are known.
    #[inline]
    pub(crate) fn usage(&self, rollout: usize, start: usize, turns: usize) -> Option<Usage<'_>> {
        let costs = self.costs.get(start..start + turns)?;
        let cumulative = self.cumulative.get(start..start + turns)?;
        if cumulative.last().is_some_and(|total| total.is_nan()) {
            return None;
        }
        Some(Usage { costs, cumulative, cap: *self.caps.get(rollout)? })
    }

    pub(crate) fn push(&mut self, costs: impl Iterator<Item = f64>) {
        let mut total = 0.0;
        for cost in costs {
            total += cost;
            self.costs.push(cost);
            self.cumulative.push(total);
        }
        self.caps.push(self.cap);
    }
}
