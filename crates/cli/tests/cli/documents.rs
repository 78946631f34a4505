//! Documents stay true: relative links, source files and commands that they name exist.

use crate::program::meshcloak;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The documents of the repository, relative to its root.
const FOLDERS: [&str; 5] = ["", "docs", "results", "fixtures", "examples"];

/// Word limits.
const LIMITS: [(&str, usize); 2] = [("README.md", 900), ("ARCHITECTURE.md", 2_000)];

struct Document {
    /// Path relative to the root, for messages.
    name: String,
    folder: PathBuf,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> Vec<Document> {
    let mut found = Vec::new();
    for folder in FOLDERS.map(|folder| root().join(folder)).into_iter().filter(|f| f.is_dir()) {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                let text = fs::read_to_string(&path).unwrap();
                found.push(Document { name, folder: folder.clone(), text });
            }
        }
    }
    assert!(found.len() >= 8, "only {} documents found", found.len());
    found
}

/// Targets of `[text](target)` and `![text](target)` outside code blocks.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    let targets = prose.flat_map(|prose| prose.split("](").skip(1));
    targets.filter_map(|rest| rest.split(')').next())
}

/// The anchors of a document's headings, as GitHub forms them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let kept = line.trim_start_matches('#').trim().to_lowercase();
            let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// Commands in `sh` blocks and in inline code, without a leading `VARIABLE=value`.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_shell = false;
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            in_shell = !in_shell && language.starts_with("sh");
        } else if in_shell {
            let command = line.split(" #").next().unwrap_or("");
            found.extend(command.split(" && ").map(|part| part.trim().to_owned()));
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    let assignment = |word: &&str| word.contains('=') && !word.starts_with('-');
    let words = |command: String| {
        let words: Vec<&str> = command.split_whitespace().skip_while(assignment).collect();
        words.join(" ")
    };
    found.into_iter().map(words).filter(|command| command.contains(' ')).collect()
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    let mut checked = 0;
    for Document { name, folder, text } in documents() {
        for link in links(&text).filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { root().join(&name) } else { folder.join(path) };
            assert!(target.exists(), "{name}: the link {link} leads nowhere");
            if !anchor.is_empty() && path.ends_with("md") | path.is_empty() {
                let headings = anchors(&fs::read_to_string(&target).unwrap());
                assert!(headings.iter().any(|h| h == anchor), "{name}: no heading for {link}");
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} links found");
}

#[test]
fn named_source_files_exist() {
    let mut sources = String::new();
    for folder in ["crates", "web", "fuzz", "examples", "experiments", "fixtures", "docs"] {
        list(&root().join(folder), &mut sources);
    }
    let mut checked = 0;
    let named = documents().into_iter().filter(|document| document.name != "CHANGELOG.md");
    for Document { name, text, .. } in named {
        for code in text.split('`').skip(1).step_by(2) {
            let is_file = |word: &&str| {
                word.ends_with(".rs") && !word.contains(['*', '<', '{']) && !word.starts_with('.')
            };
            for file in code.split_whitespace().filter(is_file) {
                assert!(sources.contains(&format!("/{file}\n")), "{name} names {file}: not found");
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "only {checked} files named");
}

#[test]
fn named_items_exist() {
    let mut paths = String::new();
    list(&root().join("crates"), &mut paths);
    let sources = paths.lines().filter(|path| path.ends_with(".rs") && path.contains("/src/"));
    let mut words = BTreeSet::new();
    for source in sources.map(|path| fs::read_to_string(path).unwrap()) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        words.extend(source.split(|c| !is_word(c)).map(str::to_owned));
    }
    let mut checked = 0;
    let named = documents().into_iter().filter(|document| document.name != "CHANGELOG.md");
    for Document { name, text, .. } in named {
        for path in text.split('`').skip(1).step_by(2).filter(|code| is_path(code)) {
            for segment in path.split("::") {
                assert!(
                    words.contains(segment),
                    "{name} names {path}: no {segment} in the sources"
                );
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} paths named");
}

/// Whether inline code is a path of Rust, as in `engine::turn`.
fn is_path(code: &str) -> bool {
    let segments = code.split("::");
    code.contains("::")
        && segments.into_iter().all(|s| s.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Appends the paths of all files below a folder, one a line.
fn list(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["node_modules", "target", "dist"].contains(&name.as_str()) {
            list(&path, into);
        } else {
            into.push_str(&format!("{}\n", path.display()));
        }
    }
}

#[test]
fn commands_in_documents_exist_with_their_flags() {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let scripts = fs::read_to_string(root().join("web/package.json")).unwrap();
    let mut help = BTreeMap::new();
    let mut checked = 0;
    for Document { name, text, .. } in documents() {
        if name == "CHANGELOG.md" {
            continue;
        }
        for command in commands(&text) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let problem = match words[0] {
                "make" => unknown_target(&makefile, &words),
                "npm" if words[1] == "run" => missing_script(&scripts, &words),
                "cargo" => unknown_cargo(&words),
                program if program.ends_with("meshcloak") => unknown_flag(&mut help, &words),
                _ => continue,
            };
            assert_eq!(problem, None, "{name}: `{command}`");
            checked += 1;
        }
    }
    assert!(checked > 40, "only {checked} commands found");
}

fn unknown_target(makefile: &str, words: &[&str]) -> Option<String> {
    let is_target = |word: &&str| !word.contains('=') && !word.starts_with('-') && *word != "…";
    let mut targets = words[1..].iter().copied().filter(is_target);
    targets
        .find(|target| {
            target.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                && !makefile.lines().any(|line| line.starts_with(&format!("{target}:")))
        })
        .map(|target| format!("the Makefile has no target {target}"))
}

fn missing_script(scripts: &str, words: &[&str]) -> Option<String> {
    let script = words.iter().skip(2).find(|word| !word.starts_with('-'))?;
    let is_there = scripts.contains(&format!("\"{script}\":"));
    (!is_there).then(|| format!("package.json has no script {script}"))
}

fn unknown_cargo(words: &[&str]) -> Option<String> {
    let after = |flag: &str| {
        let at = words.iter().position(|word| *word == flag)?;
        words.get(at + 1).copied()
    };
    let package = after("-p")?;
    if !root().join("crates").join(package).is_dir() {
        return Some(format!("there is no crate {package}"));
    }
    for (flag, folder) in [("--example", "examples"), ("--bench", "benches")] {
        let Some(target) = after(flag) else { continue };
        let path = root().join("crates").join(package).join(folder);
        if !path.join(format!("{target}.rs")).is_file() && !path.join(target).is_dir() {
            return Some(format!("crate {package} has no {folder}/{target}"));
        }
    }
    None
}

/// Compares the flags of a `meshcloak` command with the help of its subcommand.
fn unknown_flag(help: &mut BTreeMap<String, String>, words: &[&str]) -> Option<String> {
    let is_name = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase());
    let mut path: Vec<&str> = words[1..].iter().take_while(is_name).copied().take(2).collect();
    loop {
        let known = help.entry(path.join(" ")).or_insert_with(|| {
            let arguments: Vec<&str> = path.iter().copied().chain(["--help"]).collect();
            let run = meshcloak(&arguments);
            if run.code == Some(0) { run.stdout } else { String::new() }
        });
        if !known.is_empty() {
            let mut flags = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
            let unknown = flags.find(|flag| {
                let name = flag.split(['=', '\u{2026}']).next().unwrap_or(flag);
                let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
                !known.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name)
            });
            return unknown.map(|flag| format!("{} has no flag {flag}", path.join(" ")));
        }
        if path.pop().is_none() {
            return Some("there is no such command".to_owned());
        }
    }
}

#[test]
fn documents_keep_to_their_word_limits() {
    for (name, limit) in LIMITS {
        let words = fs::read_to_string(root().join(name)).unwrap().split_whitespace().count();
        assert!(words <= limit, "{name} has {words} words, more than {limit}");
    }
}

#[test]
fn the_checks_find_what_is_wrong() {
    assert_eq!(links("a [b](c.md#d) ![e](f.png)").collect::<Vec<_>>(), ["c.md#d", "f.png"]);
    assert_eq!(links("```\na[b](c)\n```\n[d](e)").collect::<Vec<_>>(), ["e"]);
    assert_eq!(anchors("# A b\n## The `c`, d"), ["a-b", "the-c-d"]);
    assert_eq!(commands("`A=1 make x`\n```sh\nmake y # why\n```\n"), ["make x", "make y"]);
    assert!(unknown_target("run: setup\n", &["make", "walk"]).is_some());
    assert!(unknown_target("run: setup\n", &["make", "run"]).is_none());
    assert!(missing_script("\"build\": \"\"", &["npm", "run", "paint"]).is_some());
    assert!(unknown_cargo(&["cargo", "run", "-p", "nothing"]).is_some());
    assert!(unknown_cargo(&["cargo", "run", "-p", "cli", "--example", "none"]).is_some());
    let mut help = BTreeMap::new();
    assert!(unknown_flag(&mut help, &["meshcloak", "map", "info", "--wrong"]).is_some());
    assert!(unknown_flag(&mut help, &["meshcloak", "dance", "--slowly"]).is_some());
    assert!(unknown_flag(&mut help, &["meshcloak", "cloak", "--queries", "q.csv"]).is_none());
}
