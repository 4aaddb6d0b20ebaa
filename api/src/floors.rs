//! Who imports whom inside a crate: which modules import each other, and which imports take a way
//! round through a re-export.
//!
//! The source is read as text. A path is followed through re-exports to the module that defines the
//! item, so that an import through the crate's root counts as an import from the owner. Test modules
//! (`#[cfg(test)]`), macro bodies and re-exports themselves (`pub use`) do not count as imports.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
};

use quote::ToTokens;
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility, visit::Visit};

/// The modules of a crate and the imports between them.
#[derive(Debug)]
pub struct Floors {
    modules: Vec<Module>,
    imports: Vec<Import>,
}

/// One module imports an item that another one defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The module that imports, as `crate::streams::tps`.
    pub from: String,
    /// The module that defines what is imported.
    pub owner: String,
    /// The path as it is written in the source.
    pub path: String,
    /// The name of what is imported, in the module that defines it.
    pub item: String,
    /// Whether the path passes through a re-export in a third module.
    pub indirect: bool,
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, owner, path, item, indirect } = self;
        let instead = if *indirect { format!("; write {owner}::{item}") } else { String::new() };
        write!(f, "{from} imports {owner} (`{path}`{instead})")
    }
}

#[derive(Debug, Default)]
struct Module {
    name: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    /// The names that `use` brings into the module, with their paths.
    aliases: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Every path that may lead to another module.
    written: BTreeSet<Vec<String>>,
}

/// Where a path leads: the module that defines the item, and whether a re-export was passed.
struct Target {
    module: usize,
    indirect: bool,
    /// The item that the path ends at; `None` for the module itself.
    item: Option<String>,
}

impl Floors {
    /// Reads the crate whose `lib.rs` lies in `src`.
    ///
    /// # Errors
    ///
    /// The error of reading a file, and `InvalidData` with the file's name for one that is not Rust
    /// or that declares a module without a file.
    pub fn read(src: &Path) -> io::Result<Self> {
        let mut floors = Self { modules: Vec::new(), imports: Vec::new() };
        floors.add("crate".to_owned(), None, &src.join("lib.rs"), src)?;
        floors.connect();
        Ok(floors)
    }

    /// Groups of modules that import each other, each as the imports that close the circle. Two
    /// folders with files that import each other are a circle too.
    #[must_use]
    pub fn circles(&self) -> Vec<Vec<Import>> {
        let mut circles = Vec::new();
        for folder in 0..self.modules.len() {
            let inside: Vec<(usize, usize, &Import)> = self
                .imports
                .iter()
                .filter_map(|import| {
                    let from = self.part_of(folder, &import.from)?;
                    let to = self.part_of(folder, &import.owner)?;
                    (from != to).then_some((from, to, import))
                })
                .collect();
            let mut reached: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for &(from, to, _) in &inside {
                reached.entry(from).or_default().insert(to);
            }
            close(&mut reached);
            let leads =
                |from: usize, to: usize| reached.get(&from).is_some_and(|all| all.contains(&to));
            let mut seen = BTreeSet::new();
            for &start in reached.keys() {
                if !leads(start, start) || !seen.insert(start) {
                    continue;
                }
                let group: BTreeSet<usize> = reached
                    .keys()
                    .copied()
                    .filter(|&other| leads(start, other) && leads(other, start))
                    .collect();
                seen.extend(&group);
                let closing = inside
                    .iter()
                    .filter(|(from, to, _)| group.contains(from) && group.contains(to))
                    .map(|&(_, _, import)| import.clone());
                circles.push(closing.collect());
            }
        }
        circles
    }

    /// Imports whose path passes through a re-export in place of naming the module that owns the
    /// item.
    pub fn indirect(&self) -> impl Iterator<Item = &Import> {
        self.imports.iter().filter(|import| import.indirect)
    }

    /// The child of `folder` that a module lies in, or `folder` itself.
    fn part_of(&self, folder: usize, name: &str) -> Option<usize> {
        let mut at = self.modules.iter().position(|module| module.name == name)?;
        if at == folder {
            return Some(at);
        }
        while let Some(parent) = self.modules[at].parent {
            if parent == folder {
                return Some(at);
            }
            at = parent;
        }
        None
    }

    fn add(
        &mut self,
        name: String,
        parent: Option<usize>,
        file: &Path,
        folder: &Path,
    ) -> io::Result<usize> {
        let text = fs::read_to_string(file)?;
        let parsed = syn::parse_file(&text).map_err(|error| invalid(file, &error.to_string()))?;
        self.add_items(name, parent, parsed.items, file, folder)
    }

    fn add_items(
        &mut self,
        name: String,
        parent: Option<usize>,
        items: Vec<Item>,
        file: &Path,
        folder: &Path,
    ) -> io::Result<usize> {
        let this = self.modules.len();
        self.modules.push(Module { name: name.clone(), parent, ..Module::default() });
        for item in items {
            match item {
                Item::Mod(module) if is_test(&module.attrs) => {}
                Item::Mod(module) => {
                    let ident = module.ident.to_string();
                    let child =
                        self.add_child(this, &format!("{name}::{ident}"), module, file, folder)?;
                    self.modules[this].children.insert(ident, child);
                }
                Item::Use(item) if is_test(&item.attrs) => {}
                Item::Use(item) => self.modules[this].add_use(&item),
                item => {
                    if let Some(defined) = defined_name(&item) {
                        self.modules[this].defined.insert(defined);
                    }
                    let mut paths = Paths { module: &mut self.modules[this] };
                    paths.visit_item(&item);
                }
            }
        }
        Ok(this)
    }

    fn add_child(
        &mut self,
        parent: usize,
        name: &str,
        module: ItemMod,
        file: &Path,
        folder: &Path,
    ) -> io::Result<usize> {
        let ident = module.ident.to_string();
        let inner = folder.join(&ident);
        if let Some((_, items)) = module.content {
            return self.add_items(name.to_owned(), Some(parent), items, file, &inner);
        }
        let files = [inner.with_extension("rs"), inner.join("mod.rs")];
        let Some(found) = files.iter().find(|path| path.is_file()) else {
            return Err(invalid(file, &format!("module {ident} has no file")));
        };
        self.add(name.to_owned(), Some(parent), found, &inner)
    }

    fn connect(&mut self) {
        let mut imports = BTreeSet::new();
        for (from, module) in self.modules.iter().enumerate() {
            for path in &module.written {
                // `Episode::new` after `use crate::…::Episode` is counted where it is brought in.
                let brought_in = path.len() > 1
                    && module.aliases.get(&path[0]).is_some_and(|alias| {
                        self.resolve(from, alias).is_none_or(|target| target.item.is_some())
                    });
                if brought_in {
                    continue;
                }
                let Some(target) = self.resolve(from, path) else { continue };
                // A module that is only named (`use crate::plans;`) is imported by its own paths.
                let Some(item) = target.item else { continue };
                if target.module == from {
                    continue;
                }
                imports.insert(Import {
                    from: module.name.clone(),
                    owner: self.modules[target.module].name.clone(),
                    path: path.join("::"),
                    item,
                    indirect: target.indirect,
                });
            }
        }
        self.imports = imports.into_iter().collect();
    }

    /// Follows a path as the compiler would from inside a module; `None` for paths to other crates.
    fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        self.follow(from, path, &mut BTreeSet::new())
    }

    fn follow(
        &self,
        from: usize,
        path: &[String],
        seen: &mut BTreeSet<(usize, Vec<String>)>,
    ) -> Option<Target> {
        if !seen.insert((from, path.to_vec())) {
            return None;
        }
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.inside(from, 0, rest, false, seen),
            "self" => self.inside(from, from, rest, false, seen),
            "super" => {
                let mut at = self.modules[from].parent?;
                let mut rest = rest;
                while let Some((first, others)) = rest.split_first()
                    && first == "super"
                {
                    at = self.modules[at].parent?;
                    rest = others;
                }
                self.inside(from, at, rest, false, seen)
            }
            _ => self.inside(from, from, path, false, seen),
        }
    }

    /// Follows the rest of a path from `module`; `from` is where the path is written.
    fn inside(
        &self,
        from: usize,
        module: usize,
        path: &[String],
        indirect: bool,
        seen: &mut BTreeSet<(usize, Vec<String>)>,
    ) -> Option<Target> {
        let Some((first, rest)) = path.split_first() else {
            return Some(Target { module, indirect, item: None });
        };
        let here = &self.modules[module];
        if here.defined.contains(first) {
            return Some(Target { module, indirect, item: Some(first.clone()) });
        }
        if let Some(&child) = here.children.get(first) {
            return self.inside(from, child, rest, indirect, seen);
        }
        let through = |target: Target| {
            let passed = indirect || target.indirect || module != from;
            if target.item.is_some() || rest.is_empty() {
                Some(Target { indirect: passed, ..target })
            } else {
                self.inside(from, target.module, rest, passed, &mut BTreeSet::new())
            }
        };
        if let Some(alias) = here.aliases.get(first) {
            return self.follow(module, alias, seen).and_then(through);
        }
        here.globs.iter().find_map(|glob| {
            let mut longer = glob.clone();
            longer.push(first.clone());
            self.follow(module, &longer, seen).and_then(through)
        })
    }
}

impl Module {
    fn add_use(&mut self, item: &ItemUse) {
        let private = matches!(item.vis, Visibility::Inherited);
        let mut leaves = Vec::new();
        flatten(&item.tree, Vec::new(), &mut leaves);
        for (path, name) in leaves {
            if private {
                self.written.insert(path.clone());
            }
            match name {
                Some(name) => {
                    self.aliases.insert(name, path);
                }
                None => self.globs.push(path),
            }
        }
    }
}

/// The paths of a `use`, each with the name that it brings; `None` for a glob.
fn flatten(tree: &UseTree, mut path: Vec<String>, leaves: &mut Vec<(Vec<String>, Option<String>)>) {
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            flatten(&inner.tree, path, leaves);
        }
        UseTree::Name(name) if name.ident == "self" => {
            let last = path.last().cloned();
            leaves.push((path, last));
        }
        UseTree::Name(name) => {
            path.push(name.ident.to_string());
            leaves.push((path, Some(name.ident.to_string())));
        }
        UseTree::Rename(rename) => {
            path.push(rename.ident.to_string());
            leaves.push((path, Some(rename.rename.to_string())));
        }
        UseTree::Glob(_) => leaves.push((path, None)),
        UseTree::Group(group) => {
            for inner in &group.items {
                flatten(inner, path.clone(), leaves);
            }
        }
    }
}

/// Collects the paths inside an item that have more than one segment.
struct Paths<'a> {
    module: &'a mut Module,
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.module.add_use(item);
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let names = path.segments.iter().map(|segment| segment.ident.to_string());
            self.module.written.insert(names.collect());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn defined_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.to_token_stream().to_string().replace(' ', "");
        text == "#[cfg(test)]" || text.starts_with("#[cfg(all(test,")
    })
}

fn invalid(file: &Path, problem: &str) -> io::Error {
    let file: PathBuf = file.to_owned();
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {problem}", file.display()))
}

/// Adds to each module what is reached through others.
fn close(reached: &mut BTreeMap<usize, BTreeSet<usize>>) {
    loop {
        let before: usize = reached.values().map(BTreeSet::len).sum();
        let copy = reached.clone();
        for all in reached.values_mut() {
            let further: Vec<usize> =
                all.iter().filter_map(|next| copy.get(next)).flatten().copied().collect();
            all.extend(further);
        }
        if reached.values().map(BTreeSet::len).sum::<usize>() == before {
            return;
        }
    }
}
