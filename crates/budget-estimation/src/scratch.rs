/// Memory that is used again, and is no part of a state: all of it is equal, and none of it is stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<T>(pub(crate) T);

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
