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

/// Implements `ALL`, `name` and `Display` of an enumeration without values.
macro_rules! names {
    ($type:ident, $($item:ident $name:literal),* $(,)?) => {
        impl $type {
            /// All values, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$item),*];

            /// Returns the name of this value, which `Display` also writes.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$item => $name),* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use names;
