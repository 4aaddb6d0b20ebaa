//! The remaining costs of past runs, with their quantiles.

use crate::{
    checks::least,
    order_statistics::{Inserted, OrderStatistics},
    product_limit::{PastCost, ProductLimit, Search},
    state::Scratch,
};

/// The remaining costs of past runs after the same number of turns, in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(crate) struct PastCosts {
    sorted: OrderStatistics<PastCost>,
    /// The product-limit estimate, which [`quantile`](Self::quantile) makes for a sample of many costs with cut-offs.
    #[cfg_attr(feature = "serde", serde(skip))]
    product: Scratch<Option<ProductLimit>>,
}

impl PastCosts {
    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }

    pub(crate) fn insert(&mut self, cost: PastCost) {
        let Inserted { block, is_split } = self.sorted.insert(cost);
        if let Some(product) = &mut self.product.0 {
            product.update(self.sorted.blocks(), block, is_split);
        }
    }

    /// Returns the smallest value by which the estimated share of ended runs (Kaplan-Meier; without cut-offs,
    /// the plain share) is at least p; `None` without a cost. Takes O(n^(1/3)) for n costs.
    pub(crate) fn quantile(&mut self, p: f64, has_cut_offs: bool) -> Option<f64> {
        let n = self.sorted.len();
        if !has_cut_offs {
            let rank = least(p, n as f64).ceil().max(1.0) as usize;
            return self.sorted.nth(rank.min(n)).map(|run| run.remaining);
        }
        let blocks = self.sorted.blocks();
        let mut search = Search::new(least(p, 1.0));
        let found = match blocks {
            [block] => search.walk(block, 0.0),
            _ => {
                let product = self.product.0.get_or_insert_with(|| ProductLimit::new(blocks));
                product.find(blocks, &mut search)
            }
        };
        found.or_else(|| self.sorted.nth(n).map(|run| run.remaining))
    }
}
