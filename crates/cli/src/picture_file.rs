//! Writing pictures: the format follows the file extension.

use anyhow::{Result, bail};
use import::Imported;
use picture::{Canvas, DrawOptions};
use std::path::Path;

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Raster image.
    Png,
    /// Vector image.
    Svg,
}

impl PictureFormat {
    /// Returns the format that the extension of `out` names.
    pub fn of(out: &Path) -> Result<PictureFormat> {
        match out.extension().and_then(|extension| extension.to_str()) {
            Some("png") => Ok(PictureFormat::Png),
            Some("svg") => Ok(PictureFormat::Svg),
            _ => bail!("{}: expected the extension .png or .svg", out.display()),
        }
    }
}

/// Writes a picture in the format of its extension.
pub fn write_canvas(canvas: &Canvas, out: &Path) -> Result<()> {
    let bytes = match PictureFormat::of(out)? {
        PictureFormat::Png => canvas.to_png(),
        PictureFormat::Svg => canvas.to_svg().into_bytes(),
    };
    import::write_file(out, &bytes)?;
    Ok(())
}

/// Returns the file name of a map, without folders.
pub fn map_name(imported: &Imported) -> String {
    let source = Path::new(&imported.provenance.source);
    source.file_name().unwrap_or(source.as_os_str()).to_string_lossy().into_owned()
}

/// Returns drawing options with the title and the attribution of a map.
pub fn map_options(imported: &Imported) -> DrawOptions {
    let osm = imported.provenance.format.starts_with("OSM");
    DrawOptions {
        title: map_name(imported),
        attribution: if osm { "© OpenStreetMap contributors".into() } else { String::new() },
        ..DrawOptions::default()
    }
}
