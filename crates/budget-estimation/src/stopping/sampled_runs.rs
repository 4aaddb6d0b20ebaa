use crate::{
    error::Error,
    replay::sample::{Sample, SampledRun},
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts},
};

/// One run with its samples.
pub(super) struct Run<'a> {
    pub(super) feasible: bool,
    pub(super) total: f64,
    pub(super) samples: &'a [Sample],
    /// The position of its first sample among all samples.
    pub(super) first: usize,
}

/// Returns the runs of some rollouts, each with its part of the samples, after checks that they match.
pub(super) fn sampled_runs<'a>(
    rollouts: &Rollouts,
    resource: Resource,
    samples: &'a [Sample],
) -> Result<Vec<Run<'a>>, Error> {
    let key = |sample: &Sample| (sample.rollout(), sample.turn());
    if let Some(i) = samples.windows(2).position(|pair| key(&pair[0]) >= key(&pair[1])) {
        let problem = "is out of order; sort samples by rollout and turn, with each prefix once";
        return Err(Error::Sample { sample: i + 1, problem: problem.to_owned() });
    }
    let name = |resource| rollouts.column(resource).map(|column| column.name.clone());
    let expected = name(resource)?;
    if let Some(sample) = samples.iter().position(|sample| sample.resource() != resource) {
        let rollout = samples[sample].rollout();
        let found = name(samples[sample].resource());
        return Err(found.map_or_else(
            |_| other_rollouts(sample, rollout),
            |found| {
                let problem = format!("belongs to {found}; give only samples of {expected}");
                Error::Sample { sample, problem }
            },
        ));
    }
    if let Some(last) = samples.last() {
        rollouts.get(last.rollout())?;
    }
    let mut first = 0;
    let run = |rollout: Rollout<'_>| {
        let rest = &samples[first..];
        let samples = &rest[..rest.partition_point(|it| it.rollout() <= rollout.index())];
        let (usage, run) = (rollout.usage(resource)?, SampledRun::new(&rollout, resource)?);
        for (i, sample) in samples.iter().enumerate() {
            let turn = sample.turn();
            let of_run = || run.sample(turn, usage.first(turn), sample.estimate());
            if turn >= rollout.turns() || of_run()?.with_reading(sample.reading()) != *sample {
                return Err(other_rollouts(first + i, rollout.index()));
            }
        }
        first += samples.len();
        let (feasible, total) = (rollout.is_feasible()?, usage.total());
        Ok(Run { feasible, total, samples, first: first - samples.len() })
    };
    rollouts.iter().map(run).collect()
}

#[cold]
fn other_rollouts(sample: usize, rollout: usize) -> Error {
    let problem = format!(
        "does not match rollout {rollout}; give the samples together with the rollouts that they were made from"
    );
    Error::Sample { sample, problem }
}
