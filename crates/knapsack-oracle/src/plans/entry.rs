/// A value that is no list and no object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    /// A string, its escapes resolved.
    Text(String),
    /// Anything else, as written: a number, or what was meant to be one.
    Bare(&'a str),
}

/// One element of a list, with what is needed of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) id: Option<Scalar<'a>>,
    pub(super) allocation: Option<Scalar<'a>>,
    pub(super) fields: usize,
    /// Places of the two in the lists of names.
    ranks: [usize; 2],
}

/// Names of the two fields; earlier ones are preferred.
const ID: &[&str] = &["id", "problem_id", "problem"];
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
    pub(super) fn extra_fields(&self) -> usize {
        let used = usize::from(self.id.is_some()) + usize::from(self.allocation.is_some());
        self.fields.saturating_sub(used)
    }
}

impl<'a> Entry<'a> {
    /// Takes a field; a container counts as a field and gives nothing else.
    pub(super) fn take(&mut self, key: &str, value: Option<Scalar<'a>>) {
        self.fields += 1;
        let [id_rank, allocation_rank] = &mut self.ranks;
        for (names, place, best) in
            [(ID, &mut self.id, id_rank), (ALLOCATION, &mut self.allocation, allocation_rank)]
        {
            if let (Some(rank), Some(value)) = (names.iter().position(|&name| name == key), &value)
                && (place.is_none() || rank <= *best)
            {
                *place = Some(value.clone());
                *best = rank;
            }
        }
    }
}
