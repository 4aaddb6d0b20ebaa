use crate::{
    loops::{runs::Runs, step_weights::StepWeights},
    values::probability::Probability,
    wide::wide,
};

/// The largest number of steps of a run that is summed in a window of fixed length.
pub(crate) const WINDOW: usize = 16;

pub(crate) type Window = [Probability; WINDOW];

/// Calls `sum` with the sixteen steps up to the end of a short run. Steps before its start belong to
/// other runs, or are padding; `sum` must not count them.
///
/// A loop over sixteen steps has no branch that depends on the length of the run. A processor cannot
/// predict the length of the next run, and a wrong prediction costs more than the idle steps.
#[inline(always)]
pub(crate) fn with_window<T>(
    forecasts: &[Probability],
    start: usize,
    end: usize,
    sum: impl Fn(&Window) -> T,
) -> T {
    let padded;
    let window = match forecasts[..end].last_chunk::<WINDOW>() {
        Some(window) => window,
        None => {
            padded = pad(&forecasts[start..end]);
            &padded
        }
    };
    sum(window)
}

/// Copies a run with too few steps before it to the end of a window.
#[cold]
#[inline(never)]
fn pad(run: &[Probability]) -> Window {
    let mut window = [Probability::HALF; WINDOW];
    window[WINDOW - run.len()..].copy_from_slice(run);
    window
}

/// Sets `sums[i]` to the weighted sum over run i of a score that is always finite. `rule` gives the score for an outcome.
///
/// The bits depend only on the run, not on the steps before it.
#[inline(always)]
pub(crate) fn sums_of_finite<R: Fn(Probability) -> f64>(
    weights: StepWeights,
    runs: Runs<'_>,
    sums: &mut [f64],
    rule: impl Fn(bool) -> R,
) {
    wide(
        #[inline(always)]
        move || {
            let (forecasts, mut runs) = (runs.forecasts, runs.iter());
            let add = |[a, b, c, d]: [f64; LANES]| (a + c) + (b + d);
            if let [sum] = sums {
                if let Some((start, end, outcome)) = runs.next() {
                    *sum = add(lanes_of_finite(weights, forecasts, start, end, rule(outcome)));
                }
                return;
            }
            // All lanes are stored before any are added, so that a window is a few wide operations.
            let mut lanes = [[0.0; LANES]; BATCH];
            for sums in sums.chunks_mut(BATCH) {
                let mut n = 0;
                for (lanes, (start, end, outcome)) in lanes[..sums.len()].iter_mut().zip(&mut runs)
                {
                    *lanes = lanes_of_finite(weights, forecasts, start, end, rule(outcome));
                    n += 1;
                }
                for (sum, &lanes) in sums.iter_mut().zip(&lanes[..n]) {
                    *sum = add(lanes);
                }
            }
        },
    );
}

/// The number of independent partial sums of a window.
const LANES: usize = 4;

/// The number of runs whose partial sums are stored.
pub(crate) const BATCH: usize = 64;

#[inline(always)]
fn lanes_of_finite(
    weights: StepWeights,
    forecasts: &[Probability],
    start: usize,
    end: usize,
    score: impl Fn(Probability) -> f64,
) -> [f64; LANES] {
    let n = end - start;
    if n > WINDOW {
        return [weights.sum(&forecasts[start..end], score), 0.0, 0.0, 0.0];
    }
    let weights = &weights_table(weights)[n];
    with_window(
        forecasts,
        start,
        end,
        #[inline(always)]
        |window| {
            let mut sums = [0.0; LANES];
            let steps = window.as_chunks::<LANES>().0;
            for (weights, steps) in weights.as_chunks::<LANES>().0.iter().zip(steps) {
                for lane in 0..LANES {
                    sums[lane] += weights[lane] * score(steps[lane]);
                }
            }
            sums
        },
    )
}

type Table = [[f64; WINDOW]; WINDOW + 1];

/// Row n ends with the weights of a run of n steps, after zeros.
const fn table(weights: StepWeights) -> Table {
    let mut rows = [[0.0; WINDOW]; WINDOW + 1];
    let mut n = 0;
    while n <= WINDOW {
        let mut step = 0;
        while step < n {
            rows[n][WINDOW - n + step] = match weights {
                StepWeights::Equal => 1.0,
                StepWeights::Falling => (n - step) as f64,
                StepWeights::Rising => (step + 1) as f64,
            };
            step += 1;
        }
        n += 1;
    }
    rows
}

static EQUAL: Table = table(StepWeights::Equal);
static FALLING: Table = table(StepWeights::Falling);
static RISING: Table = table(StepWeights::Rising);

#[inline(always)]
fn weights_table(weights: StepWeights) -> &'static Table {
    match weights {
        StepWeights::Equal => &EQUAL,
        StepWeights::Falling => &FALLING,
        StepWeights::Rising => &RISING,
    }
}

/// Row n has a 1 wherever `EQUAL` has a 0, and a 0 elsewhere.
static OUTSIDE: Table = {
    let mut rows = EQUAL;
    let mut n = 0;
    while n <= WINDOW {
        let mut step = 0;
        while step < WINDOW {
            rows[n][step] = 1.0 - rows[n][step];
            step += 1;
        }
        n += 1;
    }
    rows
};

/// The lower limits of the factors in a window: 0 for the n steps of the run, and 1 for the others,
/// which thereby become 1.
#[inline]
pub(crate) fn outside(n: usize) -> &'static [f64; WINDOW] {
    &OUTSIDE[n]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_is_one_before_a_run_at_the_end_of_the_window_and_zero_within() {
        for n in 0..=WINDOW {
            let (before, within) = outside(n).split_at(WINDOW - n);
            assert!(before.iter().all(|&one| one == 1.0) && within.iter().all(|&zero| zero == 0.0));
        }
    }
}
