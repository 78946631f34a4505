//! The result of a command, on standard output.

use anyhow::{Context as _, Result};
use std::io::{self, Write as _};

/// Prints `text`. Whoever reads may stop before the end, as `head` does.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}
