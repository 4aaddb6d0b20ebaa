//! The public interface of a crate as text, read from its source: what a change to it adds, removes
//! or alters shows up as a difference in `api/CRATE.txt`.
//!
//! Listed is what a user of the crate can reach: public items of public modules, items that `pub use`
//! hands up from private ones, and what the crate implements for its public types of traits that a user
//! can name. A private module leaves no trace but its `cfg` attributes, which go to what is listed from
//! it. A call of a macro that makes such items stands for them. What a function does and what is behind
//! private fields is left out, and with it whether a type is `Send` and `Sync` and the form in which its
//! private fields are written and read.

pub mod floors;
mod made;
mod modules;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use modules::{Modules, Place, ROOT, is_pub, named};
use quote::ToTokens;
use syn::{
    Attribute, Fields, ImplItem, Item, ItemImpl, ItemMacro, ItemTrait, Macro, Path as NamePath,
    TraitItem, parse_quote,
    visit::{self, Visit},
};

/// The features of the crate whose source lies in `src`, and its public items one after the other, sorted
/// as text so that moving a file changes nothing.
///
/// # Errors
///
/// What reading a file says, and `InvalidData` with the file's name for one that is not Rust.
pub fn describe(src: &Path) -> io::Result<String> {
    let modules = Modules::read(src)?;
    let seen = Seen { reachable: modules.reachable(), macros: modules.macros(), modules };
    let mut items = seen.in_public(ROOT);
    seen.in_private(ROOT, true, &mut items);
    let mut blocks: Vec<String> = items.into_iter().map(print).collect();
    blocks.sort();
    blocks.dedup();
    Ok(format!("{}\n{}", features(&src.join("../Cargo.toml"))?, blocks.join("\n")))
}

/// A crate, and what of it a user can name.
struct Seen {
    modules: Modules,
    reachable: BTreeSet<Place>,
    macros: BTreeMap<String, (usize, String)>,
}

impl Seen {
    /// The items of a public module, and the public modules inside it.
    fn in_public(&self, module: usize) -> Vec<Item> {
        let here = &self.modules.all[module];
        let own = here.items.iter().cloned();
        let mut items: Vec<Item> = own.filter_map(|item| self.shorten(item, module)).collect();
        for &inner in &here.inner {
            let inside = &self.modules.all[inner];
            if inside.is_public {
                let mut attributes = inside.attributes.clone();
                keep(&mut attributes);
                let name = quote::format_ident!("{}", inside.name);
                let content = self.in_public(inner);
                items.push(parse_quote!(#(#attributes)* pub mod #name { #(#content)* }));
            }
        }
        items
    }

    /// The items of the private modules inside a module, without what they hand up, which is seen where
    /// it arrives.
    fn in_private(&self, module: usize, is_public: bool, items: &mut Vec<Item>) {
        for &inner in &self.modules.all[module].inner {
            let inside = &self.modules.all[inner];
            let is_public = is_public && inside.is_public;
            if !is_public {
                let gates = self.modules.gates(inner);
                let own = inside.items.iter().filter(|item| !matches!(item, Item::Use(_))).cloned();
                for mut item in own.filter_map(|item| self.shorten(item, inner)) {
                    if let Some(attributes) = attributes(&mut item) {
                        attributes.splice(..0, gates.iter().cloned());
                    }
                    items.push(item);
                }
            }
            self.in_private(inner, is_public, items);
        }
    }

    /// Whether no path of a type or trait in a module leads to an item of the crate that a user cannot
    /// name.
    fn can_be_named(&self, module: usize, visit: impl FnOnce(&mut Paths)) -> bool {
        let mut paths = Paths::default();
        visit(&mut paths);
        paths.0.iter().all(|path| self.is_reachable(module, path))
    }

    /// False for an item of the crate that a user cannot name, true for what is not the crate's.
    fn is_reachable(&self, module: usize, path: &[String]) -> bool {
        let item = self.modules.resolve(module, path).0;
        item.is_none_or(|item| self.reachable.contains(&item))
    }

    /// The item without what a user cannot see; `None` where nothing is left.
    fn shorten(&self, mut item: Item, module: usize) -> Option<Item> {
        if let Some((name, visibility)) = named(&item)
            && !(is_pub(visibility) && self.reachable.contains(&(module, name.to_string())))
        {
            return None;
        }
        keep(attributes(&mut item)?);
        let visible = match &mut item {
            Item::Fn(function) => {
                *function.block = parse_quote!({});
                true
            }
            Item::Struct(item) => {
                shorten_fields(&mut item.fields);
                true
            }
            Item::Enum(item) => {
                for variant in &mut item.variants {
                    keep(&mut variant.attrs);
                    variant.fields.iter_mut().for_each(|field| keep(&mut field.attrs));
                }
                true
            }
            Item::Trait(item) => {
                shorten_trait(item);
                true
            }
            Item::Static(item) => {
                *item.expr = parse_quote!(..);
                true
            }
            Item::Const(_) | Item::Type(_) | Item::Union(_) => true,
            Item::Impl(item) => self.shorten_impl(item, module),
            Item::Use(item) => is_pub(&item.vis),
            Item::Macro(item) => self.makes_public(item, module),
            _ => false,
        };
        visible.then_some(item)
    }

    /// Keeps the public functions of a type and the calls that make some, or of what it says about a trait the head, types and
    /// constants.
    fn shorten_impl(&self, item: &mut ItemImpl, module: usize) -> bool {
        if !self.can_be_named(module, |paths| paths.visit_type(&item.self_ty)) {
            return false;
        }
        if let Some((_, of, _)) = &item.trait_ {
            item.items.retain_mut(|member| match member {
                ImplItem::Type(associated) => {
                    keep(&mut associated.attrs);
                    true
                }
                ImplItem::Const(_) => true,
                _ => false,
            });
            return self.can_be_named(module, |paths| paths.visit_path(of));
        }
        item.items.retain_mut(|member| match member {
            ImplItem::Fn(function) => {
                keep(&mut function.attrs);
                function.block = parse_quote!({});
                is_pub(&function.vis)
            }
            ImplItem::Const(constant) => {
                keep(&mut constant.attrs);
                is_pub(&constant.vis)
            }
            ImplItem::Macro(call) => {
                // Without attributes, almost all of which are documentation.
                let tokens: Vec<_> = std::mem::take(&mut call.mac.tokens).into_iter().collect();
                let is_mark = |at: usize| tokens[at].to_string() == "#";
                let kept =
                    (0..tokens.len()).filter(|&at| !is_mark(at) && (at == 0 || !is_mark(at - 1)));
                call.mac.tokens = kept.map(|at| tokens[at].clone()).collect();
                self.call_makes_public(&call.mac, module)
            }
            _ => false,
        });
        !item.items.is_empty()
    }

    /// Whether a macro is exported, or a call of one makes something that a user can tell is there.
    fn makes_public(&self, item: &ItemMacro, module: usize) -> bool {
        if item.ident.is_some() {
            return item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
        }
        self.call_makes_public(&item.mac, module)
    }

    /// Whether a call of a macro makes something that a user can tell is there.
    fn call_makes_public(&self, call: &Macro, module: usize) -> bool {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string());
        let made = match name.as_ref().and_then(|name| self.macros.get(name)) {
            Some((home, definition)) => made::read(definition).map(|made| (*home, made)),
            None => made::read(&call.tokens.to_string()).map(|made| (module, made)),
        };
        made.is_some_and(|(home, made)| {
            made.is_public || made.traits.iter().any(|path| self.is_reachable(home, path))
        })
    }
}

/// Every path in a type or a trait with its arguments.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast NamePath) {
        // A path that begins with two colons is that of another crate.
        if path.leading_colon.is_none() {
            let segments = path.segments.iter();
            self.0.push(segments.map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

/// What the manifest says of features, as comments.
fn features(manifest: &Path) -> io::Result<String> {
    let text = fs::read_to_string(manifest)?;
    let lines = text.lines().skip_while(|line| *line != "[features]");
    let section = lines.enumerate().take_while(|(i, line)| *i == 0 || !line.starts_with('['));
    let lines = section.map(|(_, line)| line).filter(|line| !line.is_empty());
    Ok(lines.map(|line| format!("// {line}\n")).collect())
}

/// Attributes that a user can tell are there.
fn keep(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| {
        [
            "derive",
            "cfg",
            "cfg_attr",
            "deprecated",
            "non_exhaustive",
            "must_use",
            "repr",
            "macro_export",
        ]
        .iter()
        .any(|name| attribute.path().is_ident(name))
            || attribute.meta.to_token_stream().to_string() == "doc (hidden)"
    });
}

/// The attributes of an item that can be listed.
fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    Some(match item {
        Item::Const(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Macro(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Union(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return None,
    })
}

fn shorten_trait(item: &mut ItemTrait) {
    for member in &mut item.items {
        match member {
            TraitItem::Fn(function) => {
                keep(&mut function.attrs);
                // That there is a body matters: who implements the trait may leave it out.
                if let Some(body) = &mut function.default {
                    *body = parse_quote!({});
                }
            }
            TraitItem::Type(associated) => keep(&mut associated.attrs),
            TraitItem::Const(constant) => keep(&mut constant.attrs),
            _ => {}
        }
    }
}

fn shorten_fields(fields: &mut Fields) {
    let hidden = fields.iter().any(|field| !is_pub(&field.vis));
    match fields {
        Fields::Named(named) => {
            named.named =
                std::mem::take(&mut named.named).into_iter().filter(|f| is_pub(&f.vis)).collect();
            named.named.iter_mut().for_each(|field| keep(&mut field.attrs));
            if hidden {
                named.named.push(parse_quote!(_private: ()));
            }
        }
        Fields::Unnamed(unnamed) => {
            for field in &mut unnamed.unnamed {
                keep(&mut field.attrs);
                if !is_pub(&field.vis) {
                    field.ty = parse_quote!(Private);
                }
            }
        }
        Fields::Unit => {}
    }
}

fn print(item: Item) -> String {
    prettyplease::unparse(&syn::File { shebang: None, attrs: Vec::new(), items: vec![item] })
}
