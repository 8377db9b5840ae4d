//! Names tell what they are: long enough for a stranger, and one meaning for each type.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use syn::{
    Attribute, FnArg, Item, ItemMod, Meta, Pat, Signature, Type, Visibility,
    visit::{self, Visit},
};

/// Names of machinery are at least this long on average. One word of seven letters rarely tells what a thing does.
const MIN_AVERAGE_NAME_CHARACTERS: f64 = 10.0;

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// The product's source files, tests left out.
fn product_files(crate_name: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![workspace_root().join("crates").join(crate_name).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs")
                && path.file_stem().is_none_or(|it| it != "tests")
            {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    files
}

fn crate_names() -> Vec<String> {
    let folders = fs::read_dir(workspace_root().join("crates")).expect("the crates");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("readable").file_name().to_string_lossy().into_owned()
    };
    folders.map(name).filter(|name| name != "testkit").collect()
}

fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(_) | Meta::NameValue(_) => false,
    })
}

/// Everything a crate gives a name to.
#[derive(Default)]
struct Definitions {
    names: Vec<String>,
    types: Vec<String>,
    signatures: Vec<Signature>,
}

impl Definitions {
    fn of_file(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("readable");
        let mut definitions = Self::default();
        definitions.visit_file(&syn::parse_file(&text).expect("Rust"));
        definitions
    }

    fn type_name(&mut self, name: &syn::Ident) {
        self.types.push(name.to_string());
        self.names.push(name.to_string());
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Struct(item) => self.type_name(&item.ident),
            Item::Enum(item) => self.type_name(&item.ident),
            Item::Trait(item) => self.type_name(&item.ident),
            Item::Type(item) => self.type_name(&item.ident),
            Item::Const(item) => self.names.push(item.ident.to_string()),
            Item::Static(item) => self.names.push(item.ident.to_string()),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test_only(&module.attrs) {
            self.names.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
        }
    }

    // Methods of a foreign trait are named by the trait.
    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        if block.trait_.is_none() {
            visit::visit_item_impl(self, block);
        }
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        self.names.push(signature.ident.to_string());
        self.signatures.push(signature.clone());
    }
}

#[test]
fn names_of_machinery_are_long_enough_to_tell() {
    for crate_name in ["store", "engine"] {
        let names: Vec<String> =
            product_files(crate_name).iter().flat_map(|path| Definitions::of_file(path).names).collect();
        assert!(names.len() > 500, "a check that sees {} names proves nothing", names.len());
        let average = names.iter().map(String::len).sum::<usize>() as f64 / names.len() as f64;
        assert!(
            average >= MIN_AVERAGE_NAME_CHARACTERS,
            "names in {crate_name} average {average:.1} characters; say more in the new ones"
        );
    }
}

/// The JSON form of a noun bears the noun's name, in `wire` and nowhere else.
#[test]
fn a_type_name_has_one_meaning() {
    // Every crate has its own, by convention.
    let conventional = ["Result"];
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let crates = crate_names().into_iter().filter(|name| name != "wire");
    for path in crates.flat_map(|name| product_files(&name)) {
        let file = path.strip_prefix(workspace_root()).expect("inside").display().to_string();
        for name in Definitions::of_file(&path).types {
            places.entry(name).or_default().insert(file.clone());
        }
    }
    assert!(places.len() > 400, "a check that sees {} types proves nothing", places.len());
    let shared: Vec<&str> = places
        .iter()
        .filter(|(name, files)| files.len() > 1 && !conventional.contains(&name.as_str()))
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(shared.is_empty(), "give each of these types a name of its own: {shared:?}");
}

/// A statement's connection and its agent travel together, in a transaction: apart, one of them can be the wrong one.
#[test]
fn no_function_of_the_store_takes_a_connection_and_an_agent_side_by_side() {
    let mut seen = 0;
    let scoped = product_files("store").into_iter().filter(|path| !path.ends_with("transaction.rs"));
    for path in scoped {
        for signature in Definitions::of_file(&path).signatures {
            let parameters: Vec<String> = signature
                .inputs
                .iter()
                .filter_map(|input| match input {
                    FnArg::Typed(typed) => match &*typed.pat {
                        Pat::Ident(name) => Some(name.ident.to_string()),
                        _ => None,
                    },
                    FnArg::Receiver(_) => None,
                })
                .collect();
            seen += parameters.len();
            let has = |name: &str| parameters.iter().any(|parameter| parameter == name);
            let place = path.display();
            assert!(!(has("connection") && has("agent_id")), "{place}: {} takes both", signature.ident);
        }
    }
    assert!(seen > 1_000, "a check that sees {seen} parameters proves nothing");
}

/// Functions that others can call, and those among them that take a switch.
#[derive(Default)]
struct VisibleFunctions {
    count: usize,
    switched: Vec<String>,
}

impl VisibleFunctions {
    fn of_text(text: &str) -> Self {
        let mut functions = Self::default();
        functions.visit_file(&syn::parse_file(text).expect("Rust"));
        functions
    }

    fn look_at(&mut self, signature: &Signature) {
        let is_bool = |input: &FnArg| matches!(input, FnArg::Typed(typed) if matches!(&*typed.ty, Type::Path(of) if of.path.is_ident("bool")));
        self.count += 1;
        if signature.inputs.iter().any(is_bool) {
            self.switched.push(signature.ident.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for VisibleFunctions {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test_only(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !matches!(function.vis, Visibility::Inherited) {
            self.look_at(&function.sig);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !matches!(function.vis, Visibility::Inherited) {
            self.look_at(&function.sig);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.look_at(&function.sig);
    }
}

/// `decide(status, true)` tells its reader nothing: a mode is an enum that is named for what it decides.
#[test]
fn no_visible_function_takes_a_switch() {
    let control = VisibleFunctions::of_text(
        "fn own(on: bool) {} pub fn shown(on: bool) {} struct S; impl S { pub(super) fn inner(&self, a: u8, on: bool) {} }",
    );
    assert_eq!((control.count, control.switched.join(" ").as_str()), (2, "shown inner"));
    let (mut count, mut switched) = (0, Vec::new());
    for path in ["domain", "cognition", "store", "engine"].iter().flat_map(|name| product_files(name)) {
        let found = VisibleFunctions::of_text(&fs::read_to_string(&path).expect("readable"));
        let file = path.strip_prefix(workspace_root()).expect("inside").display().to_string();
        count += found.count;
        switched.extend(found.switched.into_iter().map(|name| format!("{file}: {name}")));
    }
    assert!(count > 1_000, "a check that sees {count} functions proves nothing");
    assert!(switched.is_empty(), "name with an enum what each of these decides: {switched:#?}");
}

#[test]
fn every_file_that_reads_has_a_role() {
    let read = workspace_root().join("crates/engine/src/read");
    let files = fs::read_dir(read).expect("the reading half").map(|entry| entry.expect("readable").path());
    let outside: BTreeSet<String> = files
        .filter(|path| path.is_file())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    let entry_points = BTreeSet::from(["mod.rs".to_owned(), "recall.rs".to_owned()]);
    assert_eq!(outside, entry_points, "a file in `read` stands in the folder of its role");
}
