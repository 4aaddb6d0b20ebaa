use std::cmp::Ordering;

/// A binary heap with the moves of CPython's `heapq`, for items that need not be comparable.
///
/// If two items are neither less than each other, the order in which they come out depends on their
/// places in the heap. Adding and removing therefore make the same comparisons and the same moves as
/// `heapq.heappush` and `heapq.heappop`.
///
/// Reference: CPython 3, `Lib/heapq.py`.
pub(crate) struct ReleasedHeap<T> {
    items: Vec<T>,
}

impl<T: Copy> ReleasedHeap<T> {
    pub(crate) fn new(first: T) -> Self {
        Self { items: vec![first] }
    }

    pub(crate) fn push(&mut self, item: T, less: impl Fn(T, T) -> bool) {
        self.items.push(item);
        self.move_up(self.items.len() - 1, less);
    }

    pub(crate) fn pop(&mut self, less: impl Fn(T, T) -> bool) -> Option<T> {
        let last = self.items.pop()?;
        let Some(&first) = self.items.first() else { return Some(last) };
        // Moves the smaller child up until a leaf is free, the right one unless the left one is less.
        let mut place = 0;
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let child = match right.cmp(&self.items.len()) {
                Ordering::Less if !less(self.items[left], self.items[right]) => right,
                Ordering::Less | Ordering::Equal => left,
                Ordering::Greater => break,
            };
            self.items[place] = self.items[child];
            place = child;
        }
        self.items[place] = last;
        self.move_up(place, less);
        Some(first)
    }

    fn move_up(&mut self, mut place: usize, less: impl Fn(T, T) -> bool) {
        let item = self.items[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if !less(item, self.items[parent]) {
                break;
            }
            self.items[place] = self.items[parent];
            place = parent;
        }
        self.items[place] = item;
    }
}
