//! Compares the public items of the crate with the committed `public-api.txt`, so that a change of
//! the API is seen in review. `MESHCLOAK_BLESS=1 cargo test -p meshcloak --test public_api` renews it.
//!
//! The listing is read from the sources line by line: every `pub` item of a public module that is
//! not hidden, with the first line of its declaration.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the public modules of `lib.rs` that are not hidden.
fn public_modules(lib: &str) -> Vec<&str> {
    let lines: Vec<&str> = lib.lines().collect();
    let visible = lines.windows(2).filter(|pair| pair[0] != "#[doc(hidden)]");
    let modules = visible.filter_map(|pair| pair[1].strip_prefix("pub mod "));
    modules.map(|name| name.trim_end_matches(';')).collect()
}

/// Returns the source files of a module, sorted: `module.rs`, if it exists, and those of its folder.
fn sources(root: &Path, module: &str) -> Vec<PathBuf> {
    let own = root.join(format!("{module}.rs"));
    let entries = fs::read_dir(root.join(module)).into_iter().flatten();
    let inner = entries.map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = inner.filter(|path| !path.ends_with("tests.rs")).collect();
    files.extend(own.is_file().then_some(own));
    assert!(!files.is_empty(), "module {module} has no source");
    files.sort();
    files
}

/// Returns the first lines of the public items of a source file, with the `impl` they stand in.
fn items(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or(source);
    let mut owner = "";
    let mut items = Vec::new();
    for line in code.lines() {
        let text = line.trim();
        if !line.starts_with(' ') && (text.starts_with("impl") || text.starts_with("pub ")) {
            owner = text.trim_end_matches('{').trim();
        }
        if text.starts_with("pub ") && !text.starts_with("pub mod ") {
            let item = text.trim_end_matches(['{', '(', ',', ';']).trim();
            let inner = line.starts_with(' ');
            items.push(if inner { format!("{owner}: {item}") } else { item.to_owned() });
        }
    }
    items
}

#[test]
fn the_public_api_is_the_committed_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lib = fs::read_to_string(root.join("src/lib.rs")).expect("lib.rs");
    let mut listing: Vec<String> =
        items(&lib).into_iter().map(|item| format!("meshcloak {item}")).collect();
    for module in public_modules(&lib) {
        for source in sources(&root.join("src"), module) {
            let text = fs::read_to_string(&source).expect("a source file");
            listing.extend(items(&text).into_iter().map(|item| format!("{module} {item}")));
        }
    }
    assert!(listing.len() > 100, "only {} items were found", listing.len());
    let found = listing.join("\n") + "\n";
    let path = root.join("public-api.txt");
    if std::env::var_os("MESHCLOAK_BLESS").is_some() {
        fs::write(&path, &found).expect("public-api.txt can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let news = |a: &str, b: &str| -> Vec<String> {
        a.lines().filter(|line| !b.lines().any(|other| other == *line)).map(str::to_owned).collect()
    };
    let (added, removed) = (news(&found, &expected), news(&expected, &found));
    assert!(
        found == expected,
        "the public API has changed; run with MESHCLOAK_BLESS=1\nadded {added:#?}\nremoved {removed:#?}"
    );
}
