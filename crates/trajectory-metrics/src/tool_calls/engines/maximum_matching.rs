use crate::tool_calls::engines::compatibility::{Compatibility, ones};

/// Returns a matching with the most pairs, in which each call satisfies at most one expected call
/// and each expected call is satisfied at most once. The pairs are in the order of the calls. Calls
/// and expected calls that are paired in `start` stay paired, but possibly with other partners.
///
/// The algorithm searches augmenting paths breadth first from each free call. It does not visit
/// again the calls of a failed search, because they cannot help another call. The time is at most
/// O(c * (n * m / 64 + m)) for c paths found among n calls and m expected calls.
///
/// Reference: Berge (1957), Two theorems in graph theory, doi:10.1073/pnas.43.9.842.
pub(crate) fn maximum_matching(
    compatibility: &Compatibility,
    start: &[(usize, usize)],
) -> Vec<(usize, usize)> {
    let (rows, columns) = (compatibility.rows, compatibility.columns);
    let mut call_of = vec![None; columns];
    let mut expected_of = vec![None; rows];
    for &(call, expected) in start {
        call_of[expected] = Some(call);
        expected_of[call] = Some(expected);
    }
    let mut matched = start.len();
    // The expected calls that the search has not reached; below, the calls from which it reached
    // the others.
    let all = || {
        let mut words = vec![u64::MAX; columns.div_ceil(64)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), columns % 64) {
            *last = (1 << rest) - 1;
        }
        words
    };
    let mut unreached = all();
    let mut reached_from = vec![0; columns];
    let mut queue = Vec::new();
    for root in 0..rows {
        if matched == columns {
            break;
        }
        // A call that has a partner will always have one.
        if expected_of[root].is_some() {
            continue;
        }
        queue.clear();
        queue.push(root);
        let mut next = 0;
        let end = 'search: loop {
            let Some(&call) = queue.get(next) else { break None };
            next += 1;
            for (block, (unreached, &fits)) in
                unreached.iter_mut().zip(compatibility.row(call)).enumerate()
            {
                let found = *unreached & fits;
                *unreached &= !fits;
                for expected in ones(found).map(|bit| 64 * block + bit) {
                    reached_from[expected] = call;
                    match call_of[expected] {
                        Some(call) => queue.push(call),
                        None => break 'search Some(expected),
                    }
                }
            }
        };
        if let Some(end) = end {
            // Back along the path, each call takes the expected call that was reached from it.
            let mut expected = end;
            loop {
                let call = reached_from[expected];
                call_of[expected] = Some(call);
                match expected_of[call].replace(expected) {
                    Some(left) => expected = left,
                    None => break,
                }
            }
            matched += 1;
            unreached = all();
        }
    }
    let partners = expected_of.iter().enumerate();
    partners.filter_map(|(call, expected)| expected.map(|expected| (call, expected))).collect()
}
