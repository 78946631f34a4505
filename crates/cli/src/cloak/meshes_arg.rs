//! Argument `--meshes`.

use clap::ValueEnum;
use offline::outcomes::Meshes;

/// How often the region of a set is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MeshesArg {
    /// In the row of each member.
    Each,
    /// In the row of the first member.
    Once,
}

impl From<MeshesArg> for Meshes {
    fn from(argument: MeshesArg) -> Meshes {
        match argument {
            MeshesArg::Each => Meshes::Each,
            MeshesArg::Once => Meshes::Once,
        }
    }
}
