use crate::error::Error;

/// Checks that the numbers sum to at most the limit.
pub(super) fn check_sum(
    what: &'static str,
    limit: u64,
    numbers: impl Iterator<Item = u64>,
) -> Result<(), Error> {
    let mut sum = 0_u64;
    for (item, number) in numbers.enumerate() {
        sum = sum.checked_add(number).filter(|&sum| sum <= limit).ok_or(Error::Sum {
            what,
            item,
            limit,
        })?;
    }
    Ok(())
}
