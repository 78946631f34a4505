//! Module order of the core: a module uses only modules that `lib.rs` lists above it. Tests may use
//! modules below, such as `naive`.

use std::fs;
use std::path::Path;

/// Returns the modules in the order of `lib.rs`.
fn modules(lib: &str) -> Vec<&str> {
    let declared = lib
        .lines()
        .map(str::trim)
        .filter_map(|line| line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod ")));
    declared.map(|rest| rest.trim_end_matches(';')).collect()
}

/// Returns every module named after `crate::` outside the test module of a source file.
fn used(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]").next().unwrap_or(source);
    let uncommented = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mentions = uncommented.flat_map(|line| line.split("crate::").skip(1));
    mentions
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
        .collect()
}

/// Returns the modules that a module uses although they are not above it.
fn violations(modules: &[&str], module: &str, source: &str) -> Vec<String> {
    let rank = |name: &str| modules.iter().position(|m| *m == name);
    let here = rank(module).unwrap_or_else(|| panic!("lib.rs does not list `{module}`"));
    let below = |name: &&str| rank(name).is_none_or(|there| there > here);
    used(source).into_iter().filter(below).map(|name| format!("{module} uses {name}")).collect()
}

#[test]
fn a_module_uses_only_modules_listed_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(root.join("lib.rs")).unwrap();
    let modules = modules(&lib);
    let mut files = 0;
    for module in &modules {
        let folder = root.join(module);
        let inner = fs::read_dir(folder).into_iter().flatten();
        let mut sources: Vec<_> = inner.map(|entry| entry.unwrap().path()).collect();
        sources.push(root.join(format!("{module}.rs")));
        sources.retain(|source| source.is_file() && !source.ends_with("tests.rs"));
        for source in sources {
            let text = fs::read_to_string(&source).unwrap();
            assert_eq!(violations(&modules, module, &text), Vec::<String>::new(), "{source:?}");
            files += 1;
        }
    }
    assert!(files >= modules.len() && files > 8, "only {files} files were read");
}

#[test]
fn a_use_of_a_lower_module_is_found() {
    let modules = ["units", "map", "naive"];
    assert_eq!(violations(&modules, "units", "use crate::map::StreetMap;"), ["units uses map"]);
    assert_eq!(violations(&modules, "map", "let x = crate::naive::snap();"), ["map uses naive"]);
    assert!(violations(&modules, "map", "#[cfg(test)]\nuse crate::naive;").is_empty());
    assert!(violations(&modules, "naive", "use crate::map::StreetMap;").is_empty());
}
