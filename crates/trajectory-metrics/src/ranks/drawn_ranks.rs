use scoring_rules::{CompensatedSum, Probability};

use crate::{calibration::calibration_error::T_ECE_BINS, error::Error, ranks::ranking::Ranking};

/// Sorted rows that are drawn with their clusters. All metrics of ranks and bins of a resample take one pass, without
/// a sort.
pub(crate) struct DrawnRanks {
    /// The cluster and the [place](Ranking::places) of each row, in order of the places.
    rows: Vec<[u32; 2]>,
    /// The confidence of each tied block.
    confidence: Vec<f64>,
}

/// The metrics of a resample; NaN if undefined.
pub(crate) struct DrawnMetrics {
    pub(crate) auroc: f64,
    /// With failure as the positive class.
    pub(crate) average_precision: f64,
    pub(crate) aurc: f64,
    pub(crate) t_ece: f64,
}

const BINS: f64 = T_ECE_BINS as f64;

impl DrawnRanks {
    pub(crate) fn new(
        confidence: &[Probability],
        outcomes: &[bool],
        cluster_of: impl Fn(usize) -> u32,
    ) -> Result<Self, Error> {
        let places = Ranking::new(confidence, outcomes)?.places();
        let mut rows: Vec<[u32; 2]> =
            places.iter().enumerate().map(|(row, &place)| [cluster_of(row), place]).collect();
        rows.sort_unstable_by_key(|&[_, place]| place);
        let blocks = places.iter().max().map_or(0, |last| last / 2 + 1);
        let mut of_blocks = vec![0.0; blocks as usize];
        for (place, p) in places.iter().zip(confidence) {
            of_blocks[*place as usize / 2] = p.get();
        }
        Ok(Self { rows, confidence: of_blocks })
    }

    /// Computes the metrics of a resample in which cluster g occurs `drawn[g]` times, with the bits that
    /// [`Diagnostics`](crate::Diagnostics) have. `counts` is memory for the number of rows at each place.
    pub(crate) fn metrics(&self, drawn: &[u32], counts: &mut Vec<u32>) -> DrawnMetrics {
        counts.clear();
        counts.resize(2 * self.confidence.len(), 0);
        for &[cluster, place] in &self.rows {
            counts[place as usize] += drawn[cluster as usize];
        }
        let blocks = counts.as_chunks::<2>().0;
        let (mut failures, mut successes) = (0_u64, 0_u64);
        for &[failed, succeeded] in blocks {
            failures += u64::from(failed);
            successes += u64::from(succeeded);
        }
        let (failures, successes) = (failures as f64, successes as f64);
        let total = failures + successes;
        // Sums over blocks without a drawn row add 0.
        let (mut twice_right, mut precision, mut risk, mut gaps) =
            (CompensatedSum::default(), CompensatedSum::default(), CompensatedSum::default(), 0.0);
        let (mut failed_below, mut below, mut gap, mut next_bin) = (0.0, 0.0, 0.0_f64, 1.0);
        let (mut failed_above, mut above) = (0.0, 0.0);
        let ascending = blocks.iter().zip(&self.confidence);
        for ((&[failed, succeeded], &p), &[failed_down, succeeded_down]) in
            ascending.zip(blocks.iter().rev())
        {
            let (failed, succeeded) = (f64::from(failed), f64::from(succeeded));
            let weight = failed + succeeded;
            // The middle of the block is in a later bin. Both products are whole numbers.
            let middle = BINS * (2.0 * below + weight);
            if middle >= 2.0 * total * next_bin && next_bin < BINS {
                gaps += gap.abs();
                gap = 0.0;
                while middle >= 2.0 * total * next_bin && next_bin < BINS {
                    next_bin += 1.0;
                }
            }
            gap += weight * p - succeeded;
            twice_right.add(succeeded * (2.0 * failed_below + failed));
            failed_below += failed;
            below += weight;
            precision.add(failed * (failed_below / below.max(1.0)));

            let (failed, succeeded) = (f64::from(failed_down), f64::from(succeeded_down));
            let weight = failed + succeeded;
            failed_above += failed;
            above += weight;
            risk.add(weight * (failed_above / above.max(1.0)));
        }
        let defined = |is: bool, value: f64| if is { value.min(1.0) } else { f64::NAN };
        let (has_failures, has_both) = (failures > 0.0, failures > 0.0 && successes > 0.0);
        DrawnMetrics {
            auroc: defined(has_both, twice_right.value() / (2.0 * failures * successes)),
            average_precision: defined(has_failures, precision.value() / failures),
            aurc: defined(total > 0.0, risk.value() / total),
            t_ece: defined(total > 0.0, (gaps + gap.abs()) / total),
        }
    }
}
