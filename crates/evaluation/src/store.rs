//! The folder of results: a file for each cell that is done, so that an evaluation can be taken up
//! again where it was killed. Every file is whole or not there.

use crate::grid::Cell;
use crate::maps::MapPlan;
use crate::results::{MapRow, RunRow, SchemeRow, WriteError};
use crate::run::Second;
use flate2::read::MultiGzDecoder;
use import::{AtomicFile, ImportError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// The folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A cell that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Of the program that did it.
    pub commit: String,
    /// Its row of `runs.csv`.
    pub run: RunRow,
    /// What kind of scheme it was.
    pub scheme: SchemeRow,
    /// What happened second by second: time, new, succeeded, expired, waiting, nodes, edges.
    pub seconds: Vec<[u64; 7]>,
}

impl Done {
    /// What happened second by second, as it is kept.
    pub fn kept(seconds: &[Second]) -> Vec<[u64; 7]> {
        let row = |s: &Second| {
            let (nodes, edges) = (s.nodes as u64, s.edges as u64);
            [s.time, s.new, s.succeeded, s.expired, s.waiting, nodes, edges]
        };
        seconds.iter().map(row).collect()
    }
}

/// What can be wrong with the folder.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No room, no permission, no folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody has changed a file.
    #[error("{}: {problem}; remove it, and it will be done again", path.display())]
    Broken {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<ImportError> for StoreError {
    fn from(error: ImportError) -> StoreError {
        StoreError::Write(error.into())
    }
}

impl Store {
    /// Opens the folder, making it if it is not there. What a killed run left half-written is
    /// removed, and whether anything can be written is found out now rather than after hours.
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

    /// A folder from which something is only read.
    pub fn reading(folder: &Path) -> Store {
        Store { folder: folder.to_owned() }
    }

    /// A file of the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A cell, if it is done.
    pub fn cell(&self, cell: &Cell) -> Result<Option<Done>, StoreError> {
        read_json(&self.cell_file(cell))
    }

    /// Whether a cell is done, without looking into it.
    pub fn has(&self, cell: &Cell) -> bool {
        self.cell_file(cell).is_file()
    }

    /// A cell is done.
    pub fn keep(&self, cell: &Cell, done: &Done) -> Result<(), StoreError> {
        write_json(&self.cell_file(cell), done)
    }

    /// The facts of a map, if they are known.
    pub fn map(&self, map: &MapPlan) -> Result<Option<MapRow>, StoreError> {
        read_json(&self.map_file(map))
    }

    /// The facts of a map are known.
    pub fn keep_map(&self, map: &MapPlan, row: &MapRow) -> Result<(), StoreError> {
        write_json(&self.map_file(map), row)
    }

    /// The recorded costs of a cell in nanoseconds, turn by turn, if there are any.
    pub fn costs(&self, cell: &Cell) -> Result<Option<Vec<u64>>, StoreError> {
        let path = self.costs_file(cell);
        let file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Io { path, source }),
        };
        let lines = BufReader::new(MultiGzDecoder::new(file)).lines();
        let costs = lines.map(|line| {
            let line = line.map_err(|error| error.to_string())?;
            line.parse::<u64>().map_err(|_| format!("`{line}` is no cost in nanoseconds"))
        });
        costs
            .collect::<Result<_, String>>()
            .map(Some)
            .map_err(|problem| StoreError::Broken { path, problem })
    }

    /// Keeps the costs of a cell.
    pub fn keep_costs(&self, cell: &Cell, costs: &[u64]) -> Result<(), StoreError> {
        let mut file = AtomicFile::create(&self.costs_file(cell))?;
        for cost in costs {
            file.add(format!("{cost}\n").as_bytes())?;
        }
        Ok(file.finish()?)
    }

    /// Where the costs of a cell are kept.
    pub fn costs_file(&self, cell: &Cell) -> PathBuf {
        self.folder.join("costs").join(cell.key() + ".gz")
    }

    fn cell_file(&self, cell: &Cell) -> PathBuf {
        self.folder.join("cells").join(cell.key() + ".json")
    }

    fn map_file(&self, map: &MapPlan) -> PathBuf {
        let words = format!("{}_{}.json", map.name, map.fingerprint());
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' }
        };
        self.folder.join("maps").join(words.chars().map(plain).collect::<String>())
    }
}

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
