use crate::tool_calls::engines::bit_parallel::{Along, Strip, TOP, compared, one_strip};

/// The sum of the totals of all strips, with masks that are looked up by number. If there are only
/// a few rows, they are compared directly, which costs less than a table.
pub(crate) fn interned(rows: &[u32], columns: &[u32]) -> usize {
    let bits = |symbols: &[u32]| symbols.iter().fold(0, |bits, symbol| bits | symbol);
    match rows.len() {
        0..=64 if bits(rows) | bits(columns) <= u8::MAX.into() => direct(rows, columns),
        0..=32 => compared(rows, columns),
        _ => long(rows, columns),
    }
}

/// Up to 64 rows, with symbols below 256, which are the index of a table.
fn direct(rows: &[u32], columns: &[u32]) -> usize {
    let mut masks = [0_u64; 256];
    for (i, &row) in rows.iter().enumerate() {
        masks[usize::from(row as u8)] |= 1 << i;
    }
    one_strip(rows.len(), columns.iter().map(|&column| masks[usize::from(column as u8)]))
}

/// Any number of rows, in strips as wide as the rows fill. Not inlined, because its stack frame is
/// large.
#[inline(never)]
fn long(mut rows: &[u32], columns: &[u32]) -> usize {
    let mut edges = vec![TOP; columns.len()];
    let mut total = 0_usize;
    while !rows.is_empty() {
        let words = match rows.len().div_ceil(64) {
            8.. => 8,
            4.. => 4,
            2.. => 2,
            _ => 1,
        };
        let (now, later) = rows.split_at(rows.len().min(64 * words));
        total = total.wrapping_add(match words {
            8 => strip::<8>(now, columns, &mut edges),
            4 => strip::<4>(now, columns, &mut edges),
            2 => strip::<2>(now, columns, &mut edges),
            _ => strip::<1>(now, columns, &mut edges),
        });
        rows = later;
    }
    total
}

/// Moves one strip of up to `64 W` rows over all columns.
fn strip<const W: usize>(rows: &[u32], columns: &[u32], edges: &mut [Along]) -> usize {
    let masks = Masks::<W>::new(rows);
    let mut strip = Strip::<W>::FIRST;
    for (&column, edge) in columns.iter().zip(edges) {
        *edge = strip.advance(masks.get(column), *edge);
    }
    strip.total(rows.len())
}

/// The rows of a strip that hold each symbol: a hash table that is at most half full.
struct Masks<const W: usize> {
    /// A symbol and the index of its mask. Index 0 marks an empty slot; mask 0 is the mask of all
    /// symbols without a row.
    slots: [(u32, u32); SLOTS],
    masks: Vec<[u64; W]>,
}

/// Twice the largest number of rows of a strip.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;

impl<const W: usize> Masks<W> {
    fn new(rows: &[u32]) -> Self {
        let mut masks = Vec::with_capacity(rows.len() + 1);
        masks.push([0; W]);
        let mut slots = [(0, 0); SLOTS];
        for (i, &symbol) in rows.iter().enumerate() {
            let slot = &mut slots[find(&slots, symbol)];
            if slot.1 == 0 {
                *slot = (symbol, masks.len() as u32);
                masks.push([0; W]);
            }
            masks[slot.1 as usize][i / 64] |= 1 << (i % 64);
        }
        Self { slots, masks }
    }

    #[inline(always)]
    fn get(&self, symbol: u32) -> &[u64; W] {
        &self.masks[self.slots[find(&self.slots, symbol)].1 as usize]
    }
}

/// The slot of the symbol, or the empty slot for it.
#[inline(always)]
fn find(slots: &[(u32, u32); SLOTS], symbol: u32) -> usize {
    // Multiplication by 2^32 divided by the golden ratio spreads consecutive numbers.
    let mut slot = (symbol.wrapping_mul(0x9e37_79b9) >> (32 - SLOT_BITS)) as usize;
    while slots[slot].1 != 0 && slots[slot].0 != symbol {
        slot = (slot + 1) % SLOTS;
    }
    slot
}
