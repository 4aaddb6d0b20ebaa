//! The methods that set one field of a setting.

/// Implements methods that each set one field: `with_name(field: Type);` is
/// `pub fn with_name(mut self, field: Type) -> Self`.
macro_rules! setters {
    ($($(#[$attribute:meta])* $name:ident($field:ident: $type:ty);)*) => {
        $(
            $(#[$attribute])*
            #[must_use]
            pub fn $name(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            }
        )*
    };
}
pub(crate) use setters;
