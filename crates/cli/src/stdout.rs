//! Standard output, which carries nothing but the result of a command.

use anyhow::{Context as _, Result};
use std::io::{self, Write as _};

/// Prints `text`. A closed pipe is not an error: the reader may stop early, as `head` does.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}
