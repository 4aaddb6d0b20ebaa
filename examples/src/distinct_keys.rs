//! A check that no object in a JSON text has one key twice. `serde_json` keeps the last value of such
//! a key without a word, unless the key is a field of a derived reader.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny},
};

use crate::json_lines::describe;

/// Checks a JSON text that has been read already. The error holds the line, the path to the key and
/// the problem.
pub(crate) fn check(json: &[u8]) -> Result<(), (usize, Option<String>, String)> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let Err(error) = serde_path_to_error::deserialize::<_, DistinctKeys>(&mut deserializer) else {
        return Ok(());
    };
    let line = error.inner().line();
    // A number that no float can hold is the business of the field that takes it.
    if !error.inner().to_string().starts_with(DUPLICATE) {
        return Ok(());
    }
    let (field, problem) = describe(error);
    Err((line, field, problem))
}

/// As the message of a derived reader begins.
pub(crate) const DUPLICATE: &str = "duplicate field `";

/// Any JSON value in which no object has a key twice.
struct DistinctKeys;

impl<'de> Deserialize<'de> for DistinctKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Visitor)
    }
}

struct Visitor;

impl<'de> de::Visitor<'de> for Visitor {
    type Value = DistinctKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_i64<E>(self, _: i64) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_u64<E>(self, _: u64) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_f64<E>(self, _: f64) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_str<E>(self, _: &str) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_unit<E>(self) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<DistinctKeys, A::Error> {
        while list.next_element::<DistinctKeys>()?.is_some() {}
        Ok(DistinctKeys)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<DistinctKeys, A::Error> {
        let mut seen: BTreeSet<Cow<'de, str>> = BTreeSet::new();
        while let Some(Key(key)) = map.next_key()? {
            if seen.contains(&key) {
                map.next_value::<IgnoredAny>()?;
                return Err(de::Error::custom(format_args!("{DUPLICATE}{key}`")));
            }
            seen.insert(key);
            map.next_value::<DistinctKeys>()?;
        }
        Ok(DistinctKeys)
    }
}

/// A key, borrowed if it has no escapes. A derived reader would hide the key from the path.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> de::Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(key)))
    }

    fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(key.to_owned())))
    }
}
