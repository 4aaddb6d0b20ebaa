/// How a state was reached.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    /// The state before the push; `u32::MAX` for the first one.
    pub(super) parent: u32,
    /// Where the box was.
    pub(super) from: u16,
    /// Its place in `Direction::ALL`.
    pub(super) direction: u8,
}

#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) cost: u32,
    pub(super) bound: u32,
    pub(super) origin: Origin,
    pub(super) is_done: bool,
}

/// States in flat lists, with a table of their places by hash.
pub(super) struct States {
    width: usize,
    keys: Vec<u16>,
    nodes: Vec<Node>,
    /// Slots with the number of a state plus 1, or 0 if empty. Their count is a power of two and at least twice that of states.
    table: Vec<u32>,
}

impl States {
    /// States of keys of this many numbers.
    pub(super) fn new(width: usize) -> Self {
        Self { width, keys: Vec::new(), nodes: Vec::new(), table: vec![0; 1 << 10] }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn key(&self, state: u32) -> &[u16] {
        let start = state as usize * self.width;
        &self.keys[start..start + self.width]
    }

    pub(super) fn node(&self, state: u32) -> Node {
        self.nodes[state as usize]
    }

    pub(super) fn finish(&mut self, state: u32) {
        self.nodes[state as usize].is_done = true;
    }

    pub(super) fn set_bound(&mut self, state: u32, bound: u32) {
        self.nodes[state as usize].bound = bound;
    }

    pub(super) fn reach(&mut self, state: u32, cost: u32, origin: Origin) {
        let node = &mut self.nodes[state as usize];
        (node.cost, node.origin) = (cost, origin);
    }

    /// The state of a key, and whether it is new.
    pub(super) fn find_or_add(&mut self, key: &[u16]) -> (u32, bool) {
        let mut slot = self.slot(key);
        while self.table[slot] != 0 {
            let state = self.table[slot] - 1;
            if self.key(state) == key {
                return (state, false);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        let state = self.nodes.len() as u32;
        self.table[slot] = state + 1;
        self.keys.extend_from_slice(key);
        let origin = Origin { parent: u32::MAX, from: 0, direction: 0 };
        self.nodes.push(Node { cost: u32::MAX, bound: 0, origin, is_done: false });
        if 2 * self.nodes.len() > self.table.len() {
            self.grow();
        }
        (state, true)
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for state in 0..self.nodes.len() as u32 {
            let mut slot = self.slot(self.key(state));
            while self.table[slot] != 0 {
                slot = (slot + 1) & (self.table.len() - 1);
            }
            self.table[slot] = state + 1;
        }
    }

    /// Where the search for a key starts.
    fn slot(&self, key: &[u16]) -> usize {
        // An odd number near 2^64 divided by the golden ratio, which spreads neighbours far apart.
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let mix =
            |hash: u64, part: &u16| (hash.rotate_left(5) ^ u64::from(*part)).wrapping_mul(SPREAD);
        let hash = key.iter().fold(0, mix);
        (hash >> 32) as usize & (self.table.len() - 1)
    }
}
