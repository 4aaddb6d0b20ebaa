/// Reusable memory that is not part of the state. All instances compare equal, and none is stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<T>(pub(crate) T);

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
