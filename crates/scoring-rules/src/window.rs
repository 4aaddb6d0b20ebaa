use crate::{Probability, StepWeights};

/// Runs of up to this many steps are summed through a window of just as many.
pub(crate) const WINDOW: usize = 16;

pub(crate) type Window = [Probability; WINDOW];

/// Hands on the last sixteen steps up to the end of a short run. Those before its start belong to
/// other runs, or stand in for them; whoever sums must give them no weight.
///
/// A loop over sixteen steps has no branch that depends on the length of the run. The length of the
/// next run is what a processor cannot foresee, and a wrong guess costs more than the idle steps.
#[inline(always)]
pub(crate) fn with_window<T>(
    forecasts: &[Probability],
    start: usize,
    end: usize,
    sum: impl Fn(&Window) -> T,
) -> T {
    let run = &forecasts[..end];
    match run.last_chunk::<WINDOW>() {
        Some(window) => sum(window),
        None => {
            let mut window = [Probability::HALF; WINDOW];
            window[WINDOW - (end - start)..].copy_from_slice(&run[start..]);
            sum(&window)
        }
    }
}

/// The weighted sum of a score that is finite everywhere, over the run from `start` to `end`.
///
/// The bits depend on the run alone, not on what stands before it.
#[inline(always)]
pub(crate) fn sum_of_finite(
    weights: StepWeights,
    forecasts: &[Probability],
    start: usize,
    end: usize,
    score: impl Fn(Probability) -> f64,
) -> f64 {
    let n = end - start;
    if n > WINDOW {
        return weights.sum(&forecasts[start..end], score);
    }
    let weights = &weights_table(weights)[n];
    with_window(forecasts, start, end, |window| {
        let mut sums = [0.0; 4];
        for (weights, steps) in weights.as_chunks::<4>().0.iter().zip(window.as_chunks::<4>().0) {
            for lane in 0..4 {
                sums[lane] += weights[lane] * score(steps[lane]);
            }
        }
        (sums[0] + sums[2]) + (sums[1] + sums[3])
    })
}

type Table = [[f64; WINDOW]; WINDOW + 1];

/// Row n has the weights of a run of n steps at its end, zeros before.
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

#[inline]
fn weights_table(weights: StepWeights) -> &'static Table {
    match weights {
        StepWeights::Equal => &EQUAL,
        StepWeights::Falling => &FALLING,
        StepWeights::Rising => &RISING,
    }
}

/// Row n has a one wherever a run of n steps has none of its own.
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

/// For a run of n steps, 0 at each of its places in the window and 1 at all others: the least that a
/// factor may be, so that those of other runs become one.
#[inline]
pub(crate) fn outside(n: usize) -> &'static [f64; WINDOW] {
    &OUTSIDE[n]
}
