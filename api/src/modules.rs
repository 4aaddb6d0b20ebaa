//! The modules of a crate, what a path in one of them means, and which items a user of the crate can
//! name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use quote::ToTokens;
use syn::{
    Attribute, Expr, Ident, Item, ItemMacro, ItemStruct, Token, UseTree, Visibility,
    parse::ParseStream, parse_quote,
};

/// The crate's root among its modules.
pub(crate) const ROOT: usize = 0;

/// More re-exports of re-exports are a circle.
const DEEPEST: usize = 32;

/// One module, without those inside it.
pub(crate) struct Module {
    pub(crate) items: Vec<Item>,
    /// The modules inside it that have no test attribute, in order.
    pub(crate) inner: Vec<usize>,
    pub(crate) name: String,
    pub(crate) is_public: bool,
    /// Its attributes.
    pub(crate) attributes: Vec<Attribute>,
    parent: usize,
    /// What its `use` items bring in: the name here, and the path.
    uses: Vec<Import>,
}

struct Import {
    /// `None` for all names of the path.
    name: Option<String>,
    path: Vec<String>,
    is_public: bool,
}

/// The modules of a crate, the root first.
pub(crate) struct Modules {
    pub(crate) all: Vec<Module>,
}

/// An item by its module and its name.
pub(crate) type Place = (usize, String);

impl Modules {
    /// Reads `lib.rs` of a folder and the files of its modules.
    pub(crate) fn read(src: &Path) -> io::Result<Self> {
        let mut modules = Self { all: Vec::new() };
        let root = parse(&src.join("lib.rs"))?;
        modules.add(root, String::new(), true, Vec::new(), ROOT, src)?;
        Ok(modules)
    }

    /// `folder` has the files of the modules inside this one.
    fn add(
        &mut self,
        all: Vec<Item>,
        name: String,
        is_public: bool,
        attributes: Vec<Attribute>,
        parent: usize,
        folder: &Path,
    ) -> io::Result<usize> {
        let (mut items, mut uses, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for item in all {
            match item {
                Item::Mod(module) if is_test(&module.attrs) => {}
                Item::Mod(module) => inner.push(module),
                Item::Use(item) => {
                    imports(&item.tree, &mut Vec::new(), is_pub(&item.vis), &mut uses);
                    items.push(Item::Use(item));
                }
                Item::Macro(call) => {
                    items.push(checked(&call).map_or(Item::Macro(call), Item::Struct));
                }
                item => items.push(item),
            }
        }
        let here = self.all.len();
        let module = Module { items, inner: Vec::new(), name, is_public, attributes, parent, uses };
        self.all.push(module);
        for module in inner {
            let name = module.ident.to_string();
            let folder = folder.join(&name);
            let all = match module.content {
                Some((_, items)) => items,
                None => parse(&file_of(&folder))?,
            };
            let added = self.add(all, name, is_pub(&module.vis), module.attrs, here, &folder)?;
            self.all[here].inner.push(added);
        }
        Ok(here)
    }

    /// The items that a user of the crate can name: public ones of public modules, and what `pub use`
    /// hands up to them.
    pub(crate) fn reachable(&self) -> BTreeSet<Place> {
        let (mut places, mut seen) = (BTreeSet::new(), BTreeSet::new());
        self.reach(ROOT, &mut places, &mut seen);
        places
    }

    fn reach(&self, module: usize, places: &mut BTreeSet<Place>, seen: &mut BTreeSet<usize>) {
        if !seen.insert(module) {
            return;
        }
        let Module { items, inner, uses, .. } = &self.all[module];
        for item in items {
            if let Some((name, visibility)) = named(item)
                && is_pub(visibility)
            {
                places.insert((module, name.to_string()));
            }
        }
        for &inner in inner {
            if self.all[inner].is_public {
                self.reach(inner, places, seen);
            }
        }
        for Import { name, path, .. } in uses.iter().filter(|import| import.is_public) {
            if name.is_some() {
                let (item, inner) = self.resolve(module, path);
                places.extend(item);
                inner.into_iter().for_each(|inner| self.reach(inner, places, seen));
            } else if let Some(inner) = self.resolve(module, path).1 {
                self.reach(inner, places, seen);
            }
        }
    }

    /// The item and the module of the crate that a path in a module means. Neither for a path to
    /// another crate, and for a name that is made by a macro or stands for a parameter.
    pub(crate) fn resolve(&self, module: usize, path: &[String]) -> (Option<Place>, Option<usize>) {
        self.resolve_within(module, path, DEEPEST)
    }

    fn resolve_within(
        &self,
        mut module: usize,
        path: &[String],
        depth: usize,
    ) -> (Option<Place>, Option<usize>) {
        let Some((last, before)) = path.split_last() else { return (None, Some(module)) };
        for (i, segment) in before.iter().enumerate() {
            match self.step(module, segment, i == 0, depth).1 {
                Some(inner) => module = inner,
                None => return (None, None),
            }
        }
        self.step(module, last, before.is_empty(), depth)
    }

    fn step(
        &self,
        module: usize,
        name: &str,
        first: bool,
        depth: usize,
    ) -> (Option<Place>, Option<usize>) {
        match name {
            "crate" if first => return (None, Some(ROOT)),
            "self" => return (None, Some(module)),
            "super" => return (None, Some(self.all[module].parent)),
            _ => {}
        }
        let Module { items, inner, uses, .. } = &self.all[module];
        let inner = inner.iter().copied().find(|&inner| self.all[inner].name == name);
        let here = items.iter().filter_map(named).any(|(ident, _)| ident == name);
        let item = here.then(|| (module, name.to_owned()));
        if item.is_some() || inner.is_some() || depth == 0 {
            return (item, inner);
        }
        let found = |path: &[String]| {
            let found = self.resolve_within(module, path, depth - 1);
            (found != (None, None)).then_some(found)
        };
        let by_name = uses.iter().filter(|import| import.name.as_deref() == Some(name));
        let all = uses.iter().filter(|import| import.name.is_none());
        let from_all = all.map(|import| [import.path.as_slice(), &[name.to_owned()]].concat());
        // A path that begins with the name itself is that of another crate.
        by_name
            .filter(|import| import.path.first().is_some_and(|first| first != name))
            .find_map(|import| found(&import.path))
            .or_else(|| from_all.into_iter().find_map(|path| found(&path)))
            .unwrap_or((None, None))
    }

    /// The `cfg` attributes of a module and of those around it, the outermost first.
    pub(crate) fn gates(&self, module: usize) -> Vec<Attribute> {
        if module == ROOT {
            return Vec::new();
        }
        let Module { attributes, parent, .. } = &self.all[module];
        let own = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        self.gates(*parent).into_iter().chain(own.cloned()).collect()
    }

    /// What a macro of this crate makes, by the macro's name, and the module that it is defined in.
    pub(crate) fn macros(&self) -> BTreeMap<String, (usize, String)> {
        let mut macros = BTreeMap::new();
        for (place, module) in self.all.iter().enumerate() {
            for item in &module.items {
                if let Item::Macro(item) = item
                    && let Some(name) = &item.ident
                {
                    macros.insert(name.to_string(), (place, item.mac.tokens.to_string()));
                }
            }
        }
        macros
    }
}

pub(crate) fn is_pub(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The name of an item that a path can end with, and who sees it.
pub(crate) fn named(item: &Item) -> Option<(&Ident, &Visibility)> {
    Some(match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        Item::Union(item) => (&item.ident, &item.vis),
        _ => return None,
    })
}

fn imports(tree: &UseTree, before: &mut Vec<String>, is_public: bool, uses: &mut Vec<Import>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            imports(&path.tree, before, is_public, uses);
            before.pop();
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| imports(tree, before, is_public, uses));
        }
        UseTree::Glob(_) => uses.push(Import { name: None, path: before.clone(), is_public }),
        UseTree::Name(name) => {
            let ident = name.ident.to_string();
            uses.push(import(ident.clone(), ident, before, is_public));
        }
        UseTree::Rename(rename) => {
            uses.push(import(
                rename.ident.to_string(),
                rename.rename.to_string(),
                before,
                is_public,
            ));
        }
    }
}

/// `self` at the end of a path means the path itself.
fn import(ident: String, name: String, before: &[String], is_public: bool) -> Import {
    let mut path = before.to_vec();
    if ident == "self" {
        let name = if name == "self" { path.last().cloned() } else { Some(name) };
        return Import { name: name.or(Some(ident)), path, is_public };
    }
    path.push(ident);
    Import { name: Some(name), path, is_public }
}

fn file_of(folder: &Path) -> PathBuf {
    let file = folder.with_extension("rs");
    if file.is_file() { file } else { folder.join("mod.rs") }
}

fn parse(path: &Path) -> io::Result<Vec<Item>> {
    let at = |kind, problem: String| io::Error::new(kind, format!("{}: {problem}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| at(error.kind(), error.to_string()))?;
    let file = syn::parse_file(&text);
    Ok(file.map_err(|error| at(io::ErrorKind::InvalidData, error.to_string()))?.items)
}

/// The struct that a call of `checked!` of scoring-rules defines.
fn checked(call: &ItemMacro) -> Option<ItemStruct> {
    let name = call.mac.path.segments.last()?;
    let definition = |input: ParseStream<'_>| {
        let item: ItemStruct = input.parse()?;
        // The check of what is read.
        input.parse::<Ident>()?;
        input.parse::<Token![:]>()?;
        input.parse::<Expr>()?;
        Ok(item)
    };
    let mut item = (name.ident == "checked").then(|| call.mac.parse_body_with(definition))?.ok()?;
    item.attrs.push(parse_quote! {
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
    });
    Some(item)
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]")
}
