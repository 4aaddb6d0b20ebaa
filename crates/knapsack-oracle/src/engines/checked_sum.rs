use crate::error::Error;

/// Returns the sum of the numbers, one per item, or an error if it exceeds the limit.
pub(crate) fn checked_sum(
    what: &'static str,
    limit: u64,
    numbers: impl Iterator<Item = u64>,
) -> Result<u64, Error> {
    let mut sum = 0_u64;
    for (item, number) in numbers.enumerate() {
        let next = sum.checked_add(number).filter(|&sum| sum <= limit);
        sum = next.ok_or(Error::Sum { what, item, limit })?;
    }
    Ok(sum)
}
