/// A value other than a list or an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scalar<'a> {
    /// A string, with its escapes resolved.
    Text(String),
    /// Any other text as written, such as a number.
    Bare(&'a str),
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Scalar(Scalar<'a>),
    /// A list of scalars.
    List(Vec<Scalar<'a>>),
    /// An object or a list of other values, and its scalar if it is an object with only an allocation.
    Nested {
        written: &'a str,
        only: Option<Scalar<'a>>,
    },
}

impl Value<'_> {
    /// Returns the text without quotes. The text of a list is in brackets.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Scalar(scalar) => scalar.text().to_owned(),
            Self::List(parts) => {
                let parts: Vec<&str> = parts.iter().map(Scalar::text).collect();
                format!("[{}]", parts.join(", "))
            }
            Self::Nested { written, .. } => (*written).to_owned(),
        }
    }

    const fn is_nested(&self) -> bool {
        matches!(self, Self::Nested { .. })
    }
}

impl Scalar<'_> {
    /// Returns the text without quotes.
    pub(crate) const fn text(&self) -> &str {
        match self {
            Self::Text(text) => text.as_str(),
            Self::Bare(text) => text,
        }
    }
}

/// An element of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) id: Field<'a>,
    pub(crate) allocation: Field<'a>,
    pub(crate) fields: usize,
    pub(crate) is_object: bool,
    /// The element itself, if it is neither a list nor an object.
    pub(crate) scalar: Option<Scalar<'a>>,
}

/// A field that may have several names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) value: Option<Value<'a>>,
    /// The name, and its position in the list of names.
    name: &'static str,
    rank: usize,
    /// Whether the name occurs twice in the object.
    repeated: bool,
}

/// The names of the two fields. Earlier names take precedence.
const ID: &[&str] = &["id", "problem_id", "task_id", "item_id", "problem", "task", "item"];
const ALLOCATION: &[&str] = &[
    "allocation",
    "tokens",
    "token_allocation",
    "allocated_tokens",
    "allocated",
    "token_budget",
    "budget",
    "max_tokens",
    "token_limit",
    "estimated_tokens",
];

impl Entry<'_> {
    /// Returns the number of fields other than the id and the allocation.
    pub(crate) fn extra_fields(&self) -> usize {
        let used =
            [&self.id, &self.allocation].iter().filter(|field| field.value.is_some()).count();
        self.fields.saturating_sub(used)
    }

    /// Returns the names of the id and the allocation that are not the first of their lists.
    pub(crate) fn other_names(&self) -> impl Iterator<Item = &'static str> {
        let fields = [&self.id, &self.allocation].into_iter();
        fields.filter(|field| field.value.is_some() && field.rank > 0).map(|field| field.name)
    }

    /// Returns the name of the id or of the allocation if it occurs twice.
    pub(crate) fn repeated_name(&self) -> Option<&'static str> {
        [&self.id, &self.allocation]
            .into_iter()
            .find(|field| field.repeated)
            .map(|field| field.name)
    }
}

impl<'a> Entry<'a> {
    /// Returns the value of a field that is this object.
    pub(crate) fn nested(self, written: &'a str) -> Value<'a> {
        let only = match self.allocation.value {
            Some(Value::Scalar(scalar)) if self.fields == 1 => Some(scalar),
            _ => None,
        };
        Value::Nested { written, only }
    }

    /// Creates an object without fields.
    pub(crate) fn object() -> Self {
        Self { is_object: true, ..Self::default() }
    }

    /// Adds a field. An id is a string or a number, and an allocation that is nested counts only without another.
    pub(crate) fn take(&mut self, key: &str, value: &Value<'a>) {
        self.fields += 1;
        let is_id = matches!(value, Value::Scalar(_));
        let fields = [(ID, &mut self.id, is_id), (ALLOCATION, &mut self.allocation, true)];
        for (names, field, is_value) in fields {
            let Some(rank) = names.iter().position(|&name| name == key) else { continue };
            let order = (value.is_nested(), rank);
            match &field.value {
                Some(_) if rank == field.rank => field.repeated = true,
                Some(known) if order > (known.is_nested(), field.rank) => {}
                _ if is_value => {
                    let value = Some(value.clone());
                    *field = Field { value, name: names[rank], rank, repeated: false };
                }
                _ => {}
            }
        }
    }
}
