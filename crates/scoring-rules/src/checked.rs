/// Defines a struct that is checked when it is read: with the feature `serde` of the calling crate it
/// implements `Serialize`, and `Deserialize` by reading its fields and then checking them.
///
/// The check is a function from a reference to the struct to a `Result<(), E>` whose error is
/// displayed. Unknown fields are errors. Attributes of fields, such as `serde(default)`, apply to
/// writing and to reading.
///
/// The struct is defined inside the macro, so that its fields are listed once. With
/// `serde(remote = "Self")` they would be, too, but a public type would then have a public function
/// `deserialize` that does not check.
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
        $visible:vis struct $type:ident {
            $($(#[$field_attribute:meta])* $field_visible:vis $field:ident: $kind:ty),* $(,)?
        }
        check: $check:expr
    ) => {
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        $(#[$attribute])*
        $visible struct $type {
            $($(#[$field_attribute])* $field_visible $field: $kind),*
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let read = {
                    // Has the same name as the type, which appears in error messages.
                    #[derive(serde::Deserialize)]
                    #[serde(deny_unknown_fields)]
                    struct $type {
                        $($(#[$field_attribute])* $field: $kind),*
                    }
                    let $type { $($field),* } = serde::Deserialize::deserialize(deserializer)?;
                    Self { $($field),* }
                };
                // The type of the argument is given here, so that the check can be a plain closure.
                let check: fn(&Self) -> Result<(), _> = $check;
                match check(&read) {
                    Ok(()) => Ok(read),
                    Err(error) => Err(serde::de::Error::custom(error)),
                }
            }
        }
    };
}
