//! Private information retrieval over fixed cells: the service answers without learning which cell
//! was asked about. No gateway, no crowd, no trust.
//!
//! A record holds all that a user in one cell needs; all records have the same length. The scheme is
//! YPIR with simple packing (crate `valar-ypir`): single server, lattice based, and nothing has to be
//! fetched in advance. It is behind the feature `pir`.

#[cfg(feature = "pir")]
mod packing;
#[cfg(feature = "pir")]
mod retrieval;

#[cfg(feature = "pir")]
pub use retrieval::PirSession;

/// Largest size of a city, in bytes: the server's tables need about 15 times as much memory.
const MAX_BYTES: u64 = 250_000_000;

/// Why a retrieval fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PirError {
    /// The table is empty or too large.
    #[error(
        "{cells} cells of {cell_bytes} bytes; expected at least 1 cell of 1 byte and at most \
         {MAX_BYTES} bytes in all"
    )]
    Size {
        /// Number of cells.
        cells: u32,
        /// Bytes of a cell.
        cell_bytes: u32,
    },
    /// The retrieved content is not that of the cell.
    #[error("retrieved the wrong content of cell {cell}")]
    Wrong {
        /// The cell.
        cell: u32,
    },
}

/// Costs of one size of city.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PirCost {
    /// Bytes from the user to the service, per question.
    pub upload: f64,
    /// Bytes from the service to the user, per question.
    pub download: f64,
    /// CPU time of the service per question, in seconds.
    pub server_seconds: f64,
    /// CPU time of the user per question, in seconds.
    pub client_seconds: f64,
    /// CPU time of the service after every change of the content, in seconds.
    pub setup_seconds: f64,
}

/// Number of cells and bytes of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellTableSize {
    /// Number of cells, at least 1.
    pub cells: u32,
    /// Bytes of a cell, at least 1.
    pub cell_bytes: u32,
}

impl CellTableSize {
    /// Bytes of the whole city.
    pub fn bytes(&self) -> u64 {
        u64::from(self.cells) * u64::from(self.cell_bytes)
    }

    /// Checks that the tables of the service fit into memory.
    ///
    /// # Errors
    /// [`PirError::Size`] if the table is empty or too large.
    pub fn check(&self) -> Result<(), PirError> {
        let CellTableSize { cells, cell_bytes } = *self;
        let fits = (1..=MAX_BYTES).contains(&self.bytes());
        if fits { Ok(()) } else { Err(PirError::Size { cells, cell_bytes }) }
    }
}
