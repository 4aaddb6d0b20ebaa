//! What counts as a circle, on small crates written for the purpose.

#![allow(clippy::unwrap_used)]

use std::{fs, path::PathBuf};

use api::floors::Floors;

/// A crate of these files, read.
fn floors(name: &str, files: &[(&str, &str)]) -> Floors {
    let src = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if src.exists() {
        fs::remove_dir_all(&src).unwrap();
    }
    for (file, text) in files {
        let path = src.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Floors::read(&src).unwrap()
}

fn pairs(circle: &[api::floors::Import]) -> Vec<(&str, &str)> {
    circle.iter().map(|import| (import.from.as_str(), import.owner.as_str())).collect()
}

#[test]
fn two_files_that_import_each_other_are_a_circle() {
    let found = floors(
        "two_files",
        &[
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B; fn f() -> crate::a::A { loop {} }"),
        ],
    );
    let circles = found.circles();
    assert_eq!(circles.len(), 1);
    assert_eq!(pairs(&circles[0]), [("crate::a", "crate::b"), ("crate::b", "crate::a")]);
    assert_eq!(found.indirect().count(), 0);
}

#[test]
fn a_circle_that_runs_through_the_root_is_found_and_its_imports_are_indirect() {
    let found = floors(
        "through_the_root",
        &[
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*;"),
            ("a.rs", "use crate::B as Other; pub struct A(Other);"),
            ("b.rs", "use super::A; pub struct B; impl B { fn a(_: A) {} }"),
        ],
    );
    assert_eq!(found.circles().len(), 1);
    let indirect: Vec<_> = found.indirect().map(|import| import.path.as_str()).collect();
    assert_eq!(indirect, ["crate::B", "super::A"]);
}

#[test]
fn folders_whose_files_import_each_other_are_a_circle_without_two_such_files() {
    let found = floors(
        "folders",
        &[
            ("lib.rs", "mod low; mod high;"),
            ("low.rs", "mod x; pub(crate) mod y;"),
            ("low/x.rs", "use crate::high::p::P; struct X(P);"),
            ("low/y.rs", "pub struct Y;"),
            ("high.rs", "pub(crate) mod p; mod q;"),
            ("high/p.rs", "pub struct P;"),
            ("high/q.rs", "use crate::low::y; fn f(_: y::Y) {}"),
        ],
    );
    let circles = found.circles();
    assert_eq!(circles.len(), 1);
    assert_eq!(
        pairs(&circles[0]),
        [("crate::high::q", "crate::low::y"), ("crate::low::x", "crate::high::p")]
    );
}

#[test]
fn a_longer_circle_is_found() {
    let found = floors(
        "three_files",
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "use crate::c::C; pub struct B(C);"),
            ("c.rs", "pub struct C; fn f() { let _ = crate::a::A::new; }"),
        ],
    );
    assert_eq!(found.circles()[0].len(), 3);
}

#[test]
fn reexports_tests_and_imports_in_one_direction_are_no_circle() {
    let found = floors(
        "floors",
        &[
            ("lib.rs", "mod low; mod high; pub use high::High; pub use low::Low;"),
            ("low.rs", "pub struct Low; #[cfg(test)] mod tests { use crate::high::High; }"),
            ("high.rs", "mod part; pub use part::High;"),
            ("high/part.rs", "use crate::low::Low; pub struct High(Low);"),
        ],
    );
    assert_eq!(found.circles(), Vec::<Vec<_>>::new());
    assert_eq!(found.indirect().count(), 0);
}
