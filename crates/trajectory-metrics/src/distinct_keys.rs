//! JSON objects in which no key occurs twice: a reader of maps, and, with the feature `json`, a scan of a text.
//!
//! If a key occurs twice, `serde_json` silently keeps the last value, unless the key is a field of
//! a derived reader.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt,
    marker::PhantomData,
};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};

#[cfg(feature = "json")]
pub use crate::repeated_key::repeated_key;

/// Reads a map and refuses a key that occurs twice.
///
/// # Errors
///
/// ``duplicate field `key` `` for such a key, and the errors of the format.
pub fn map<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    object(deserializer, "a map")
}

/// Does the same as [`map`], with a description of the expected type for errors.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    expected: &'static str,
) -> Result<BTreeMap<String, T>, D::Error> {
    struct Object<T>(&'static str, PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            entries(map)
        }
    }

    deserializer.deserialize_map(Object(expected, PhantomData))
}

/// The entries of a map that has been opened.
pub(crate) fn entries<'de, A: MapAccess<'de>, T: Deserialize<'de>>(
    mut map: A,
) -> Result<BTreeMap<String, T>, A::Error> {
    let mut entries = BTreeMap::new();
    while let Some(key) = map.next_key()? {
        match entries.entry(key) {
            Entry::Vacant(place) => _ = place.insert(map.next_value()?),
            Entry::Occupied(place) => {
                let key: &String = place.key();
                return Err(de::Error::custom(format_args!("duplicate field `{key}`")));
            }
        }
    }
    Ok(entries)
}
