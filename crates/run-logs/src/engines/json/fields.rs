use crate::{
    engines::json::reader::{Json, Open, Segment},
    error::{Error, Problem},
};

/// Reads an object: the names of its fields beside what reads the value of each.
///
/// An arm may have several names and a condition; a field whose condition does not hold is passed
/// over, as fields without an arm are. With `given`, fields whose value is null are passed over, too.
/// A last arm `in LIST` takes the fields of a list that [`named_fields`] makes.
///
/// ```ignore
/// fields!(given |json, field| {
///     "id" => id = Some(json.name()?),
///     "cost" | "price" if is_priced => cost = Some(json.amount()?),
///     in Rest::FIELDS => rest.field(json, field)?,
/// })?;
/// ```
macro_rules! fields {
    (given |$json:ident| $arms:tt) => {
        fields!(@object $json, field, { if $json.null()? { return Ok(()); } }, $arms)
    };
    (given |$json:ident, $field:ident| $arms:tt) => {
        fields!(@object $json, $field, { if $json.null()? { return Ok(()); } }, $arms)
    };
    (|$json:ident| $arms:tt) => { fields!(@object $json, field, {}, $arms) };
    (|$json:ident, $field:ident| $arms:tt) => { fields!(@object $json, $field, {}, $arms) };
    (@object $json:ident, $field:ident, $first:block, {
        $($name:literal $(| $other:literal)* $(if $condition:expr)? => $read:expr,)*
        $(in $list:expr => $rest:expr,)?
    }) => {
        $json.object(&[&[$($name, $($other,)*)*], $($list)?], |$json, $field| {
            $first
            match $field {
                $($name $(| $other)* $(if $condition)? => { $read; })*
                _ => fields!(@rest $json $($rest)?),
            }
            Ok(())
        })
    };
    (@rest $json:ident) => { $json.skip()? };
    (@rest $json:ident $rest:expr) => { $rest };
}
pub(crate) use fields;

/// Declares a list of fields, with arms as in [`fields`], and the function that reads one of them.
macro_rules! named_fields {
    (
        $(#[$doc:meta])*
        $seen:vis const $list:ident, fn $name:ident($($parameters:tt)*), |$json:ident, $field:ident| {
            $($field_name:literal $(| $other:literal)* $(if $condition:expr)? => $read:expr,)*
        }
    ) => {
        $seen const $list: &'static [&'static str] = &[$($field_name, $($other,)*)*];

        $(#[$doc])*
        $seen fn $name($($parameters)*) -> Result<(), Error> {
            match $field {
                $($field_name $(| $other)* $(if $condition)? => { $read; })*
                _ => $json.skip()?,
            }
            Ok(())
        }
    };
}
pub(crate) use named_fields;

impl Json<'_> {
    fn begin(&mut self, is_list: bool, segment: Segment) -> Result<(), Error> {
        let limit = self.limits.max_depth;
        if self.open.len() >= limit {
            return Err(self.error(Problem::TooDeep { limit }));
        }
        self.source.consume(1);
        self.open.push(Open { is_list, started: false, seen: 0 });
        self.path.push(segment);
        Ok(())
    }

    /// Opens an object, or returns an error if the value is of another type.
    pub(crate) fn begin_object(&mut self) -> Result<(), Error> {
        match self.token()? {
            b'{' => self.begin(false, Segment::Field("")),
            _ => Err(self.type_error("an object")),
        }
    }

    /// Opens a list, or returns an error if the value is of another type.
    pub(crate) fn begin_list(&mut self) -> Result<(), Error> {
        match self.token()? {
            b'[' => self.begin(true, Segment::Index(0)),
            _ => Err(self.type_error("a list")),
        }
    }

    /// Moves to the next entry of the innermost open object or list. False at its end,
    /// which is then passed over.
    fn next_entry(&mut self) -> Result<bool, Error> {
        let Some(Open { is_list, started, .. }) = self.open.last().copied() else {
            return Ok(false);
        };
        let (closer, expected) =
            if is_list { (b']', "a comma or `]`") } else { (b'}', "a comma or `}`") };
        let byte = self.token()?;
        if byte == closer {
            self.source.consume(1);
            self.open.pop();
            self.path.pop();
            return Ok(false);
        }
        if started {
            if byte != b',' {
                return Err(self.syntax(expected));
            }
            self.source.consume(1);
            // No comma before the closing bracket.
            if self.token()? == closer {
                return Err(self.syntax("another entry after the comma"));
            }
        }
        if let Some(open) = self.open.last_mut() {
            open.started = true;
        }
        if is_list
            && started
            && let Some(Segment::Index(index)) = self.path.last_mut()
        {
            *index += 1;
        }
        Ok(true)
    }

    /// Moves to the next element of the innermost list; false at its end, which closes it.
    pub(crate) fn next_element(&mut self) -> Result<bool, Error> {
        self.next_entry()
    }

    /// Reads a key into the scratch buffer; false at the end of the object, which closes it.
    fn next_raw_key(&mut self) -> Result<bool, Error> {
        // Until the key is read, errors name the object.
        if let Some(segment) = self.path.last_mut() {
            *segment = Segment::Field("");
        }
        if !self.next_entry()? {
            return Ok(false);
        }
        if self.token()? != b'"' {
            return Err(self.syntax("a key in quotes"));
        }
        self.string_to_scratch()?;
        self.expect(b':', "a colon after the key")?;
        Ok(true)
    }

    /// Moves to the next field of the innermost object that is in one of the lists, which have at
    /// most 64 names together, and passes over all others. `None` at the end of the object, which
    /// closes it.
    ///
    /// A known field that occurs twice is an error.
    pub(crate) fn next_field(
        &mut self,
        lists: &[&'static [&'static str]],
    ) -> Result<Option<&'static str>, Error> {
        while self.next_raw_key()? {
            let mut names = lists.iter().copied().flatten().copied().enumerate();
            let Some((index, name)) = names.find(|(_, name)| name.as_bytes() == self.scratch)
            else {
                self.skip()?;
                continue;
            };
            if let Some(segment) = self.path.last_mut() {
                *segment = Segment::Field(name);
            }
            let bit = 1_u64 << (index % 64);
            if let Some(open) = self.open.last_mut() {
                if open.seen & bit != 0 {
                    return Err(self.error(Problem::DuplicateKey { key: name.to_owned() }));
                }
                open.seen |= bit;
            }
            return Ok(Some(name));
        }
        Ok(None)
    }

    /// Moves to the next entry of the innermost object, whatever its key is. `None` at the end of
    /// the object, which closes it. Callers check that no key occurs twice.
    pub(crate) fn next_key(&mut self) -> Result<Option<String>, Error> {
        if !self.next_raw_key()? {
            return Ok(None);
        }
        let key = self.scratch_text()?;
        if let Some(segment) = self.path.last_mut() {
            *segment = Segment::Key(key.clone());
        }
        Ok(Some(key))
    }

    /// Reads an object: calls `read` at each field that is in one of the lists. It must read or skip
    /// the value. See [`fields`], which keeps names and reading together.
    pub(crate) fn object(
        &mut self,
        lists: &[&'static [&'static str]],
        mut read: impl FnMut(&mut Self, &'static str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin_object()?;
        while let Some(field) = self.next_field(lists)? {
            read(self, field)?;
        }
        Ok(())
    }

    /// Reads a list: calls `read` at each element.
    pub(crate) fn list(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin_list()?;
        while self.next_element()? {
            read(self)?;
        }
        Ok(())
    }

    /// Reads a list: collects what `read` makes of each element, and counts its size as held.
    pub(crate) fn list_of<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut values = Vec::new();
        self.list(|json| {
            json.hold(size_of::<T>())?;
            values.push(read(json)?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Reads a map with any keys: calls `read` at each value. A key that occurs twice is the
    /// caller's concern, as in [`Json::next_key`].
    pub(crate) fn map(
        &mut self,
        mut read: impl FnMut(&mut Self, String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin_object()?;
        while let Some(key) = self.next_key()? {
            read(self, key)?;
        }
        Ok(())
    }
}
