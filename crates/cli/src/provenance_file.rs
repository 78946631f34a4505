//! Provenance of a results folder to which attacks, costs or other architectures are added.

use anyhow::Result;
use evaluation::provenance::{Machine, RunProvenance};
use evaluation::result_file::{ResultFile, add_files};
use evaluation::stated_commits::{drawn_file, stated_files};
use std::path::Path;

/// States the commits of all files whose rows name them, of the drawing that was written, and `more`
/// entries. A new file begins with this program and machine.
pub fn state_commits(
    folder: &Path,
    title: &str,
    drawing: Option<&str>,
    more: Vec<ResultFile>,
) -> Result<()> {
    let mut own = stated_files(folder)?;
    if let Some(name) = drawing {
        own.retain(|file| file.name != name);
        own.push(drawn_file(folder, name, env!("MESHCLOAK_COMMIT"))?);
    }
    own.extend(more);
    let head = || {
        let (program, machine) = (crate::evaluate::program(), Machine::detect());
        let (commits, title) = (vec![program.commit.clone()], title.to_owned());
        RunProvenance { program, machine, title, commits, jobs: 1, ..RunProvenance::default() }
            .to_toml()
    };
    Ok(add_files(folder, head, own)?)
}

/// Names the files of a folder whose rows state their commits, if its provenance does not.
/// Without a provenance the new one has no program and machine, because they are unknown.
pub fn complete(folder: &Path) -> Result<()> {
    let known = ResultFile::read_all(folder)?;
    let stated = stated_files(folder)?;
    let is_new = |file: &ResultFile| !known.contains(file);
    if stated.iter().any(is_new) {
        add_files(
            folder,
            || "title = \"Attacks, costs and other architectures\"\npaper = false\n".to_owned(),
            stated,
        )?;
    }
    Ok(())
}
