/// The rank, or the weight, that has to be reached for a share of `all`, less what rounding may
/// have added to it.
///
/// A share such as 1 - 0.9, or one that was moved step by step, is off by some units in the last
/// place of 1 however small it is, and its product with `all` by that many for each of all. Without
/// the allowance 10 ranks in 100 could be 11.
pub(crate) fn least(share: f64, all: f64) -> f64 {
    (share - 1e-12) * all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_rank_is_whole_for_any_number_of_scores() {
        for all in [100, 200, 12_300, 10_000_000, 100_000_000] {
            for percent in 1..100_i64 {
                let whole = (percent * all / 100) as f64;
                let share = percent as f64 / 100.0;
                // As it is, as one less a level of misses, and as one that was moved to and fro.
                let moved = 1.0 - (1.0 - share + 0.3 - 0.1 - 0.2);
                for share in [share, 1.0 - (1.0 - share), moved] {
                    assert_eq!(least(share, all as f64).ceil(), whole, "{share} of {all}");
                }
                // A hundredth of a rank more is the next one.
                let more = (whole + 0.01) / all as f64;
                assert_eq!(least(more, all as f64).ceil(), whole + 1.0, "{more} of {all}");
            }
        }
    }
}
