//! Output folder with one file per completed cell, so that an interrupted evaluation can resume.
//! Files are written atomically.

use crate::grid::{GridCell, file_name};
use crate::maps::MapPlan;
use crate::results::{MapRow, MatrixRow, RunRow, SchemeRow, WriteError};
use crate::run::Second;
use flate2::read::MultiGzDecoder;
use import::{AtomicFile, ImportError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// An output folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Stored result of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// Commit of the program that ran the cell.
    pub commit: String,
    /// Row of `runs.csv`.
    pub run: RunRow,
    /// Row of `schemes.csv`.
    pub scheme: SchemeRow,
    /// Per second: time, new, succeeded, expired, waiting, nodes, edges.
    pub seconds: Vec<[u64; 7]>,
}

impl CellResult {
    /// Converts seconds to their stored form.
    pub fn pack(seconds: &[Second]) -> Vec<[u64; 7]> {
        let row = |s: &Second| {
            let (nodes, edges) = (s.nodes as u64, s.edges as u64);
            [s.time, s.new, s.succeeded, s.expired, s.waiting, nodes, edges]
        };
        seconds.iter().map(row).collect()
    }
}

/// Why an output folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A file is damaged.
    #[error("{}: {problem}; remove the file to run the cell again", path.display())]
    Broken {
        /// Path of the file.
        path: PathBuf,
        /// Problem of its content.
        problem: String,
    },
    /// The provenance of a folder is invalid.
    #[error("{}: {problem}", path.display())]
    Provenance {
        /// Path of the file.
        path: PathBuf,
        /// Problem of its content.
        problem: String,
    },
    /// A result file is invalid or cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<ImportError> for StoreError {
    fn from(error: ImportError) -> StoreError {
        StoreError::Write(error.into())
    }
}

impl Store {
    /// Opens the folder, creating it if needed. Removes temporary files of interrupted runs, and
    /// fails early if the folder is not writable.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let store = Store { folder: folder.to_owned() };
        for part in ["cells", "maps", "costs"] {
            let path = folder.join(part);
            let problem = |source| StoreError::Io { path: path.clone(), source };
            fs::create_dir_all(&path).map_err(problem)?;
            for entry in fs::read_dir(&path).map_err(problem)? {
                let entry = entry.map_err(problem)?;
                if entry.file_name().to_string_lossy().starts_with(".writing-") {
                    fs::remove_file(entry.path()).map_err(problem)?;
                }
            }
        }
        drop(AtomicFile::create(&folder.join("cells/probe"))?);
        Ok(store)
    }

    /// Opens a folder for reading.
    pub fn reading(folder: &Path) -> Store {
        Store { folder: folder.to_owned() }
    }

    /// Returns the path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Reads the result of a cell; `None` if the cell has not run.
    pub fn cell(&self, cell: &GridCell) -> Result<Option<CellResult>, StoreError> {
        read_json(&self.cell_file(cell))
    }

    /// Returns whether the result of a cell is stored, without reading it.
    pub fn has(&self, cell: &GridCell) -> bool {
        self.cell_file(cell).is_file()
    }

    /// Stores the result of a cell.
    pub fn keep(&self, cell: &GridCell, result: &CellResult) -> Result<(), StoreError> {
        write_json(&self.cell_file(cell), result)
    }

    /// Reads the row of a map; `None` if it is not stored.
    pub fn map(&self, map: &MapPlan) -> Result<Option<MapRow>, StoreError> {
        read_json(&self.map_file(map))
    }

    /// Stores the row of a map.
    pub fn keep_map(&self, map: &MapPlan, row: &MapRow) -> Result<(), StoreError> {
        write_json(&self.map_file(map), row)
    }

    /// Reads the times of the distance matrix; `None` if they are not stored.
    pub fn matrix(&self) -> Result<Option<Vec<MatrixRow>>, StoreError> {
        read_json(&self.folder.join("maps").join(MATRIX))
    }

    /// Stores the times of the distance matrix.
    pub fn keep_matrix(&self, rows: &[MatrixRow]) -> Result<(), StoreError> {
        write_json(&self.folder.join("maps").join(MATRIX), &rows)
    }

    /// Reads the recorded costs of a cell in nanoseconds per turn; `None` if none are stored.
    pub fn costs(&self, cell: &GridCell) -> Result<Option<Vec<u64>>, StoreError> {
        let path = self.costs_file(cell);
        let file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Io { path, source }),
        };
        let lines = BufReader::new(MultiGzDecoder::new(file)).lines();
        let costs = lines.map(|line| {
            let line = line.map_err(|error| error.to_string())?;
            line.parse::<u64>().map_err(|_| format!("`{line}` is not a number of nanoseconds"))
        });
        costs
            .collect::<Result<_, String>>()
            .map(Some)
            .map_err(|problem| StoreError::Broken { path, problem })
    }

    /// Stores the costs of a cell.
    pub fn keep_costs(&self, cell: &GridCell, costs: &[u64]) -> Result<(), StoreError> {
        let mut file = AtomicFile::create(&self.costs_file(cell))?;
        for cost in costs {
            file.add(format!("{cost}\n").as_bytes())?;
        }
        Ok(file.finish()?)
    }

    /// Returns the path of the costs of a cell.
    pub fn costs_file(&self, cell: &GridCell) -> PathBuf {
        self.folder.join("costs").join(cell.key() + ".gz")
    }

    fn cell_file(&self, cell: &GridCell) -> PathBuf {
        self.folder.join("cells").join(cell.key() + ".json")
    }

    fn map_file(&self, map: &MapPlan) -> PathBuf {
        let name = file_name(&format!("{}_{}.json", map.name, map.fingerprint()));
        self.folder.join("maps").join(name)
    }
}

/// File of the times of the distance matrix, beside the rows of the maps.
const MATRIX: &str = "matrix-growth.json";

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(StoreError::Io { path: path.to_owned(), source }),
    };
    let broken = |error: serde_json::Error| StoreError::Broken {
        path: path.to_owned(),
        problem: error.to_string(),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(broken)
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), StoreError> {
    let bytes = serde_json::to_vec(value).map_err(|error| StoreError::Broken {
        path: path.to_owned(),
        problem: error.to_string(),
    })?;
    Ok(import::write_file(path, &bytes)?)
}
