/// Scores of all runs so far, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedScores {
    /// Each with its weight.
    scores: Vec<(f64, f64)>,
}

impl SortedScores {
    /// Takes in the scores of one run, each with the same weight. Takes O(n) for n scores so far.
    pub(super) fn add(&mut self, scores: &[f64], weight: f64) {
        let scores = scores.iter().map(|&s| if s.is_nan() { f64::INFINITY } else { s });
        self.scores.extend(scores.map(|score| (score, weight)));
        // Sorting two sorted stretches is merging them.
        self.scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// The i-th smallest, from 1.
    pub(super) fn nth(&self, i: usize) -> Option<f64> {
        self.scores.get(i.checked_sub(1)?).map(|(score, _)| *score)
    }

    /// The smallest score at and below which the weights add up to at least so much.
    pub(super) fn at_weight(&self, least: f64) -> Option<f64> {
        let mut sum = 0.0;
        // What is short of it by rounding alone is enough.
        let least = least * (1.0 - 1e-12);
        self.scores.iter().find_map(|(score, weight)| {
            sum += weight;
            (sum >= least).then_some(*score)
        })
    }
}
