/// Nodes and weights of the Gauss-Legendre rule with ten points on [-1, 1], positive half.
/// origin: NumPy 2.4.6, numpy.polynomial.legendre.leggauss(10)
const GAUSS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_22, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// The integral of a function from a to b by the Gauss-Legendre rule with ten points.
pub(crate) fn gauss(a: f64, b: f64, integrand: impl Fn(f64) -> f64) -> f64 {
    let (middle, half) = (f64::midpoint(a, b), (b - a) / 2.0);
    let pair = |&(node, weight): &(f64, f64)| {
        weight * (integrand(middle - half * node) + integrand(middle + half * node))
    };
    half * GAUSS.iter().map(pair).sum::<f64>()
}
