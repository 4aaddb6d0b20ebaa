//! A user of one crate can name every type that its interface shows, without a second dependency.

#![allow(clippy::unwrap_used)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{
    Item, UseTree,
    visit::{self, Visit},
};

/// What an interface names.
#[derive(Default)]
struct Names {
    /// Types and traits that the crate defines.
    defined: BTreeSet<String>,
    /// What it hands up from other crates, by the name there and the name here.
    handed_up: BTreeSet<String>,
    /// Paths of types and traits in signatures, fields and heads of implementations.
    shown: BTreeSet<Vec<String>>,
}

impl Names {
    fn of(interface: &str) -> Self {
        let mut names = Self::default();
        names.visit_file(&syn::parse_file(interface).unwrap());
        names
    }

    fn hand_up(&mut self, tree: &UseTree, from: &str) {
        match tree {
            UseTree::Path(path) => self.hand_up(&path.tree, &path.ident.to_string()),
            UseTree::Name(name) if name.ident == "self" => {
                self.handed_up.insert(from.to_owned());
            }
            UseTree::Name(name) => {
                self.handed_up.insert(name.ident.to_string());
            }
            UseTree::Rename(name) => {
                self.handed_up.extend([name.ident.to_string(), name.rename.to_string()]);
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.hand_up(tree, from)),
            UseTree::Glob(_) => {}
        }
    }

    /// The paths that lead to another crate and that a user of this one cannot write. `by_crate` says
    /// that a type may be reached through its crate, if that is handed up.
    fn missing(&self, others: &BTreeMap<String, Self>, by_crate: bool) -> Vec<String> {
        let is_missing = |path: &&Vec<String>| match path.as_slice() {
            [name] if self.defined.contains(name) || self.handed_up.contains(name) => false,
            [name] => {
                let mut homes = others.iter().filter(|(_, other)| other.defined.contains(name));
                let is_foreign = homes.clone().next().is_some();
                is_foreign && !(by_crate && homes.any(|(home, _)| self.handed_up.contains(home)))
            }
            [other, ..] => others.contains_key(other) && !self.handed_up.contains(other),
            [] => false,
        };
        self.shown.iter().filter(is_missing).map(|path| path.join("::")).collect()
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Use(item) => {
                self.hand_up(&item.tree, "");
                None
            }
            _ => None,
        };
        self.defined.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        self.shown.insert(segments.map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    /// `serde` and the lints of attributes are no part of a signature.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    /// A restricted path is none that a user writes.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

/// The interfaces of all libraries, by the names that paths begin with. That of the command is its command line.
fn interfaces() -> BTreeMap<String, Names> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let folders = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    let libraries = folders.filter(|folder| !folder.ends_with("agent-scorecard-cli"));
    let name = |folder: &Path| folder.file_name().unwrap().to_str().unwrap().replace('-', "_");
    libraries
        .map(|folder| (name(&folder), Names::of(&api::describe(&folder.join("src")).unwrap())))
        .collect()
}

#[test]
fn every_type_of_another_crate_in_a_public_signature_is_handed_up() {
    let interfaces = interfaces();
    assert!(interfaces.len() > 8, "the six, and those on top of them");
    let faults: Vec<String> = interfaces
        .iter()
        .flat_map(|(name, of)| {
            // Its modules are the crates below it.
            let by_crate = name == "agent_scorecard";
            of.missing(&interfaces, by_crate)
                .into_iter()
                .map(move |path| format!("{name} shows {path}"))
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn a_type_that_is_not_handed_up_is_found() {
    let other = Names::of("pub struct Level {}\npub struct Error {}");
    let others = BTreeMap::from([("scores".to_owned(), other)]);
    let shows =
        "pub enum Error { Scores(scores::Error) }\npub fn at(level: Level) -> Vec<String> {}";
    assert_eq!(Names::of(shows).missing(&others, false), ["Level", "scores::Error"]);
    let hands_up = format!("pub use scores::{{self, Level}};\n{shows}");
    assert_eq!(Names::of(&hands_up).missing(&others, false), Vec::<String>::new());
}
