//! The public interface of a crate as text, read from its source: what a change to it adds, removes
//! or alters shows up as a difference in `api/CRATE.txt`.
//!
//! Every item that says `pub` is public, because the lint `unreachable_pub` refuses one that cannot be
//! reached. A call of a macro that makes items stands for them. What a function does and what is behind
//! private fields is left out, and with it whether a type is `Send` and `Sync` and the form in which its
//! private fields are written and read.

pub mod floors;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, Type, Visibility, parse_quote};

/// The features of the crate whose source lies in `src`, and its public items one after the other, sorted
/// as text so that moving a file changes nothing.
///
/// # Errors
///
/// What reading a file says, and `InvalidData` with the file's name for one that is not Rust.
pub fn describe(src: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    collect(src, &mut files)?;
    let lib = src.join("lib.rs");
    let modules: BTreeSet<PathBuf> = files
        .iter()
        .filter(|(path, _)| *path == lib)
        .flat_map(|(_, file)| file.items.iter().filter_map(public_module))
        .map(|name| src.join(name).with_extension("rs"))
        .collect();
    let mut items = Vec::new();
    let mut inside = Vec::new();
    for (path, file) in files {
        let found = file.items.into_iter().flat_map(flatten);
        if modules.contains(&path) {
            inside.push((path, found.collect::<Vec<_>>()));
        } else {
            // Names that a private module hands up are seen where they arrive.
            items.extend(found.filter(|item| path == lib || !matches!(item, Item::Use(_))));
        }
    }
    let all = items.iter().chain(inside.iter().flat_map(|(_, items)| items));
    let public: BTreeSet<String> = all.filter_map(public_type).collect();
    let shortened = |items: Vec<Item>| -> Vec<Item> {
        items.into_iter().filter_map(|item| shorten(item, &public)).collect()
    };
    let mut blocks: Vec<String> = shortened(items).into_iter().map(print).collect();
    blocks.extend(inside.into_iter().map(|(path, items)| print(module(&path, shortened(items)))));
    blocks.sort();
    blocks.dedup();
    Ok(format!("{}\n{}", features(&src.join("../Cargo.toml"))?, blocks.join("\n")))
}

/// What the manifest says of features, as comments.
fn features(manifest: &Path) -> io::Result<String> {
    let text = fs::read_to_string(manifest)?;
    let lines = text.lines().skip_while(|line| *line != "[features]");
    let section = lines.enumerate().take_while(|(i, line)| *i == 0 || !line.starts_with('['));
    let lines = section.map(|(_, line)| line).filter(|line| !line.is_empty());
    Ok(lines.map(|line| format!("// {line}\n")).collect())
}

/// The name of a public module with a file of its own.
fn public_module(item: &Item) -> Option<String> {
    match item {
        Item::Mod(module) if module.content.is_none() && is_public(&module.vis) => {
            Some(module.ident.to_string())
        }
        _ => None,
    }
}

/// The public module that a file is.
fn module(file: &Path, items: Vec<Item>) -> Item {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = quote::format_ident!("{name}");
    Item::Mod(parse_quote!(pub mod #name { #(#items)* }))
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, syn::File)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let file = syn::parse_file(&text).map_err(|error| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
            })?;
            files.push((path, file));
        }
    }
    Ok(())
}

/// An item, or those of a module written in place.
fn flatten(item: Item) -> Vec<Item> {
    match item {
        Item::Mod(module) if is_test(&module.attrs) => Vec::new(),
        Item::Mod(module) if module.content.is_some() => {
            module.content.into_iter().flat_map(|(_, items)| items).flat_map(flatten).collect()
        }
        other => vec![other],
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]")
}

fn public_type(item: &Item) -> Option<String> {
    let (name, visibility) = match item {
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        _ => return None,
    };
    is_public(visibility).then(|| name.to_string())
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Attributes that a user can tell are there.
fn keep(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| {
        ["derive", "cfg", "cfg_attr", "deprecated", "non_exhaustive", "must_use", "repr"]
            .iter()
            .any(|name| attribute.path().is_ident(name))
            || attribute.meta.to_token_stream().to_string() == "doc (hidden)"
    });
}

/// The item without what a user cannot see; `None` where nothing is left.
fn shorten(mut item: Item, public: &BTreeSet<String>) -> Option<Item> {
    let visible = match &mut item {
        Item::Fn(function) => {
            keep(&mut function.attrs);
            *function.block = parse_quote!({});
            is_public(&function.vis)
        }
        Item::Const(constant) => {
            keep(&mut constant.attrs);
            is_public(&constant.vis)
        }
        Item::Type(alias) => {
            keep(&mut alias.attrs);
            is_public(&alias.vis)
        }
        Item::Struct(item) => {
            keep(&mut item.attrs);
            shorten_fields(&mut item.fields);
            is_public(&item.vis)
        }
        Item::Enum(item) => {
            keep(&mut item.attrs);
            for variant in &mut item.variants {
                keep(&mut variant.attrs);
                variant.fields.iter_mut().for_each(|field| keep(&mut field.attrs));
            }
            is_public(&item.vis)
        }
        Item::Trait(item) => {
            keep(&mut item.attrs);
            for member in &mut item.items {
                match member {
                    syn::TraitItem::Fn(function) => {
                        keep(&mut function.attrs);
                        // That there is a body matters: who implements the trait may leave it out.
                        if let Some(body) = &mut function.default {
                            *body = parse_quote!({});
                        }
                    }
                    syn::TraitItem::Type(associated) => keep(&mut associated.attrs),
                    syn::TraitItem::Const(constant) => keep(&mut constant.attrs),
                    _ => {}
                }
            }
            is_public(&item.vis)
        }
        Item::Impl(item) => shorten_impl(item, public),
        Item::Use(item) => {
            keep(&mut item.attrs);
            is_public(&item.vis)
        }
        Item::Mod(item) => {
            keep(&mut item.attrs);
            // What a private module has is there only where the module is.
            is_public(&item.vis) || item.attrs.iter().any(|a| a.path().is_ident("cfg"))
        }
        Item::Macro(item) => {
            let exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
            item.ident.is_none() || exported
        }
        _ => false,
    };
    visible.then_some(item)
}

fn shorten_fields(fields: &mut Fields) {
    let hidden = fields.iter().any(|field| !is_public(&field.vis));
    match fields {
        Fields::Named(named) => {
            named.named = std::mem::take(&mut named.named)
                .into_iter()
                .filter(|f| is_public(&f.vis))
                .collect();
            named.named.iter_mut().for_each(|field| keep(&mut field.attrs));
            if hidden {
                named.named.push(parse_quote!(_private: ()));
            }
        }
        Fields::Unnamed(unnamed) => {
            for field in &mut unnamed.unnamed {
                keep(&mut field.attrs);
                if !is_public(&field.vis) {
                    field.ty = parse_quote!(Private);
                }
            }
        }
        Fields::Unit => {}
    }
}

/// Keeps the public functions of a type, or of what it says about a trait the head, types and constants.
fn shorten_impl(item: &mut ItemImpl, public: &BTreeSet<String>) -> bool {
    keep(&mut item.attrs);
    if item.trait_.is_some() {
        item.items.retain_mut(|member| match member {
            ImplItem::Type(associated) => {
                keep(&mut associated.attrs);
                true
            }
            ImplItem::Const(_) => true,
            _ => false,
        });
        return named(&item.self_ty).is_none_or(|name| public.contains(&name));
    }
    item.items.retain_mut(|member| match member {
        ImplItem::Fn(function) => {
            keep(&mut function.attrs);
            function.block = parse_quote!({});
            is_public(&function.vis)
        }
        ImplItem::Const(constant) => {
            keep(&mut constant.attrs);
            is_public(&constant.vis)
        }
        _ => false,
    });
    !item.items.is_empty() && named(&item.self_ty).is_some_and(|name| public.contains(&name))
}

fn named(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        Type::Reference(reference) => named(&reference.elem),
        _ => None,
    }
}

fn print(item: Item) -> String {
    prettyplease::unparse(&syn::File { shebang: None, attrs: Vec::new(), items: vec![item] })
}
