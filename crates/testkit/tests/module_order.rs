//! The modules of a crate have an order, as the crates of the workspace do: no file needs one that needs it back.
//!
//! Arrows are read from paths: `use` trees, paths in code, and paths inside macro calls, each resolved through re-exports
//! to the file that defines the name. A file with `include!` defines the names that are found nowhere else. Declaring and re-exporting children is no arrow, and tests may name anything.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use syn::{
    Attribute, ImplItem, Item, ItemMod, ItemUse, Meta, UseTree, Visibility,
    visit::{self, Visit},
};

/// One source file and what can be named in it.
#[derive(Default)]
struct SourceFile {
    name: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    /// Names that stand for a path: everything a `use` brings in, public or not.
    aliases: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Every path the file names, re-exports left out.
    named: Vec<Vec<String>>,
    /// Whether it includes code that the build script wrote.
    includes: bool,
}

/// The files of one crate; the first is its root.
struct CrateFiles(Vec<SourceFile>);

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(_) | Meta::NameValue(_) => false,
    })
}

impl CrateFiles {
    fn read(root_file: &Path) -> Self {
        let mut files = Self(Vec::new());
        files.read_file(root_file, root_file.parent().expect("a folder"), None);
        files
    }

    fn read_file(&mut self, path: &Path, child_folder: &Path, parent: Option<usize>) -> usize {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.strip_prefix(workspace_root()).unwrap_or(path).display().to_string();
        let place = self.0.len();
        self.0.push(SourceFile { parent, ..SourceFile::default() });
        let mut reader = FileReader { file: SourceFile::default(), modules: Vec::new() };
        reader.visit_file(&syntax);
        let FileReader { file, modules } = reader;
        self.0[place] = SourceFile { name, parent, ..file };
        for module in modules {
            let flat = child_folder.join(format!("{module}.rs"));
            let nested = child_folder.join(&module);
            let child_path = if flat.is_file() { flat } else { nested.join("mod.rs") };
            let child = self.read_file(&child_path, &nested, Some(place));
            self.0[place].children.insert(module, child);
        }
        place
    }

    /// The file that defines what `path` names, seen from `from`; `None` for names of other crates and for modules.
    fn definition(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        if depth > 16 {
            return None;
        }
        let mut here = match path.first()?.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.0[from].parent?,
            first if self.0[from].children.contains_key(first) => self.0[from].children[first],
            first => {
                let target = self.0[from].aliases.get(first)?;
                let longer: Vec<String> = target.iter().chain(&path[1..]).cloned().collect();
                return (longer != path).then(|| self.definition(from, &longer, depth + 1)).flatten();
            }
        };
        for (place, segment) in path.iter().enumerate().skip(1) {
            let file = &self.0[here];
            if segment == "super" {
                here = file.parent?;
            } else if let Some(child) = file.children.get(segment) {
                here = *child;
            } else if file.defined.contains(segment) {
                return Some(here);
            } else if let Some(target) = file.aliases.get(segment) {
                let longer: Vec<String> = target.iter().chain(&path[place + 1..]).cloned().collect();
                return self.definition(here, &longer, depth + 1);
            } else {
                let rest = &path[place..];
                let from_glob = file.globs.iter().find_map(|glob| {
                    let longer: Vec<String> = glob.iter().chain(rest).cloned().collect();
                    self.definition(here, &longer, depth + 1)
                });
                return from_glob.or(file.includes.then_some(here));
            }
        }
        None
    }

    fn arrows(&self) -> Vec<BTreeMap<usize, String>> {
        let arrows_of = |(from, file): (usize, &SourceFile)| {
            let found = file.named.iter().filter_map(|path| {
                let to = self.definition(from, path, 0)?;
                (to != from).then(|| (to, path.join("::")))
            });
            found.collect()
        };
        self.0.iter().enumerate().map(arrows_of).collect()
    }

    /// Groups of files that need each other, each with the arrows that tie it.
    fn cycles(&self) -> Vec<String> {
        let arrows = self.arrows();
        let reach: Vec<BTreeSet<usize>> = (0..arrows.len()).map(|from| reachable(&arrows, from)).collect();
        let mut told = BTreeSet::new();
        let mut cycles = Vec::new();
        for file in 0..arrows.len() {
            if !reach[file].contains(&file) || told.contains(&file) {
                continue;
            }
            let group: BTreeSet<usize> =
                reach[file].iter().copied().filter(|other| reach[*other].contains(&file)).collect();
            let mut lines = vec![format!("{} files need each other:", group.len())];
            for from in &group {
                for (to, path) in arrows[*from].iter().filter(|(to, _)| group.contains(to)) {
                    lines.push(format!("  {} -> {} ({path})", self.0[*from].name, self.0[*to].name));
                }
            }
            cycles.push(lines.join("\n"));
            told.extend(group);
        }
        cycles
    }
}

fn reachable(arrows: &[BTreeMap<usize, String>], from: usize) -> BTreeSet<usize> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        open.extend(arrows[file].keys().filter(|to| seen.insert(**to)));
    }
    seen
}

/// Reads one file: what it defines, what it brings in, what it names.
struct FileReader {
    file: SourceFile,
    modules: Vec<String>,
}

impl FileReader {
    fn read_use(&mut self, tree: &UseTree, prefix: &[String], counts: bool) {
        let extended = |name: &str| {
            let mut path = prefix.to_vec();
            path.push(name.to_owned());
            path
        };
        match tree {
            UseTree::Path(path) => self.read_use(&path.tree, &extended(&path.ident.to_string()), counts),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.read_use(tree, prefix, counts);
                }
            }
            UseTree::Name(name) if name.ident == "self" => {
                self.bring_in(prefix.last().cloned().unwrap_or_default(), prefix.to_vec(), counts);
            }
            UseTree::Name(name) => {
                self.bring_in(name.ident.to_string(), extended(&name.ident.to_string()), counts);
            }
            UseTree::Rename(rename) => {
                self.bring_in(rename.rename.to_string(), extended(&rename.ident.to_string()), counts);
            }
            UseTree::Glob(_) => self.file.globs.push(prefix.to_vec()),
        }
    }

    fn bring_in(&mut self, alias: String, path: Vec<String>, counts: bool) {
        if counts {
            self.file.named.push(path.clone());
        }
        if path.len() > 1 || path[0] != alias {
            self.file.aliases.insert(alias, path);
        }
    }

    /// Paths among the tokens of a macro call, whose syntax only the macro knows.
    fn read_tokens(&mut self, tokens: &TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens.clone() {
            match token {
                TokenTree::Ident(ident) if colons == 2 || path.is_empty() => {
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                }
                other => {
                    self.finish_path(&mut path);
                    colons = 0;
                    match other {
                        TokenTree::Ident(ident) => path.push(ident.to_string()),
                        TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                            self.read_tokens(&group.stream());
                        }
                        TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                    }
                }
            }
        }
        self.finish_path(&mut path);
    }

    fn finish_path(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.file.named.push(path);
        }
    }
}

fn defined_name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Mod(item) if item.content.is_some() => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

impl<'ast> Visit<'ast> for FileReader {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test_only(item_attributes(item)) {
            return;
        }
        self.file.defined.extend(defined_name(item));
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if module.content.is_none() {
            self.modules.push(module.ident.to_string());
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let counts = matches!(item.vis, Visibility::Inherited);
        self.read_use(&item.tree, &[], counts);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let test_only = matches!(item, ImplItem::Fn(function) if is_test_only(&function.attrs));
        if !test_only {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.file.named.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.file.includes |= call.path.is_ident("include");
        self.read_tokens(&call.tokens);
        visit::visit_macro(self, call);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn crates() -> Vec<(String, CrateFiles)> {
    let folders = fs::read_dir(workspace_root().join("crates")).expect("the crates");
    let mut crates: Vec<(String, CrateFiles)> = folders
        .filter_map(|entry| {
            let folder = entry.expect("readable").path();
            let root = [folder.join("src/lib.rs"), folder.join("src/main.rs")]
                .into_iter()
                .find(|it| it.is_file())?;
            Some((folder.file_name()?.to_string_lossy().into_owned(), CrateFiles::read(&root)))
        })
        .collect();
    crates.sort_by(|(a, _), (b, _)| a.cmp(b));
    crates
}

#[test]
fn no_file_needs_one_that_needs_it_back() {
    let crates = crates();
    let arrows: usize = crates.iter().flat_map(|(_, files)| files.arrows()).map(|arrows| arrows.len()).sum();
    assert!(arrows > 500, "a check that sees {arrows} arrows proves nothing");
    let found = crates.iter().flat_map(|(name, files)| {
        files.cycles().into_iter().map(move |cycle| format!("in crate {name}, {cycle}"))
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The circles of a crate of these files, of which the first is its root.
fn cycles_of(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    CrateFiles::read(&folder.path().join(files[0].0)).cycles()
}

/// The control: a circle through a re-export, a macro call and an imported module is seen.
#[test]
fn a_circle_is_seen() {
    let cycles = cycles_of(&[
        ("lib.rs", "mod a; mod b; mod c; pub use b::Thing; mod tests_only;"),
        ("a.rs", "use crate::Thing; pub(crate) fn made() -> Thing { Thing }"),
        ("b/mod.rs", "mod inner; pub use inner::Thing;"),
        ("b/inner.rs", "use crate::c; pub struct Thing; fn call() { println!(\"{}\", c::named()); }"),
        ("c.rs", "pub(crate) fn named() -> &'static str { drop(crate::a::made()); \"c\" }"),
        ("tests_only.rs", "#[cfg(test)] mod tests { use crate::a::made; }"),
    ]);
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    assert!(cycles[0].starts_with("3 files need each other:"), "{}", cycles[0]);
}

/// The control: a circle through a name that only included code defines is seen.
#[test]
fn a_circle_through_included_code_is_seen() {
    let cycles = cycles_of(&[
        ("lib.rs", "mod languages; mod lists;"),
        ("languages.rs", "use crate::lists::WordList; pub struct Language;"),
        ("lists.rs", "use crate::languages::Language; include!(concat!(env!(\"OUT_DIR\"), \"/lists.rs\"));"),
    ]);
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    assert!(cycles[0].starts_with("2 files need each other:"), "{}", cycles[0]);
}
