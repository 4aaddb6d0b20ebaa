use crate::{
    error::Error,
    rules::{
        gauss::gauss,
        power_function::{above_tangent, box_cox},
    },
};

/// Nodes of a piece, and coefficients of its polynomial.
const NODES: usize = 24;
/// The table ends at 2^-OCTAVES.
const OCTAVES: i32 = 63;
/// Below it the power of so many octaves goes on.
const POWER_OCTAVES: i32 = 4;
/// A polynomial that misses its function by this share of its largest value has met it.
const MET: f64 = 1e-13;
/// A miss that changes a score by this share of the largest one is let pass: at jumps and kinks,
/// and where the density itself was computed from a rounded `1 - c`.
const LET_PASS: f64 = 1e-15;
/// Within a piece the density changes no more than this, so that no digits of a small integral are
/// those of a large one.
const CHANGE: f64 = 32.0;
const MOST_PIECES: usize = 10_000;

/// Integrals of a density w on (0, 1/2], t being the distance from an end: of `t w(t)` from that
/// end and of `(1 - t) w(t)` from one half.
#[derive(Clone, PartialEq)]
pub(crate) struct DensityTable {
    /// In rising order, without gaps, from 2^-OCTAVES to 1/2.
    pieces: Vec<Piece>,
    /// Below the table w goes as a power of t, `t^(power - 1)`, with this value of `t^2 w` where
    /// the table starts.
    power: f64,
    start: f64,
}

#[derive(Clone, PartialEq)]
struct Piece {
    from: f64,
    to: f64,
    /// Chebyshev coefficients of the density.
    density: [f64; NODES],
    /// Those of the integrals of `t w` and of `(1 - t) w` from the piece's middle.
    integrals: [[f64; NODES + 1]; 2],
    /// The integral of `t w` below the piece.
    near_below: f64,
    /// The integral of `(1 - t) w` above it.
    far_above: f64,
}

impl DensityTable {
    /// `density` gives the threshold, for error messages, and w.
    pub(crate) fn new(density: impl Fn(f64) -> (f64, f64), end: f64) -> Result<Self, Error> {
        let w = |t: f64| {
            let (threshold, value) = density(t);
            if (0.0..f64::INFINITY).contains(&value) {
                Ok(value)
            } else {
                Err(Error::Density { threshold, value })
            }
        };
        let mut builder = Builder::new(w);
        builder.look_over()?;
        for octave in (1..OCTAVES).rev() {
            let from = 2.0_f64.powi(-octave - 1);
            builder.divide(from, 2.0 * from).map_err(|trouble| match trouble {
                Trouble::Of(error) => error,
                Trouble::TooMany { near } => Error::Rough { threshold: density(near).0 },
            })?;
        }
        // The power of t over the lowest octaves. Over one alone the rounding of its logarithm would
        // take two more digits from a score at 1e-300.
        let first = 2.0_f64.powi(-OCTAVES);
        let across = 2.0_f64.powi(POWER_OCTAVES) * first;
        let (value, above) = ((builder.w)(first)?, (builder.w)(across)?);
        let power = if value > 0.0 && above > 0.0 {
            1.0 + (above / value).log2() / f64::from(POWER_OCTAVES)
        } else {
            1.0
        };
        if value > 0.0 && power <= -1.0 {
            return Err(Error::NotIntegrable { end });
        }
        let mut table = Self { pieces: builder.pieces, power, start: first * first * value };
        table.add_up();
        Ok(table)
    }

    /// Fills in what lies below and above each piece.
    fn add_up(&mut self) {
        let mut sum = self.start / (self.power + 1.0);
        for piece in &mut self.pieces {
            piece.near_below = sum;
            sum += piece.between(0, piece.from, piece.to);
        }
        sum = 0.0;
        for piece in self.pieces.iter_mut().rev() {
            piece.far_above = sum;
            sum += piece.between(1, piece.from, piece.to);
        }
    }

    /// The integral of `t w(t)` from 0 to t.
    pub(crate) fn near(&self, t: f64) -> f64 {
        match self.piece(t) {
            Some(i) => {
                let piece = &self.pieces[i];
                piece.near_below + piece.between(0, piece.from, t)
            }
            None => {
                let ratio = t / self.pieces[0].from;
                self.start * ratio.powf(self.power + 1.0) / (self.power + 1.0)
            }
        }
    }

    /// The integral of `(1 - t) w(t)` from t to 1/2.
    pub(crate) fn far(&self, t: f64) -> f64 {
        match self.piece(t) {
            Some(i) => {
                let piece = &self.pieces[i];
                piece.far_above + piece.between(1, t, piece.to)
            }
            None => {
                let first = &self.pieces[0];
                let ratio = t / first.from;
                let above = first.far_above + first.between(1, first.from, first.to);
                if self.start == 0.0 {
                    return above;
                }
                above - self.start / first.from * box_cox(self.power, ratio, ratio - 1.0)
            }
        }
    }

    /// The integral of `|t - q| w(t)` between two places of this half, q being one of them or in the
    /// other half, at this distance from the other end.
    pub(crate) fn moment(&self, from: f64, to: f64, q: f64, rest: f64) -> f64 {
        // Beyond one half it is the other distance that has all digits.
        let gap = |t: f64| if rest < 0.5 { (t - 0.5) + (rest - 0.5) } else { t - q };
        let below =
            if self.piece(from).is_none() { self.moment_below(from, to, q, gap(to)) } else { 0.0 };
        let integral = |piece: &Piece| {
            let (from, to) = (piece.from.max(from), piece.to.min(to));
            if from < q / 2.0 {
                return gauss(from, to, |t| (q - t) * piece.density_at(t));
            }
            // Over distances from q, as places next to it have lost the digits of theirs.
            gauss(gap(from), gap(to), |gap| gap.abs() * piece.density_at(q + gap))
        };
        let first = self.piece(from).unwrap_or(0);
        let pieces = self.piece(to).and_then(|last| self.pieces.get(first..=last));
        below + pieces.into_iter().flatten().map(integral).sum::<f64>()
    }

    /// The part of it below the table, by the power that goes on there; `gap` is `to - q`.
    fn moment_below(&self, from: f64, to: f64, q: f64, gap: f64) -> f64 {
        if self.start == 0.0 {
            return 0.0;
        }
        let first = self.pieces[0].from;
        let to_first = |x: f64| x / first;
        let power = self.power + 1.0;
        let end = to.min(first);
        if q == from {
            // From the truth up.
            let distance = if to < first { gap } else { first - q };
            return self.start
                * above_tangent(power, to_first(end), to_first(q), to_first(distance));
        }
        // From the truth down, or what lies between it and the table.
        let ratio = from / end;
        let near = above_tangent(power, ratio, 1.0, (from - end) / end);
        let far = if q > end {
            (q - end) / end * -box_cox(self.power, ratio, (from - end) / end)
        } else {
            0.0
        };
        self.start * to_first(end).powf(power) * (near + far)
    }

    /// The piece that t lies in; `None` below the table.
    fn piece(&self, t: f64) -> Option<usize> {
        self.pieces.partition_point(|piece| piece.from <= t).checked_sub(1)
    }
}

impl Piece {
    /// One of the two integrals, between two places of the piece.
    fn between(&self, which: usize, from: f64, to: f64) -> f64 {
        let sum = |t: f64| chebyshev_sum(&self.integrals[which], self.place(t));
        (sum(to) - sum(from)).max(0.0)
    }

    fn density_at(&self, t: f64) -> f64 {
        chebyshev_sum(&self.density, self.place(t)).max(0.0)
    }

    fn place(&self, t: f64) -> f64 {
        ((t - self.from) - (self.to - t)) / (self.to - self.from)
    }
}

/// What kept a piece from being made.
enum Trouble {
    Of(Error),
    TooMany { near: f64 },
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Of(error)
    }
}

/// Fits polynomials on [-1, 1] through values at Chebyshev's nodes, piece by piece.
struct Builder<W> {
    w: W,
    pieces: Vec<Piece>,
    /// The largest integrals so far, of `t w` and of `(1 - t) w`.
    largest: [f64; 2],
    nodes: [f64; NODES],
    /// Per polynomial of the basis, its values at the nodes.
    basis: [[f64; NODES]; NODES],
}

impl<W: Fn(f64) -> Result<f64, Error>> Builder<W> {
    fn new(w: W) -> Self {
        let angle = |i: usize| (i as f64 + 0.5) * std::f64::consts::PI / NODES as f64;
        Self {
            w,
            pieces: Vec::with_capacity(OCTAVES as usize),
            largest: [0.0; 2],
            nodes: std::array::from_fn(|i| angle(i).cos()),
            basis: std::array::from_fn(|k| std::array::from_fn(|i| (k as f64 * angle(i)).cos())),
        }
    }

    fn coefficients(&self, values: &[f64; NODES]) -> [f64; NODES] {
        std::array::from_fn(|k| {
            let products = values.iter().zip(&self.basis[k]).map(|(value, basis)| value * basis);
            products.sum::<f64>() * if k == 0 { 1.0 } else { 2.0 } / NODES as f64
        })
    }

    /// Estimates the largest integrals, by which it is judged what does not count.
    fn look_over(&mut self) -> Result<(), Error> {
        for octave in 1..OCTAVES {
            let from = 2.0_f64.powi(-octave - 1);
            for node in self.nodes {
                let t = from * (1.5 + 0.5 * node);
                let mass = (self.w)(t)? * from / NODES as f64;
                self.largest[0] += t * mass;
                self.largest[1] += (1.0 - t) * mass;
            }
        }
        Ok(())
    }

    /// Appends pieces from one place to another, halved until a polynomial meets the density on
    /// each.
    fn divide(&mut self, from: f64, to: f64) -> Result<(), Trouble> {
        let (middle, half) = (f64::midpoint(from, to), (to - from) / 2.0);
        let places = self.nodes.map(|node| middle + half * node);
        let mut values = [0.0; NODES];
        for (value, &place) in values.iter_mut().zip(&places) {
            *value = (self.w)(place)?;
        }
        let density = self.coefficients(&values);
        let (mut least, mut most, mut missed) = (f64::INFINITY, 0.0_f64, 0.0_f64);
        for value in values {
            (least, most) = (least.min(value), most.max(value));
        }
        // Half way between nodes a polynomial through them misses most.
        for pair in self.nodes.windows(2) {
            let x = f64::midpoint(pair[0], pair[1]);
            let value = (self.w)(middle + half * x)?;
            (least, most) = (least.min(value), most.max(value));
            missed = missed.max((value - chebyshev_sum(&density, x)).abs());
        }
        // As a score would be wrong by it: of t w the integral is t times as large.
        let passes = |value: f64| {
            let error = value * (to - from);
            error * to <= LET_PASS * self.largest[0]
                && error * (1.0 - from) <= LET_PASS * self.largest[1]
        };
        let met = missed <= MET * most;
        // Next to a place where the density becomes 0 no piece is narrow enough for the second.
        let even = most <= CHANGE * least || (to - from) < to / 4096.0;
        if (even && (met || passes(missed))) || most < 1e-300 {
            let integral = |factor: fn(f64) -> f64| {
                let weighted = std::array::from_fn(|i| values[i] * factor(places[i]));
                antiderivative(&self.coefficients(&weighted), half)
            };
            let integrals = [integral(|t| t), integral(|t| 1.0 - t)];
            self.pieces.push(Piece {
                from,
                to,
                density,
                integrals,
                near_below: 0.0,
                far_above: 0.0,
            });
            return Ok(());
        }
        if self.pieces.len() >= MOST_PIECES || middle <= from || middle >= to {
            return Err(Trouble::TooMany { near: middle });
        }
        self.divide(from, middle)?;
        self.divide(middle, to)
    }
}

/// The coefficients of the integral, with 0 for the constant.
fn antiderivative(c: &[f64; NODES], half: f64) -> [f64; NODES + 1] {
    std::array::from_fn(|k| {
        let at = |i: usize| c.get(i).copied().unwrap_or(0.0);
        match k {
            0 => 0.0,
            1 => half * (at(0) - at(2) / 2.0),
            _ => half * (at(k - 1) - at(k + 1)) / (2.0 * k as f64),
        }
    })
}

/// Clenshaw's sum.
fn chebyshev_sum(coefficients: &[f64], x: f64) -> f64 {
    let Some((first, others)) = coefficients.split_first() else { return 0.0 };
    let (mut above, mut last) = (0.0, 0.0);
    for &c in others.iter().rev() {
        (above, last) = (c + 2.0 * x * above - last, above);
    }
    first + x * above - last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_look_finds_the_integrals_of_an_even_density() {
        let mut builder = Builder::new(|t| if t <= 0.5 { Ok(4.0) } else { Err(Error::Empty) });
        builder.look_over().unwrap();
        approx::assert_relative_eq!(builder.largest[0], 0.5, epsilon = 0.0, max_relative = 1e-12);
        approx::assert_relative_eq!(builder.largest[1], 1.5, epsilon = 0.0, max_relative = 1e-12);
    }
}
