use crate::graph::lists::Lists;

/// The amounts that groups of tools can count for. No tool counts for more than its weight.
///
/// A linear program that maximizes the sum of the amounts, solved by the simplex method on a dense
/// table. Its dual prices are the shares of the tools in the cheapest mixture of plans. The results
/// are floating-point proposals; a caller that needs a bound rounds the amounts and checks them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packing {
    /// The table in row order; each row has room for `stride` columns.
    table: Vec<f64>,
    stride: usize,
    /// The variable of each row, the slack of a tool or the amount of a group, and its value.
    of_row: Vec<u32>,
    value: Vec<f64>,
    /// The variable of each column, which is 0, and the gain of the sum per unit of it.
    of_column: Vec<u32>,
    gain: Vec<f64>,
    /// The place of each variable: first the tools, then the groups.
    places: Vec<Place>,
    capacity: Vec<f64>,
    /// The most groups that are added at once.
    offered: usize,
    /// A copy of the pivot row.
    row: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Absent,
    Row(u32),
    Column(u32),
}

/// A capacity that means no limit. Tools have capacities of at most 1, so amounts hardly reach it; if they
/// do, the bound is only weaker.
pub(crate) const UNLIMITED: f64 = 4.0;

const TINY: f64 = 1e-9;

/// The most groups that are added at once: most of many new groups would never count, but make each pivot slower. Among
/// tools of one cost, shares have ties and say less about a group, so more groups are added.
const OFFERED: [usize; 2] = [30, 50];

/// The smallest pivot, because dividing by smaller numbers magnifies rounding errors.
const LEAST_PIVOT: f64 = 1e-7;

/// The distance by which a pivot may overstep a bound in exchange for a larger pivot.
const SLACK: f64 = 1e-10;

impl Packing {
    /// Creates a program without groups for tools with these capacities.
    pub(crate) fn new(capacity: Vec<f64>) -> Self {
        let largest = capacity.iter().fold(0.0, |largest: f64, &one| largest.max(one));
        let is_one_cost = capacity.iter().all(|one| *one > 0.999 * largest);
        Self {
            places: vec![Place::Absent; capacity.len()],
            capacity,
            offered: OFFERED[usize::from(is_one_cost)],
            ..Self::default()
        }
    }

    fn tools(&self) -> usize {
        self.capacity.len()
    }

    /// Returns the amount of a group.
    pub(crate) fn amount(&self, group: usize) -> f64 {
        match self.places.get(self.tools() + group) {
            Some(&Place::Row(row)) => self.value[row as usize],
            _ => 0.0,
        }
    }

    /// Returns the share of the tool in the cheapest mixture of plans.
    pub(crate) fn share(&self, tool: u32) -> f64 {
        match self.places[tool as usize] {
            Place::Column(column) => -self.gain[column as usize],
            _ => 0.0,
        }
    }

    /// Adds the groups that would increase the sum: those with the smallest shares, as many as [`OFFERED`] says.
    pub(crate) fn offer(&mut self, groups: &Lists) {
        self.places.resize(self.tools() + groups.len(), Place::Absent);
        let shares: Vec<f64> = (0..self.tools() as u32).map(|tool| self.share(tool)).collect();
        let absent = |&group: &usize| self.places[self.tools() + group] == Place::Absent;
        let share = |group| groups.get(group).iter().map(|&tool| shares[tool as usize]).sum();
        let all = (0..groups.len()).filter(absent).map(|group| (share(group), group));
        let mut gaining: Vec<(f64, usize)> = all.filter(|(share, _)| *share < 1.0 - 1e-7).collect();
        if gaining.len() > self.offered {
            gaining.sort_by(|a, b| a.0.total_cmp(&b.0));
            gaining.truncate(self.offered);
        }
        for (_, group) in gaining {
            self.add_group(self.tools() + group, groups.get(group));
        }
    }

    /// Drops groups that count for nothing, and tools without limit.
    pub(crate) fn drop_idle(&mut self) {
        let tools = self.tools() as u32;
        let mut column = 0;
        while column < self.of_column.len() {
            if self.of_column[column] < tools || self.gain[column] > -1e-3 {
                column += 1;
                continue;
            }
            self.places[self.of_column[column] as usize] = Place::Absent;
            self.of_column.swap_remove(column);
            self.gain.swap_remove(column);
            let last = self.of_column.len();
            for row in self.table.chunks_exact_mut(self.stride) {
                row[column] = row[last];
            }
            if let Some(&moved) = self.of_column.get(column) {
                self.places[moved as usize] = Place::Column(column as u32);
            }
        }
        let mut row = 0;
        while row < self.of_row.len() {
            let tool = self.of_row[row];
            if tool >= tools || self.capacity[tool as usize] < UNLIMITED {
                row += 1;
                continue;
            }
            self.places[tool as usize] = Place::Absent;
            self.of_row.swap_remove(row);
            self.value.swap_remove(row);
            let last = self.of_row.len();
            self.table.copy_within(last * self.stride..(last + 1) * self.stride, row * self.stride);
            self.table.truncate(last * self.stride);
            if let Some(&moved) = self.of_row.get(row) {
                self.places[moved as usize] = Place::Row(row as u32);
            }
        }
    }

    fn add_group(&mut self, number: usize, tools: &[u32]) {
        for &tool in tools {
            if self.capacity[tool as usize] < UNLIMITED
                && self.places[tool as usize] == Place::Absent
            {
                self.places[tool as usize] = Place::Row(self.of_row.len() as u32);
                self.of_row.push(tool);
                self.value.push(self.capacity[tool as usize]);
                self.table.resize(self.table.len() + self.stride, 0.0);
            }
        }
        let column = self.of_column.len();
        if column == self.stride {
            let wide = (2 * column).max(32);
            let mut table = vec![0.0; wide * self.of_row.len()];
            for row in 0..self.of_row.len() {
                table[row * wide..][..column]
                    .copy_from_slice(&self.table[row * column..][..column]);
            }
            (self.table, self.stride) = (table, wide);
        }
        let mut gain = 1.0;
        for row in 0..self.of_row.len() {
            self.table[row * self.stride + column] = 0.0;
        }
        for &tool in tools {
            match self.places[tool as usize] {
                Place::Row(row) => self.table[row as usize * self.stride + column] += 1.0,
                Place::Column(other) => {
                    gain += self.gain[other as usize];
                    for row in self.table.chunks_exact_mut(self.stride) {
                        row[column] += row[other as usize];
                    }
                }
                Place::Absent => {}
            }
        }
        self.places[number] = Place::Column(column as u32);
        self.of_column.push(number as u32);
        self.gain.push(gain);
    }

    /// Changes the capacity of a tool.
    pub(crate) fn set_capacity(&mut self, tool: u32, capacity: f64) {
        let more = capacity - self.capacity[tool as usize];
        self.capacity[tool as usize] = capacity;
        match self.places[tool as usize] {
            Place::Row(row) => self.value[row as usize] += more,
            Place::Column(column) => {
                let rows = self.table.chunks_exact(self.stride);
                for (value, row) in self.value.iter_mut().zip(rows) {
                    *value += more * row[column as usize];
                }
            }
            Place::Absent => {}
        }
    }

    /// Restores the maximum after a change, and returns the number of entries that were visited.
    pub(crate) fn solve(&mut self) -> usize {
        // A few pivots per row suffice; more of them would mean that rounding errors cause a cycle.
        let mut visited = 0;
        for _ in 0..20 * (self.of_row.len() + 10) {
            visited += self.of_row.len() + self.of_column.len();
            let Some((row, column)) = self.broken_row().or_else(|| self.gaining_column()) else {
                break;
            };
            self.pivot(row, column);
            visited += self.of_row.len() * self.of_column.len();
        }
        visited
    }

    /// Returns the next pivot of the dual simplex method: the row that is most negative in relation to its length, and
    /// the column that repairs it at the smallest loss.
    fn broken_row(&self) -> Option<(usize, usize)> {
        let entries = |row: usize| &self.table[row * self.stride..][..self.of_column.len()];
        let broken = self.value.iter().enumerate().filter(|(_, value)| **value < -TINY);
        let steepness = |row, value: &f64| {
            value * value / (1.0 + entries(row).iter().map(|entry| entry * entry).sum::<f64>())
        };
        let rows = broken.map(|(row, value)| (row, steepness(row, value)));
        let row = rows.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?.0;
        let entries = entries(row);
        let ways = || {
            let columns = entries.iter().zip(&self.gain).enumerate();
            columns.filter(|(_, (entry, _))| **entry < -LEAST_PIVOT)
        };
        let most = ways().map(|(_, (entry, gain))| (SLACK - gain.min(0.0)) / -entry);
        let most = most.min_by(f64::total_cmp)?;
        let near = ways().filter(|(_, (entry, gain))| -gain.min(0.0) / -**entry <= most);
        let largest = near.min_by(|a, b| a.1.0.total_cmp(b.1.0))?;
        Some((row, largest.0))
    }

    /// Returns the next pivot of the primal simplex method: the column with the largest gain.
    fn gaining_column(&self) -> Option<(usize, usize)> {
        let (column, &gain) = self.gain.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        if gain <= TINY {
            return None;
        }
        let ways = || {
            let entries = (0..self.value.len()).map(|row| self.table[row * self.stride + column]);
            let rows = entries.zip(&self.value).enumerate();
            rows.filter(|(_, (entry, _))| *entry > LEAST_PIVOT)
        };
        let most = ways().map(|(_, (entry, value))| (SLACK + value.max(0.0)) / entry);
        let most = most.min_by(f64::total_cmp)?;
        let near = ways().filter(|(_, (entry, value))| value.max(0.0) / entry <= most);
        let largest = near.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
        Some((largest.0, column))
    }

    fn pivot(&mut self, at_row: usize, at_column: usize) {
        let columns = self.of_column.len();
        let row = &mut self.table[at_row * self.stride..][..columns];
        let inverse = 1.0 / row[at_column];
        row[at_column] = 1.0;
        row.iter_mut().for_each(|entry| *entry *= inverse);
        self.row.clear();
        self.row.extend_from_slice(row);
        self.value[at_row] *= inverse;
        let value = self.value[at_row];
        for (number, row) in self.table.chunks_exact_mut(self.stride).enumerate() {
            let factor = row[at_column];
            if number == at_row || factor.abs() < 1e-12 {
                continue;
            }
            row[at_column] = 0.0;
            for (entry, &other) in row.iter_mut().zip(&self.row) {
                *entry -= factor * other;
            }
            self.value[number] -= factor * value;
        }
        let factor = self.gain[at_column];
        self.gain[at_column] = 0.0;
        for (gain, &other) in self.gain.iter_mut().zip(&self.row) {
            *gain -= factor * other;
        }
        std::mem::swap(&mut self.of_row[at_row], &mut self.of_column[at_column]);
        self.places[self.of_row[at_row] as usize] = Place::Row(at_row as u32);
        self.places[self.of_column[at_column] as usize] = Place::Column(at_column as u32);
    }
}

#[cfg(test)]
mod tests;
