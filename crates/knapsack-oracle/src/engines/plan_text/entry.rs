/// A value that is no list and no object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scalar<'a> {
    /// A string, its escapes resolved.
    Text(String),
    /// Anything else, as written: a number, or what was meant to be one.
    Bare(&'a str),
}

impl Scalar<'_> {
    /// The text without quotes.
    pub(crate) const fn text(&self) -> &str {
        match self {
            Self::Text(text) => text.as_str(),
            Self::Bare(text) => text,
        }
    }
}

/// One element of a list, with what is needed of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) id: Field<'a>,
    pub(crate) allocation: Field<'a>,
    pub(crate) fields: usize,
    pub(crate) is_object: bool,
}

/// A field that has several names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) value: Option<Scalar<'a>>,
    /// Place of the name it was given by in the list of names.
    rank: usize,
    /// Whether that name comes twice in the object.
    repeated: bool,
}

/// Names of the two fields; earlier ones are preferred.
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
    /// Fields that are neither the id nor the allocation.
    pub(crate) fn extra_fields(&self) -> usize {
        let used =
            [&self.id, &self.allocation].iter().filter(|field| field.value.is_some()).count();
        self.fields.saturating_sub(used)
    }

    /// The names by which id and allocation were given, if they are not the first of each list.
    pub(crate) fn other_names(&self) -> impl Iterator<Item = &'static str> {
        [(&self.id, ID), (&self.allocation, ALLOCATION)]
            .into_iter()
            .filter(|(field, _)| field.value.is_some() && field.rank > 0)
            .filter_map(|(field, names)| names.get(field.rank).copied())
    }

    /// The name of the id or of the allocation, if it comes twice.
    pub(crate) fn repeated_name(&self) -> Option<&'static str> {
        [(&self.id, ID), (&self.allocation, ALLOCATION)]
            .into_iter()
            .find(|(field, _)| field.repeated)
            .and_then(|(field, names)| names.get(field.rank).copied())
    }
}

impl<'a> Entry<'a> {
    /// An object without fields.
    pub(crate) fn object() -> Self {
        Self { is_object: true, ..Self::default() }
    }

    /// Takes a field; a container counts as a field and gives nothing else.
    pub(crate) fn take(&mut self, key: &str, value: Option<Scalar<'a>>) {
        self.fields += 1;
        for (names, field) in [(ID, &mut self.id), (ALLOCATION, &mut self.allocation)] {
            let Some(rank) = names.iter().position(|&name| name == key) else { continue };
            if field.value.is_some() && rank == field.rank {
                field.repeated = true;
            } else if value.is_some() && (field.value.is_none() || rank < field.rank) {
                *field = Field { value: value.clone(), rank, repeated: false };
            }
        }
    }
}
