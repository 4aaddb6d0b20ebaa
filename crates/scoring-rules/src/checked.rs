/// Defines a struct that is checked when it is read: with the feature `serde` of the calling crate it
/// implements `Serialize`, and `Deserialize` by reading its fields and then checking them.
///
/// The check is a function from a reference to the struct to a `Result<(), E>` whose error is displayed.
/// With `restore:` instead of `check:` the reference is mutable, and the function can also compute fields
/// that are not stored (`serde(skip)`). Unknown fields are errors. Attributes of fields, such as
/// `serde(default)`, apply to writing and to reading.
///
/// The struct is defined inside the macro, so that its fields are listed once. `serde(remote = "Self")`
/// would also list them once, but would give a public type a public function `deserialize` that does not
/// check.
///
/// ```
/// scoring_rules::checked! {
///     /// A part of a whole.
///     #[derive(Debug)]
///     struct Share {
///         part: f64,
///         whole: f64,
///     }
///     check: Share::check
/// }
///
/// # #[cfg(feature = "serde")]
/// impl Share {
///     fn check(&self) -> Result<(), &'static str> {
///         if self.part <= self.whole { Ok(()) } else { Err("the part is above the whole") }
///     }
/// }
/// ```
#[macro_export]
macro_rules! checked {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $type:ident $(<$($parameter:ident),+>)? {
            $($(#[$field_attribute:meta])* $field_visible:vis $field:ident: $kind:ty),* $(,)?
        }
        $how:ident: $check:expr
    ) => {
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        $(#[$attribute])*
        $visible struct $type $(<$($parameter),+>)? {
            $($(#[$field_attribute])* $field_visible $field: $kind),*
        }

        #[cfg(feature = "serde")]
        impl<'de $($(, $parameter: serde::Deserialize<'de>)+)?> serde::Deserialize<'de>
            for $type $(<$($parameter),+>)?
        {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let read = {
                    // Has the same name as the type, which appears in error messages.
                    #[derive(serde::Deserialize)]
                    #[serde(deny_unknown_fields)]
                    struct $type $(<$($parameter),+>)? {
                        $($(#[$field_attribute])* $field: $kind),*
                    }
                    let $type { $($field),* } = serde::Deserialize::deserialize(deserializer)?;
                    Self { $($field),* }
                };
                $crate::checked!(@$how read, $check).map_err(serde::de::Error::custom)
            }
        }
    };
    // The type of the argument is given here, so that the check can be a plain closure.
    (@check $read:ident, $check:expr) => {{
        let check: fn(&Self) -> Result<(), _> = $check;
        check(&$read).map(|()| $read)
    }};
    (@restore $read:ident, $check:expr) => {{
        let restore: fn(&mut Self) -> Result<(), _> = $check;
        let mut read = $read;
        restore(&mut read).map(|()| read)
    }};
}
