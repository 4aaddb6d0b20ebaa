use crate::{
    error::Error,
    replay::sample::{Sample, SampledRun},
    resource::Resource,
    rollouts::storage::Rollouts,
};

/// One run with its samples.
pub(super) struct Run<'a> {
    pub(super) feasible: bool,
    pub(super) total: f64,
    pub(super) samples: &'a [Sample],
    /// The position of its first sample among all samples.
    pub(super) first: usize,
}

/// The runs of some rollouts, each with its part of the samples, after checks that they match.
pub(super) struct SampledRuns<'a> {
    rollouts: &'a Rollouts,
    resource: Resource,
    samples: &'a [Sample],
    next: usize,
    at: usize,
}

impl<'a> SampledRuns<'a> {
    pub(super) fn new(
        rollouts: &'a Rollouts,
        resource: Resource,
        samples: &'a [Sample],
    ) -> Result<Self, Error> {
        let key = |sample: &Sample| (sample.rollout(), sample.turn());
        for (i, pair) in samples.windows(2).enumerate() {
            if let [before, after] = pair
                && key(before) >= key(after)
            {
                return Err(Error::SampleOrder { sample: i + 1 });
            }
        }
        let name = |resource| rollouts.column(resource).map(|column| column.name.clone());
        let expected = name(resource)?;
        if let Some(sample) = samples.iter().position(|sample| sample.resource() != resource) {
            let found = samples.get(sample).map_or(Ok(String::new()), |s| name(s.resource()))?;
            return Err(Error::OtherResource { sample, expected, found });
        }
        if let Some(last) = samples.last() {
            rollouts.get(last.rollout())?;
        }
        Ok(Self { rollouts, resource, samples, next: 0, at: 0 })
    }

    fn run(&mut self, index: usize) -> Result<Run<'a>, Error> {
        let rollout = self.rollouts.get(index)?;
        let rest = self.samples.get(self.at..).unwrap_or_default();
        let end = rest.partition_point(|sample| sample.rollout() <= index);
        let first = self.at;
        self.at += end;
        let usage = rollout.usage(self.resource)?;
        let run = SampledRun::new(&rollout, self.resource)?;
        let samples = rest.get(..end).unwrap_or_default();
        for (i, sample) in samples.iter().enumerate() {
            // The handle of a resource is only a position, which has another meaning in other rollouts.
            let turn = sample.turn();
            if turn >= rollout.turns()
                || run
                    .sample(turn, usage.first(turn), sample.estimate())?
                    .with_reading(sample.reading())
                    != *sample
            {
                return Err(Error::OtherRollouts { sample: first + i, rollout: index });
            }
        }
        Ok(Run { feasible: rollout.is_feasible()?, total: usage.total(), samples, first })
    }
}

impl<'a> Iterator for SampledRuns<'a> {
    type Item = Result<Run<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.rollouts.len() {
            return None;
        }
        self.next += 1;
        Some(self.run(index))
    }
}
