//! Fingerprints of values, which depend neither on a format nor on the order of named fields.

use std::fmt::{Display, Error};

use serde::{Serialize, Serializer, ser};
use trajectory_metrics::random::fnv1a;

/// Returns a fingerprint of 53 bits, which readers of JSON keep.
pub(crate) fn fingerprint(value: &impl Serialize) -> Result<u64, Error> {
    Ok(value.serialize(Hasher)? >> 11)
}

/// Hashes a value by its form in JSON: null, a text, a number with a fraction, a list, or an object. Integers and truth
/// values are texts, as integers are in the names of an object.
#[derive(Clone, Copy)]
struct Hasher;

fn leaf(kind: u8, bytes: &[u8]) -> u64 {
    fnv1a([kind].iter().chain(bytes).copied())
}

fn text(value: impl Display) -> u64 {
    leaf(1, value.to_string().as_bytes())
}

fn number(value: f64) -> u64 {
    leaf(2, &value.to_le_bytes())
}

fn pair(first: u64, second: u64) -> u64 {
    fnv1a([first, second].into_iter().flat_map(u64::to_le_bytes))
}

macro_rules! leaves {
    ($($method:ident($($value:ident: $kind:ty),*) $hash:expr;)*) => {
        $(fn $method(self, $($value: $kind),*) -> Result<u64, Error> { Ok($hash) })*
    };
}

macro_rules! compounds {
    ($($method:ident($($value:ident: $kind:ty),*) -> $parts:ident $variant:expr;)*) => {
        $(type $parts = Parts;

        fn $method(self, $($value: $kind),*) -> Result<Parts, Error> {
            Ok(Parts { variant: $variant, key: 0, hash: 0 })
        })*
    };
}

impl Serializer for Hasher {
    type Ok = u64;
    type Error = Error;

    leaves! {
        serialize_none() leaf(0, &[]);
        serialize_unit() leaf(0, &[]);
        serialize_unit_struct(_name: &'static str) leaf(0, &[]);
        serialize_bool(value: bool) text(value);
        serialize_i8(value: i8) text(value);
        serialize_i16(value: i16) text(value);
        serialize_i32(value: i32) text(value);
        serialize_i64(value: i64) text(value);
        serialize_u8(value: u8) text(value);
        serialize_u16(value: u16) text(value);
        serialize_u32(value: u32) text(value);
        serialize_u64(value: u64) text(value);
        serialize_f32(value: f32) number(value.to_string().parse().unwrap_or(f64::NAN));
        serialize_f64(value: f64) number(value);
        serialize_char(value: char) text(value);
        serialize_str(value: &str) text(value);
        serialize_bytes(value: &[u8]) leaf(1, value);
        serialize_unit_variant(_name: &'static str, _at: u32, name: &'static str) text(name);
    }

    compounds! {
        serialize_seq(_len: Option<usize>) -> SerializeSeq None;
        serialize_tuple(_len: usize) -> SerializeTuple None;
        serialize_tuple_struct(_name: &'static str, _len: usize) -> SerializeTupleStruct None;
        serialize_map(_len: Option<usize>) -> SerializeMap None;
        serialize_struct(_name: &'static str, _len: usize) -> SerializeStruct None;
        serialize_tuple_variant(_name: &'static str, _at: u32, name: &'static str, _len: usize)
            -> SerializeTupleVariant Some(name);
        serialize_struct_variant(_name: &'static str, _at: u32, name: &'static str, _len: usize)
            -> SerializeStructVariant Some(name);
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<u64, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<u64, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _at: u32,
        name: &'static str,
        value: &T,
    ) -> Result<u64, Error> {
        Ok(pair(text(name), value.serialize(self)?))
    }
}

/// The parts of a list or an object so far.
struct Parts {
    variant: Option<&'static str>,
    key: u64,
    hash: u64,
}

impl Parts {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.hash = pair(self.hash, value.serialize(Hasher)?);
        Ok(())
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.key = text(name);
        ser::SerializeMap::serialize_value(self, value)
    }
}

impl ser::SerializeMap for Parts {
    type Ok = u64;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = key.serialize(Hasher)?;
        Ok(())
    }

    /// A sum does not depend on the order of the entries.
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.hash = self.hash.wrapping_add(pair(self.key, value.serialize(Hasher)?));
        Ok(())
    }

    fn end(self) -> Result<u64, Error> {
        let Self { variant, hash, .. } = self;
        Ok(variant.map_or(hash, |name| pair(text(name), hash)))
    }
}

macro_rules! parts {
    ($($part:ident $method:ident($($name:ident: $kind:ty)?) $add:ident;)*) => {
        $(impl ser::$part for Parts {
            type Ok = u64;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: $kind,)?
                value: &T,
            ) -> Result<(), Error> {
                self.$add($($name,)? value)
            }

            fn end(self) -> Result<u64, Error> {
                ser::SerializeMap::end(self)
            }
        })*
    };
}

const _: () = {
    parts! {
        SerializeSeq serialize_element() element;
        SerializeTuple serialize_element() element;
        SerializeTupleStruct serialize_field() element;
        SerializeTupleVariant serialize_field() element;
        SerializeStruct serialize_field(name: &'static str) field;
        SerializeStructVariant serialize_field(name: &'static str) field;
    }
};
