/// The linear program of a knapsack with several resources, in which items may be divided, and its
/// dual simplex tableau. It maximizes the profit. Amounts of resources are shares of the capacity.
///
/// No proof depends on its numbers: they only suggest prices of the resources, which give a valid
/// bound whatever they are, and an item to branch on.
///
/// Reference: Koberstein (2005), The dual simplex method, techniques for a fast and stable
/// implementation, dissertation, Universität Paderborn.
#[derive(Clone, Debug)]
pub(crate) struct LinearProgram<const R: usize> {
    /// The rows over all columns: one column per item, then one slack column per resource.
    rows: [Vec<f64>; R],
    /// The gain of each column beyond its price.
    gains: Vec<f64>,
    /// The basic column of each row, and its amount.
    basis: [usize; R],
    amounts: [f64; R],
    places: Vec<Place>,
}

/// The state of a column: in the basis or at a bound, and fixed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Basic,
    BasicFixed { one: bool },
    Bound { one: bool },
    Fixed { one: bool },
}

/// Amounts within this distance of a bound count as equal to it.
const AT_BOUND: f64 = 1e-9;
/// Smaller pivots count as 0.
const PIVOT: f64 = 1e-9;

impl<const R: usize> LinearProgram<R> {
    /// Creates the program. At first all items are taken, which is feasible for the dual.
    pub(crate) fn new(profits: &[f64], shares: &[[f64; R]]) -> Self {
        let items = profits.len();
        let mut amounts = [1.0; R];
        let rows = std::array::from_fn(|r| {
            let mut row: Vec<f64> = shares.iter().map(|share| share[r]).collect();
            amounts[r] -= row.iter().sum::<f64>();
            row.extend((0..R).map(|slack| if slack == r { 1.0 } else { 0.0 }));
            row
        });
        let mut gains = profits.to_vec();
        gains.extend([0.0; R]);
        let mut places = vec![Place::Bound { one: true }; items];
        places.extend([Place::Basic; R]);
        Self { rows, gains, basis: std::array::from_fn(|r| items + r), amounts, places }
    }

    /// Fixes an item to be taken or left out.
    pub(crate) fn fix(&mut self, item: usize, one: bool) {
        self.places[item] = match self.places[item] {
            Place::Basic | Place::BasicFixed { .. } => Place::BasicFixed { one },
            Place::Bound { one: was } | Place::Fixed { one: was } => {
                if was != one {
                    let change = if one { 1.0 } else { -1.0 };
                    for (amount, row) in self.amounts.iter_mut().zip(&self.rows) {
                        *amount -= change * row[item];
                    }
                }
                Place::Fixed { one }
            }
        };
    }

    /// Returns whether an item is not fixed.
    pub(crate) fn is_free(&self, item: usize) -> bool {
        matches!(self.places[item], Place::Basic | Place::Bound { .. })
    }

    /// Returns whether an item is fixed to be taken.
    pub(crate) fn is_in(&self, item: usize) -> bool {
        matches!(self.places[item], Place::Fixed { one: true } | Place::BasicFixed { one: true })
    }

    /// Returns whether the linear program takes the whole item.
    pub(crate) fn is_whole(&self, item: usize) -> bool {
        matches!(self.places[item], Place::Fixed { one: true } | Place::Bound { one: true })
    }

    /// Returns the free items of which the linear program may take a part, and the parts.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        let items = self.places.len() - R;
        let parts = self.basis.iter().copied().zip(self.amounts);
        parts.filter(move |&(column, _)| column < items && self.is_free(column))
    }

    /// Returns the price of each resource, at least 0.
    pub(crate) fn prices(&self) -> [f64; R] {
        let items = self.places.len() - R;
        std::array::from_fn(|r| (-self.gains[items + r]).max(0.0))
    }

    /// Runs the dual simplex method until all amounts are within their bounds or no pivot is large
    /// enough.
    pub(crate) fn solve(&mut self) {
        for _ in 0..8 * self.places.len() {
            let Some((row, target)) = self.leaving() else { return };
            let Some(column) = self.entering(row, self.amounts[row] > target) else { return };
            self.pivot(row, column, target);
        }
    }

    /// Returns the row that violates its bounds most, and the bound.
    fn leaving(&self) -> Option<(usize, f64)> {
        let items = self.places.len() - R;
        let mut worst = (AT_BOUND, None);
        for (row, (&column, &amount)) in self.basis.iter().zip(&self.amounts).enumerate() {
            let (low, high) = match self.places[column] {
                Place::BasicFixed { one: true } => (1.0, 1.0),
                Place::BasicFixed { one: false } => (0.0, 0.0),
                _ if column < items => (0.0, 1.0),
                _ => (0.0, f64::INFINITY),
            };
            for (excess, bound) in [(low - amount, low), (amount - high, high)] {
                if excess > worst.0 {
                    worst = (excess, Some((row, bound)));
                }
            }
        }
        worst.1
    }

    /// Returns the column that moves the row towards its bound at the least loss.
    fn entering(&self, row: usize, too_much: bool) -> Option<usize> {
        let mut best = (f64::INFINITY, 0.0, None);
        for (column, (&entry, &place)) in self.rows[row].iter().zip(&self.places).enumerate() {
            let Place::Bound { one } = place else { continue };
            // A column at 0 can only grow, which lowers the row if the entry is positive.
            if entry.abs() > PIVOT && (entry > 0.0) == (one != too_much) {
                let loss = self.gains[column].abs() / entry.abs();
                if loss < best.0 || (loss == best.0 && entry.abs() > best.1) {
                    best = (loss, entry.abs(), Some(column));
                }
            }
        }
        best.2
    }

    fn pivot(&mut self, row: usize, column: usize, target: f64) {
        let scale = 1.0 / self.rows[row][column];
        let step = (self.amounts[row] - target) * scale;
        let start = if self.places[column] == (Place::Bound { one: true }) { 1.0 } else { 0.0 };
        let mut pivot_row = std::mem::take(&mut self.rows[row]);
        pivot_row.iter_mut().for_each(|entry| *entry *= scale);
        for (other, entries) in self.rows.iter_mut().enumerate() {
            if other != row {
                let factor = entries[column];
                self.amounts[other] -= factor * step;
                subtract(entries, &pivot_row, factor);
            }
        }
        let gain = self.gains[column];
        subtract(&mut self.gains, &pivot_row, gain);
        self.rows[row] = pivot_row;
        let leaves = std::mem::replace(&mut self.basis[row], column);
        self.amounts[row] = start + step;
        self.places[column] = Place::Basic;
        let one = target > 0.5;
        self.places[leaves] = match self.places[leaves] {
            Place::BasicFixed { .. } => Place::Fixed { one },
            _ => Place::Bound { one },
        };
    }
}

fn subtract(from: &mut [f64], row: &[f64], factor: f64) {
    if factor != 0.0 {
        from.iter_mut().zip(row).for_each(|(entry, &other)| *entry -= factor * other);
    }
}
