use scoring_rules::{ExactMean, ExactSum, Weight};

/// A sum of weights; whole numbers where all weights are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    ones: u64,
    others: ExactSum,
}

impl Tally {
    #[inline]
    pub(crate) fn add(&mut self, weight: Weight) {
        if weight == Weight::ONE {
            self.ones += 1;
        } else {
            self.others.add(weight.get());
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.ones += other.ones;
        self.others.merge(&other.others);
    }

    pub(crate) fn value(&self) -> f64 {
        let mut sum = self.others.clone();
        sum.add(self.ones as f64);
        sum.value()
    }
}

/// Takes a value into a mean.
#[inline]
pub(crate) fn take(mean: &mut ExactMean, value: f64, weight: Weight) {
    if weight == Weight::ONE {
        mean.update(value);
    } else {
        mean.update_weighted(value, weight);
    }
}

/// The mean, where there was anything of positive weight.
pub(crate) fn mean(mean: &ExactMean) -> Option<f64> {
    mean.finish().ok()
}
