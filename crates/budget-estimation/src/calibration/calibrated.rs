use scoring_rules::{Interval, Level};

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    calibration::{margin_unit::MarginUnit, online_calibrator::OnlineCalibrator},
    checks::setting,
    error::Error,
    estimates::estimate::Estimate,
    estimators::estimator::Estimator,
    replay::prefix::Prefix,
    resource::Resource,
    rollouts::rollout::Rollout,
};

scoring_rules::checked! {
    /// An estimator whose intervals are widened or narrowed, so that they contain what remained as often
    /// as they claim. Learns from each finished run.
    ///
    /// An interval `[low, high]` becomes `[low - q u, high + q u]`, with the calibrator's margin q and
    /// the unit u. A negative lower end becomes 0. The answer is `impossible` if the lower end exceeds what is
    /// left under a cap. An interval without a finite upper end, as before the first runs, and one that a
    /// negative margin reverses become no answer. Other answers pass unchanged.
    ///
    /// The calibrator learns from runs that succeeded within their caps, at every prefix, k = 1 to T - 1,
    /// with an interval of the estimator; the coverage therefore refers to prefixes of such runs. The
    /// estimator learns from a run after the calibrator.
    ///
    /// - [`with_stages`](Self::with_stages): a margin for each stage of a run, so that the coverage holds early
    ///   and late and not only on average.
    /// - [`with_separate_ends`](Self::with_separate_ends): a margin for each end, so that an estimator that is
    ///   too low or too high is corrected on that side.
    /// - [`with_clipped_ends`](Self::with_clipped_ends): no upper end above what is left under a cap.
    ///
    /// ```
    /// use budget_estimation::{
    ///     Calibrated, Error, Estimate, Level, MarginUnit, Rollouts, SplitConformal,
    ///     estimator_from_fn,
    /// };
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// for cost in [10.0, 14.0, 11.0, 13.0, 12.0, 13.5, 12.0] {
    ///     rollouts.push(&[5.0, cost, 5.0], true)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// // Always predicts exactly 10 more tokens.
    /// let point = estimator_from_fn(|_| Estimate::interval(10.0, 10.0));
    /// let split = SplitConformal::new(Level::new(0.8)?);
    /// let mut calibrated = Calibrated::new(point, split, MarginUnit::Resource);
    /// let samples = rollouts.score(tokens, &mut calibrated)?;
    /// // The margin is infinite up to the fourth run.
    /// assert_eq!(samples[7].estimate(), Estimate::NoAnswer);
    /// assert!(samples[8..].iter().all(|sample| sample.is_hit()));
    /// assert_eq!(samples[12].estimate(), Estimate::interval(1.0, 19.0)?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// References: Romano, Patterson, Candès (2019), Conformalized quantile regression, NeurIPS, theorems 1
    /// (one margin) and 2 (a margin for each end); for stages Vovk, Gammerman, Shafer (2005), Algorithmic
    /// Learning in a Random World, section 4.5 (Mondrian conformal prediction).
    #[derive(Clone, Debug, PartialEq)]
    pub struct Calibrated<E, C> {
        estimator: E,
        /// The calibrators, one per stage: of both ends, or of lower ends if `upper_ends` are not empty.
        calibrators: Vec<C>,
        /// The calibrators of upper ends, one per stage; empty if a stage has one margin for both ends.
        upper_ends: Vec<C>,
        /// The shares of a run at which later stages begin, rising.
        stage_starts: Vec<Level>,
        clipped: bool,
        unit: MarginUnit,
        /// For the current run: completed turns, and the interval of the estimator.
        given: Vec<(usize, Interval)>,
    }
    check: Self::check
}

impl<E: Estimator, C: OnlineCalibrator> Calibrated<E, C> {
    /// Combines an estimator and a calibrator, both before the first run.
    #[must_use]
    pub fn new(estimator: E, calibrator: C, unit: MarginUnit) -> Self {
        let (calibrators, upper_ends, stage_starts) = (vec![calibrator], Vec::new(), Vec::new());
        let (clipped, given) = (false, Vec::new());
        Self { estimator, calibrators, upper_ends, stage_starts, clipped, unit, given }
    }

    /// Gives each stage of a run a calibrator of its own, a copy of the present one. Call it before the
    /// first run.
    ///
    /// The stage of a prefix is known there: it is the share of the run that is past according to the
    /// estimator, `C_k / (C_k + m)` for a midpoint m of its interval. The first stage goes up to the first
    /// of `starts`, and the last one from the last of them on. A calibrator learns only from runs with
    /// a prefix in its stage, so few stages learn faster.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless each start is above the one before it.
    ///
    /// ```
    /// use budget_estimation::{
    ///     Calibrated, Error, Level, LinearEstimator, MarginUnit, OnlineCalibrator, Rollouts,
    ///     SplitConformal,
    /// };
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// for last in [10.0, 14.0, 11.0, 13.0, 12.0] {
    ///     rollouts.push(&[5.0, 5.0, last], true)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// // After one of three turns a third of the run is past, after two turns two thirds.
    /// let linear = LinearEstimator::new(3.0, 0.0)?;
    /// let split = SplitConformal::new(Level::new(0.8)?);
    /// let mut calibrated =
    ///     Calibrated::new(linear, split, MarginUnit::Resource).with_stages(&[Level::HALF])?;
    /// rollouts.score(tokens, &mut calibrated)?;
    /// let margins: Vec<f64> = calibrated.calibrators().map(|one| one.margin()).collect();
    /// assert_eq!(margins, [9.0, 9.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn with_stages(mut self, starts: &[Level]) -> Result<Self, Error>
    where
        C: Clone,
    {
        let stale = first_not_rising(starts);
        let (name, range) = ("start of a stage", "above the start before it");
        setting(name, stale.unwrap_or_default(), stale.is_none(), range)?;
        self.stage_starts = starts.to_vec();
        for ends in [&mut self.calibrators, &mut self.upper_ends] {
            *ends = ends.first().map_or_else(Vec::new, |end| vec![end.clone(); starts.len() + 1]);
        }
        Ok(self)
    }

    /// Gives upper ends a calibrator of their own; the present one then sets the lower ends only. Call it
    /// before the first run.
    ///
    /// Each of the two misses its own share of prefixes, and the shares add up: for a total coverage c,
    /// give both a coverage of `(1 + c) / 2`.
    ///
    /// ```
    /// use budget_estimation::{
    ///     Calibrated, Error, Estimate, Level, MarginUnit, Rollouts, SplitConformal,
    ///     estimator_from_fn,
    /// };
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// for cost in [10.0, 14.0, 11.0, 13.0, 12.0, 13.5, 12.0, 13.0, 12.0, 13.0] {
    ///     rollouts.push(&[5.0, cost], true)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// // Too low for every run.
    /// let point = estimator_from_fn(|_| Estimate::interval(10.0, 10.0));
    /// // A coverage of 0.8: each end misses a tenth.
    /// let one_end = SplitConformal::new(Level::new(0.9)?);
    /// let mut calibrated = Calibrated::new(point, one_end.clone(), MarginUnit::Resource)
    ///     .with_separate_ends(one_end);
    /// let samples = rollouts.score(tokens, &mut calibrated)?;
    /// assert_eq!(samples[9].estimate(), Estimate::interval(10.0, 14.0)?);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn with_separate_ends(mut self, upper: C) -> Self
    where
        C: Clone,
    {
        self.upper_ends = vec![upper; self.stage_starts.len() + 1];
        self
    }

    /// Lowers upper ends to what is left under a cap; see [`Estimate::clipped`]. The coverage of feasible
    /// runs stays the same.
    #[must_use]
    pub fn with_clipped_ends(mut self) -> Self {
        self.clipped = true;
        self
    }

    /// The calibrator of the first stage; if ends are separate, of its lower ends.
    #[must_use]
    pub fn calibrator(&self) -> &C {
        &self.calibrators[0]
    }

    /// All calibrators, stage by stage; if ends are separate, those of lower ends, then those of upper
    /// ends.
    pub fn calibrators(&self) -> impl Iterator<Item = &C> {
        self.calibrators.iter().chain(&self.upper_ends)
    }

    /// The position of the stage in which `spent` is past and `interval` is the estimate.
    fn stage(&self, spent: f64, interval: Interval) -> usize {
        let all = spent + midpoint(interval);
        // The start of a run that spends nothing.
        let past = if all > 0.0 { spent / all } else { 0.0 };
        self.stage_starts.partition_point(|start| start.get() <= past)
    }

    /// The margins of lower and upper ends.
    fn margins(&self, stage: usize) -> [f64; 2] {
        let lower = self.calibrators[stage].margin();
        [lower, self.upper_ends.get(stage).map_or(lower, OnlineCalibrator::margin)]
    }

    /// Lets the calibrators of a stage learn from its scores.
    fn update(&mut self, stage: usize, lower: &[f64], upper: &[f64]) {
        self.calibrators[stage].update(lower);
        if let Some(calibrator) = self.upper_ends.get_mut(stage) {
            calibrator.update(upper);
        }
    }

    fn unit_of(&self, interval: Interval) -> f64 {
        match self.unit {
            MarginUnit::Resource => 1.0,
            // A unit of 0: only an infinite margin changes such an interval.
            MarginUnit::Midpoint => midpoint(interval),
        }
    }

    /// The smallest margin that moves an end by the distance, so that it `holds`.
    fn score(&self, interval: Interval, distance: f64, holds: impl Fn([f64; 2]) -> bool) -> f64 {
        let mut score = match self.unit_of(interval) {
            unit if unit > 0.0 => distance / unit,
            _ if distance <= 0.0 => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        // Rounding can leave the score a few units in the last place short. The margin is often the
        // score of an equal run, for which that would turn a hit into a miss.
        for _ in 0..8 {
            if !score.is_finite() || holds(self.moved(interval, [score; 2])) {
                break;
            }
            score = score.next_up();
        }
        score
    }

    /// The scores of both ends: two equal ones, unless ends are separate.
    fn scores(&self, interval: Interval, remaining: f64) -> [f64; 2] {
        let (below, above) = (interval.low() - remaining, remaining - interval.high());
        if self.upper_ends.is_empty() {
            let holds = |[low, high]: [f64; 2]| low <= remaining && remaining <= high;
            return [self.score(interval, below.max(above), holds); 2];
        }
        let low = self.score(interval, below, |[low, _]| low <= remaining);
        [low, self.score(interval, above, |[_, high]| remaining <= high)]
    }

    /// The ends of an interval after they have moved by their margins.
    fn moved(&self, interval: Interval, margins: [f64; 2]) -> [f64; 2] {
        let unit = self.unit_of(interval);
        // Without a product of 0 and infinity.
        let by = |margin: f64| if margin.is_finite() { margin * unit } else { margin };
        let [low, high] = margins.map(by);
        [(interval.low() - low).max(0.0), interval.high() + high]
    }

    /// The widened interval; `None` if the margins reverse it.
    fn widened(&self, interval: Interval, margins: [f64; 2]) -> Option<Interval> {
        let [low, high] = self.moved(interval, margins);
        // The ends are never NaN, so that only a reversed interval is an error.
        Interval::new(low, high).ok().filter(|ends| ends.low() < f64::INFINITY)
    }

    /// Stores the interval of the estimator until the run has ended. If the number of turns falls,
    /// another run has begun, and the previous one was abandoned.
    fn remember(&mut self, turns: usize, interval: Interval) {
        if turns == 0 {
            return;
        }
        match self.given.last_mut() {
            Some((last, given)) if *last == turns => *given = interval,
            Some((last, _)) if *last > turns => self.given = vec![(turns, interval)],
            _ => self.given.push((turns, interval)),
        }
    }
}

/// The midpoint of an interval, without overflow.
fn midpoint(interval: Interval) -> f64 {
    interval.low() / 2.0 + interval.high() / 2.0
}

/// The first start that is not above the one before it.
fn first_not_rising(starts: &[Level]) -> Option<f64> {
    let falls = starts.windows(2).find(|pair| pair[1].get() <= pair[0].get())?;
    Some(falls[1].get())
}

impl<E: Estimator, C: OnlineCalibrator> Estimator for Calibrated<E, C> {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        let estimate = self.estimator.estimate(prefix)?;
        let Estimate::Interval(interval) = estimate else { return Ok(estimate) };
        self.remember(prefix.turns(), interval);
        let usage = prefix.usage();
        let margins = self.margins(self.stage(usage.total(), interval));
        let Some(wide) = self.widened(interval, margins) else { return Ok(Estimate::NoAnswer) };
        let estimate = Estimate::Interval(wide);
        Ok(match estimate.collapsed(usage.left()) {
            // Without an upper end nothing is known of what remains, also under a cap.
            Estimate::Interval(ends) if ends.high() == f64::INFINITY => Estimate::NoAnswer,
            _ if self.clipped => estimate.clipped(usage.left()),
            collapsed => collapsed,
        })
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        // Removed first, so that an error does not leave them to the next run.
        let given = std::mem::take(&mut self.given);
        rollout.column(resource)?;
        if rollout.is_feasible()? {
            let mut scores = Vec::with_capacity(given.len());
            // An estimate after the last turn is not scored.
            for (turns, interval) in given.into_iter().filter(|(turns, _)| *turns < rollout.turns())
            {
                let stage = self.stage(rollout.cumulative(resource, turns)?, interval);
                let remaining = rollout.remaining(resource, turns)?;
                scores.push((stage, self.scores(interval, remaining)));
            }
            for stage in 0..self.calibrators.len() {
                let own = scores.iter().filter(|(of, _)| *of == stage);
                let (lower, upper): (Vec<f64>, Vec<f64>) =
                    own.map(|(_, ends)| (*ends).into()).unzip();
                self.update(stage, &lower, &upper);
            }
        }
        self.estimator.learn(rollout, resource)
    }
}

#[cfg(feature = "serde")]
impl<E, C> Calibrated<E, C> {
    fn check(&self) -> Result<(), Error> {
        let rise = self.given.is_sorted_by(|a, b| a.0 < b.0);
        let late = self.given.first().is_none_or(|(turns, _)| *turns > 0);
        stored(rise && late, "turns must rise, and begin at 1 or later")?;
        let starts = &self.stage_starts;
        stored(first_not_rising(starts).is_none(), "the starts of stages must rise")?;
        let (stages, upper) = (starts.len() + 1, self.upper_ends.len());
        let valid = self.calibrators.len() == stages && (upper == 0 || upper == stages);
        stored(valid, "each stage must have one calibrator, or one for each end")
    }
}
