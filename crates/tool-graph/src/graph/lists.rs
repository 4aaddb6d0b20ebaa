/// Many short lists of numbers in one allocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub(crate) fn push(&mut self, items: impl IntoIterator<Item = u32>) {
        self.items.extend(items);
        self.ends.push(self.items.len() as u32);
    }

    pub(crate) fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, list: usize) -> &[u32] {
        let start = if list == 0 { 0 } else { self.ends[list - 1] as usize };
        &self.items[start..self.ends[list] as usize]
    }

    /// For each of the items 0 to `count - 1`, the lists that contain it, in order.
    pub(crate) fn transposed(&self, count: usize) -> Self {
        let mut ends = vec![0u32; count + 1];
        for &item in &self.items {
            ends[item as usize + 1] += 1;
        }
        for item in 0..count {
            ends[item + 1] += ends[item];
        }
        let mut items = vec![0; self.items.len()];
        for list in 0..self.len() {
            for &item in self.get(list) {
                items[ends[item as usize] as usize] = list as u32;
                ends[item as usize] += 1;
            }
        }
        // Filling the lists moved each start to the end of its list.
        ends.pop();
        Self { ends, items }
    }
}
