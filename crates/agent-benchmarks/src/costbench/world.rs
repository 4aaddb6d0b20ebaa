use std::collections::BTreeMap;

use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use tool_graph::costbench::Task;
use trajectory_metrics::random::fnv1a;

use crate::costbench::preferences::{Preferences, below};

/// The number of ids of a data type; a prime, so that every factor below it permutes them.
const IDS: u64 = 99_991;

/// The number of combinations of a task's preferences.
const COMBINATIONS: usize = 10_000;

/// The objects of a query's world.
///
/// An object has a data type and represents a combination of preferences. Its id shows the type. The number in the id is a
/// permutation of the combinations, determined by the query's seed and the type, so that two combinations never share an id and
/// an id cannot be guessed from another.
#[derive(Clone, Debug)]
pub(super) struct World {
    seed: u32,
    /// The user's input in a released query, with numbers from the released search space.
    released: Option<Given>,
    /// The ids of the objects that the agent was given, and their combinations.
    held: BTreeMap<String, Vec<(String, u32)>>,
}

impl World {
    pub(super) fn new(seed: u32, task: Task, released: Option<Given>) -> Self {
        let mut world = Self { seed, released, held: BTreeMap::new() };
        world.restart(task, released);
        world
    }

    /// Returns the id of an object.
    pub(super) fn id(&self, data_type: &str, combination: u32) -> String {
        if self.released.is_some() {
            return format!("<{}{combination:05}>", released_name(data_type));
        }
        let (factor, shift) = self.permutation(data_type);
        let number = (u64::from(combination) * factor + shift) % IDS;
        format!("<{data_type}{number:05}>")
    }

    /// Returns the combination whose id has this number.
    pub(super) fn combination_of(&self, data_type: &str, number: u32) -> u32 {
        if self.released.is_some() {
            return number;
        }
        let (factor, shift) = self.permutation(data_type);
        // Fermat: the inverse of a factor modulo a prime p is its power p - 2.
        let mut inverse = 1;
        for bit in (0..u64::BITS).rev() {
            inverse = inverse * inverse % IDS;
            if (IDS - 2) >> bit & 1 == 1 {
                inverse = inverse * factor % IDS;
            }
        }
        ((u64::from(number) + IDS - shift) % IDS * inverse % IDS) as u32
    }

    /// Returns the factor and the shift of the numbers in the ids of a data type.
    fn permutation(&self, data_type: &str) -> (u64, u64) {
        let mut generator = self.generator(data_type);
        let factor = 1 + below(&mut generator, IDS as usize - 1) as u64;
        (factor, below(&mut generator, IDS as usize) as u64)
    }

    fn generator(&self, name: &str) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::seed_from_u64(u64::from(self.seed));
        generator.set_stream(fnv1a(name.bytes()));
        generator
    }

    /// Removes all objects and gives the agent the objects of a traveller: the time and, except in the task that looks for a
    /// location, a preference for a location.
    pub(super) fn restart(&mut self, task: Task, released: Option<Given>) {
        self.held.clear();
        // The time does not change.
        let time = self.released.map(|given| given.time);
        self.released = released.map(|given| Given { time: time.unwrap_or(given.time), ..given });
        for data_type in given_types(task) {
            let own = || below(&mut self.generator(data_type), COMBINATIONS) as u32;
            let given = self.released.and_then(|given| match data_type {
                "TimeInfo" => Some(given.time),
                _ => given.place,
            });
            let combination = given.unwrap_or_else(own);
            self.give(data_type, combination);
        }
    }

    /// Returns whether a preference for a location can have this number.
    pub(super) fn is_place(&self, number: u32) -> bool {
        self.released.is_none() || (1..=RELEASED).contains(&number)
    }

    /// Returns the combination that represents preferences at a place.
    pub(super) fn number_of(&self, preferences: &Preferences, place: Option<u32>) -> u32 {
        if let Some(given) = &self.released {
            return given.number_of(preferences, place);
        }
        // A choice for a place other than the user's never meets the user's wishes.
        let own = self
            .latest("LocationPreference")
            .and_then(|id| self.combination("LocationPreference", id).filter(|_| place.is_some()));
        preferences.number() + if place == own { 0 } else { COMBINATIONS as u32 }
    }

    /// Gives the agent an object, and returns its id.
    pub(super) fn give(&mut self, data_type: &str, combination: u32) -> String {
        let id = self.id(data_type, combination);
        let held = self.held.entry(data_type.to_owned()).or_default();
        if held.iter().all(|(other, _)| *other != id) {
            held.push((id.clone(), combination));
        }
        id
    }

    /// Returns the combination of an object that the agent was given.
    pub(super) fn combination(&self, data_type: &str, id: &str) -> Option<u32> {
        let held = self.held.get(data_type)?;
        held.iter().find(|(other, _)| other == id).map(|(_, combination)| *combination)
    }

    /// Returns the latest object of a data type that the agent was given.
    pub(super) fn latest(&self, data_type: &str) -> Option<&str> {
        self.held.get(data_type)?.last().map(|(id, _)| id.as_str())
    }

    /// Returns the only right answer to these preferences.
    pub(super) fn right_answer(&self, preferences: &Preferences) -> String {
        let place = self.released.and_then(|given| given.place);
        self.id(preferences.task().goal(), self.number_of(preferences, place))
    }

    /// Returns the number of candidates that are left after `refinements` of a search.
    pub(super) fn candidates(&self, combination: u32, refinements: usize) -> usize {
        let mut generator = self.generator("candidates");
        let first = 12 + (combination as usize + below(&mut generator, 60)) % 60;
        (0..refinements).fold(first, |left, _| (left * 2 / 3).max(2))
    }
}

/// The numbers in the ids that the user of a released query gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) time: u32,
    pub(super) place: Option<u32>,
}

/// The number of combinations of a task's test values, which is also the number of preferences for a location.
const RELEASED: u32 = 256;

impl Given {
    /// Returns the number of preferences in the released search space, which lists them place by place from 1.
    pub(super) fn number_of(self, preferences: &Preferences, place: Option<u32>) -> u32 {
        let places = place.unwrap_or(1).saturating_sub(1);
        RELEASED.saturating_mul(places).saturating_add(preferences.released_position() + 1)
    }
}

/// Returns the name in the ids of a data type.
fn released_name(data_type: &str) -> String {
    if let Some(task) = data_type.strip_prefix("Travel") {
        return format!("{task}Candidate");
    }
    match data_type.split_once("Candidate_") {
        Some((task, _)) => format!("{task}CandidateSet"),
        None => data_type.to_owned(),
    }
}

/// Returns the data types whose ids a traveller's message gives.
pub(super) fn given_types(task: Task) -> impl Iterator<Item = &'static str> {
    let types = task.initial_types().iter().copied();
    types.filter(|name| matches!(*name, "TimeInfo" | "LocationPreference"))
}
