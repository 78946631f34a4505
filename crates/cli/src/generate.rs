//! `meshcloak generate`: man pages and shell completions from the definition of the command line.

use anyhow::{Context as _, Result};
use clap::{Args, Command};
use clap_complete::Shell;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `man/*.1` and `completions/*` into a folder.
#[derive(Debug, Args)]
pub struct Generate {
    /// Folder that receives the files.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Generate {
    /// Writes all files.
    pub fn run(&self, mut command: Command) -> Result<()> {
        let (man, completions) = (self.folder.join("man"), self.folder.join("completions"));
        for folder in [&man, &completions] {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            clap_complete::generate_to(shell, &mut command, "meshcloak", &completions)
                .with_context(|| completions.display().to_string())?;
        }
        command.build();
        write_pages(&man, &command, "meshcloak")
    }
}

/// Writes the page of a command, and those of its visible subcommands.
fn write_pages(folder: &Path, command: &Command, name: &str) -> Result<()> {
    let path = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    // A fixed date keeps packages reproducible.
    let page = clap_mangen::Man::new(command.clone().display_name(name.to_owned()));
    page.title(name.to_uppercase()).date("").source("MeshCloak").render(&mut text)?;
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    let visible = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    for inner in command.get_subcommands().filter(visible) {
        write_pages(folder, inner, &format!("{name}-{}", inner.get_name()))?;
    }
    Ok(())
}
