//! Names of the values of enumerations.

/// Implements `ALL`, `name` and `Display` of an enumeration without values.
macro_rules! names {
    ($type:ident, $($item:ident $name:literal),* $(,)?) => {
        impl $type {
            /// All values, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$item),*];

            /// Returns the name in texts.
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
