use std::collections::VecDeque;

use scoring_rules::Level;

use crate::{
    checks::{is_amount, setting},
    error::Error,
};

/// The normal quantile of 0.975.
const DEVIATIONS: f64 = 1.959_963_984_540_054;

scoring_rules::checked! {
    /// Learns from the costs of past calls how much a [`Budget`](crate::Budget) should reserve for the next call.
    ///
    /// A budget that holds the largest possible cost of every call, such as all the tokens that a reply may have, refuses
    /// calls that it could pay. [`amount`](Self::amount) returns a smaller amount that still limits the chance that the budget
    /// is overspent. For a cost X of a call, it is the smallest past cost q with
    ///
    /// - P(X > q) <= chance, so that a call exceeds its reservation with at most this chance, and
    /// - E max(X - q, 0) <= chance E X. By the renewal theorem, the left side divided by E X is the chance that a sequence of
    ///   calls, each of which is made if q is left, exceeds a cap that is large compared to a call.
    ///
    /// Both are assumed of independent costs with one distribution. The first holds with a confidence of about 97.5 % over the
    /// past calls. The second holds on average over the past calls, because it counts one more call, of the largest cost; and
    /// with a confidence of about 95 % where large costs occur among the past calls. Rare costs far above all past ones can
    /// exceed it. If a call uses several resources, or a budget has several children with caps, their chances add up.
    ///
    /// While there are too few past calls, the amount is the largest cost. It becomes smaller after about
    /// `largest cost / (chance * mean cost)` calls, and for a small chance after at least `6 / chance`. All but the last
    /// `window` calls are forgotten, so that amounts follow a change of the costs; a window below these numbers has no use.
    /// Use one learner for each kind of call. Learning takes O(window), and an amount O(number of past calls above it).
    ///
    /// ```
    /// use budget_estimation::{Budget, CallCosts, Error, Level};
    ///
    /// let budget = Budget::new([("tokens", Some(100_000.0))])?;
    /// // At most one budget in a hundred may be overspent.
    /// let mut costs = CallCosts::new(Level::new(0.01)?, 2000)?;
    /// assert_eq!(costs.amount(4096.0)?, 4096.0);
    /// for call in 0..2000 {
    ///     costs.learn(f64::from(100 + call * 37 % 400))?;
    /// }
    /// assert_eq!(costs.mean(), Some(299.5));
    /// assert_eq!(costs.amount(4096.0)?, 497.0);
    /// let call = budget.reserve(&[("tokens", costs.amount(4096.0)?)])?;
    /// call.settle(&[("tokens", 320.0)])?;
    /// costs.learn(320.0)?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// References: Wilks (1941), Determination of sample sizes for setting tolerance limits, doi:10.1214/aoms/1177731788;
    /// Angelopoulos, Bates, Fisch, Lei, Schuster (2024), Conformal risk control, ICLR, arXiv:2208.02814,
    /// theorem 1; Feller (1971), An introduction to probability theory and its applications, volume 2, chapter XI.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CallCosts {
        chance: Level,
        window: usize,
        /// The last calls, in order.
        calls: VecDeque<f64>,
        #[cfg_attr(feature = "serde", serde(skip))]
        sorted: Vec<f64>,
        /// The sum of the costs, and of their squares.
        #[cfg_attr(feature = "serde", serde(skip))]
        sums: [f64; 2],
    }
    restore: Self::restore
}

impl CallCosts {
    /// Creates a learner that has seen no call. `chance` is the tolerated probability of overspending, such as 0.01;
    /// `window` is the number of calls that it remembers.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the window is from 1 to 1,000,000.
    pub fn new(chance: Level, window: usize) -> Result<Self, Error> {
        let valid = (1..=1_000_000).contains(&window);
        setting("number of calls to remember", window as f64, valid, "from 1 to 1000000")?;
        Ok(Self { chance, window, calls: VecDeque::new(), sorted: Vec::new(), sums: [0.0; 2] })
    }

    /// Learns the cost of a call.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the cost is from 0 to 1e100.
    pub fn learn(&mut self, cost: f64) -> Result<(), Error> {
        setting("cost of a call", cost, is_amount(cost), "from 0 to 1e100")?;
        if self.calls.len() == self.window
            && let Some(oldest) = self.calls.pop_front()
        {
            self.sorted.remove(self.sorted.partition_point(|&past| past < oldest));
        }
        self.calls.push_back(cost);
        self.sorted.insert(self.sorted.partition_point(|&past| past < cost), cost);
        self.add_up();
        Ok(())
    }

    /// Adds up anew, because sums from which calls are subtracted would keep their rounding errors.
    fn add_up(&mut self) {
        let add = |[sum, squares]: [f64; 2], cost: &f64| [sum + cost, squares + cost * cost];
        self.sums = self.sorted.iter().fold([0.0; 2], add);
    }

    /// Returns the mean cost of the calls that it remembers; `None` before the first.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (!self.calls.is_empty()).then(|| self.sums[0] / self.calls.len() as f64)
    }

    /// Returns the amount to reserve for the next call, which costs at most `largest`.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the largest cost is from 0 to 1e100.
    pub fn amount(&self, largest: f64) -> Result<f64, Error> {
        setting("largest cost of a call", largest, is_amount(largest), "from 0 to 1e100")?;
        let (n, chance) = (self.sorted.len() as f64, self.chance.get());
        // At most this many past calls may lie above the amount.
        let spread = DEVIATIONS * (n * chance * (1.0 - chance)).sqrt();
        let most_above = (chance * (n + 1.0) - spread).floor() - 1.0;
        let (mut amount, mut above, mut sums) = (largest, 0.0, [0.0; 2]);
        for &q in self.sorted.iter().rev() {
            if q < largest {
                if above > most_above || self.risk(q, largest, above, sums) > 0.0 {
                    break;
                }
                amount = q;
            }
            above += 1.0;
            sums = [sums[0] + q, sums[1] + q * q];
        }
        Ok(amount)
    }

    /// Returns an upper bound of the sum of `max(X - q, 0) - chance X` over the past calls and over one of the largest cost.
    /// `above` counts the past calls above q, and `sums` has their sum and the sum of their squares.
    fn risk(&self, q: f64, largest: f64, above: f64, [sum, squares]: [f64; 2]) -> f64 {
        let (chance, [all, all_squares]) = (self.chance.get(), self.sums);
        let risk = sum - above * q - chance * all;
        let risk_squares = (squares - 2.0 * q * sum + above * q * q)
            - 2.0 * chance * (squares - q * sum)
            + chance * chance * all_squares;
        let variance = risk_squares - risk * risk / self.sorted.len() as f64;
        let next = ((1.0 - chance) * largest - q).max(0.0);
        risk + next + DEVIATIONS * variance.max(0.0).sqrt()
    }
}

#[cfg(feature = "serde")]
impl CallCosts {
    fn restore(&mut self) -> Result<(), Error> {
        Self::new(self.chance, self.window)?;
        let valid = self.calls.len() <= self.window && self.calls.iter().all(|&it| is_amount(it));
        crate::checks::stored(valid, "there are more calls than it remembers, or invalid costs")?;
        self.sorted = self.calls.iter().copied().collect();
        self.sorted.sort_by(f64::total_cmp);
        self.add_up();
        Ok(())
    }
}
