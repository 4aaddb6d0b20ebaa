//! Replaces numbers by positions among a limited number of groups of neighbouring distinct numbers.

/// The groups of one list of numbers.
#[derive(Clone, Debug)]
pub(super) struct Ordinals {
    /// The lowest number of each group.
    pub(super) lowest: Vec<f64>,
    /// The highest number of each group.
    pub(super) highest: Vec<f64>,
    /// The number in the middle of the distinct numbers of each group.
    pub(super) middle: Vec<f64>,
}

impl Ordinals {
    /// Groups with equally many distinct numbers, one per distinct number if there are at most `most`. The
    /// numbers are not NaN.
    ///
    /// The groups depend on the distinct numbers only, so that a row of weight 2 is equal to two rows.
    pub(super) fn new(mut numbers: Vec<f64>, most: usize) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        numbers.dedup();
        let groups = numbers.len().min(most);
        let mut ordinals = Self { lowest: Vec::new(), highest: Vec::new(), middle: Vec::new() };
        let end = |group: usize| (group as u128 * numbers.len() as u128 / groups as u128) as usize;
        for group in 0..groups {
            let (from, to) = (end(group), end(group + 1));
            let number = |at: usize| numbers.get(at).copied();
            ordinals.lowest.extend(number(from));
            ordinals.highest.extend(number(to - 1));
            ordinals.middle.extend(number(from.midpoint(to - 1)));
        }
        ordinals
    }

    pub(super) fn len(&self) -> usize {
        self.lowest.len()
    }

    /// Returns the group of one of the numbers.
    pub(super) fn position(&self, number: f64) -> usize {
        self.highest.partition_point(|&highest| highest < number).min(self.len().saturating_sub(1))
    }
}
