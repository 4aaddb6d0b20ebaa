use std::{borrow::Cow, cell::RefCell, collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// The path of a key that stands twice in one object of a JSON text, such as `turns[0].tokens`.
///
/// `None` if there is none, or if the text is not JSON.
pub(super) fn repeated_key(json: &str) -> Option<String> {
    let path = RefCell::default();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    // The error says no more than that there is one.
    let _ = Unique { path: &path }.deserialize(&mut deserializer);
    let steps = path.into_inner();
    let mut text = String::new();
    for step in steps.iter().rev() {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.extend([".", key]),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    (!steps.is_empty()).then_some(text)
}

/// One step of the path to a repeated key.
enum Step {
    Key(String),
    Index(usize),
}

/// Reads any value, and notes the path to the first repeated key from the inside out.
#[derive(Clone, Copy)]
struct Unique<'a> {
    path: &'a RefCell<Vec<Step>>,
}

impl Unique<'_> {
    /// Adds a step to the path, if there is a repeated key further inside.
    fn note(self, step: impl FnOnce() -> Step) {
        let mut path = self.path.borrow_mut();
        if !path.is_empty() {
            path.push(step());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            match items.next_element_seed(self) {
                Ok(Some(())) => index += 1,
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.note(|| Step::Index(index));
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = Keys::default();
        while let Some(Key(key)) = entries.next_key()? {
            if keys.contains(&key) {
                self.path.borrow_mut().push(Step::Key(key.into_owned()));
                return Err(A::Error::custom("a key stands twice"));
            }
            if let Err(error) = entries.next_value_seed(self) {
                self.note(|| Step::Key(key.into_owned()));
                return Err(error);
            }
            keys.insert(key);
        }
        Ok(())
    }
}

/// A key, without a copy unless it holds escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(key.into()))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(key.to_owned().into()))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

/// The keys of one object; few are compared one by one, as that is faster than hashing them.
#[derive(Default)]
struct Keys<'de> {
    few: Vec<Cow<'de, str>>,
    many: HashSet<Cow<'de, str>>,
}

impl<'de> Keys<'de> {
    const FEW: usize = 16;

    fn contains(&self, key: &str) -> bool {
        self.few.iter().any(|known| known == key) || self.many.contains(key)
    }

    fn insert(&mut self, key: Cow<'de, str>) {
        if self.few.len() < Self::FEW {
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
    }
}
