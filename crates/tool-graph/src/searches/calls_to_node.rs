/// The calls on the way to a node of a search. Node 0 is the start; `last` returns the parent of a
/// node and the call between them.
pub(super) fn calls_to_node(mut number: usize, last: impl Fn(usize) -> (usize, u32)) -> Vec<u32> {
    let mut calls = Vec::new();
    while number != 0 {
        let (parent, tool) = last(number);
        calls.push(tool);
        number = parent;
    }
    calls.reverse();
    calls
}
