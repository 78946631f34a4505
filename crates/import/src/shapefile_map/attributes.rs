//! Records of the attribute table (`.dbf`).

use crate::error::Problem;
use dbase::{FieldIndex, FieldValue, UnicodeLossy};
use std::io::{Read, Seek};

/// Attributes of a line; texts are empty if absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub id: String,
    pub name: String,
    pub class: String,
    pub is_one_way: bool,
    /// Whether the one-way direction is against the line.
    pub is_reversed: bool,
}

/// Names of the fields, the preferred one first.
const ID: [&str; 3] = ["id", "osm_id", "osmid"];
const NAME: [&str; 1] = ["name"];
const CLASS: [&str; 3] = ["class", "highway", "fclass"];
const ONE_WAY: [&str; 1] = ["oneway"];

/// The records in the order of the file. Texts are UTF-8; other bytes become U+FFFD.
pub(super) struct AttributeTable<R: Read + Seek> {
    file: dbase::File<R>,
    id: Vec<FieldIndex>,
    name: Vec<FieldIndex>,
    class: Vec<FieldIndex>,
    one_way: Vec<FieldIndex>,
    /// Index of the next record.
    next: usize,
}

impl<R: Read + Seek> AttributeTable<R> {
    pub(super) fn open(source: R) -> Result<AttributeTable<R>, Problem> {
        let file = dbase::File::open_with_encoding(source, UnicodeLossy).map_err(problem)?;
        // The reader stores the length of a record in 16 bits.
        let length: usize = file.fields().iter().map(|field| usize::from(field.length())).sum();
        if length >= usize::from(u16::MAX) {
            return Err(Problem::Damaged(format!("records of {length} bytes")));
        }
        let indices = |names: &[&str]| names.iter().filter_map(|n| file.field_index(n)).collect();
        let (id, name) = (indices(&ID), indices(&NAME));
        let (class, one_way) = (indices(&CLASS), indices(&ONE_WAY));
        Ok(AttributeTable { file, id, name, class, one_way, next: 0 })
    }

    /// Returns the attributes of the next record.
    pub(super) fn next(&mut self) -> Result<Attributes, Problem> {
        let (index, count) = (self.next, self.file.num_records());
        self.next = self.next.saturating_add(1);
        let missing = || format!("{count} records; expected one for each shape of the .shp file");
        let mut record = self.file.record(index).ok_or_else(|| Problem::Damaged(missing()))?;
        if record.is_deleted().map_err(problem)? {
            let reason = "a deleted record; copy the layer with `ogr2ogr` to remove it";
            return Err(Problem::Unsupported(reason.into()));
        }
        let mut text = |fields: &[FieldIndex]| -> Result<Option<FieldValue>, Problem> {
            for &field in fields {
                let value = record.read_field(field).map_err(problem)?;
                if !is_empty(&value) {
                    return Ok(Some(value));
                }
            }
            Ok(None)
        };
        let plain = |value: Option<FieldValue>| value.map(|v| plain(&v)).unwrap_or_default();
        let id = plain(text(&self.id)?);
        let name = plain(text(&self.name)?);
        let class = plain(text(&self.class)?);
        let direction = text(&self.one_way)?;
        let (is_one_way, is_reversed) = direction.as_ref().map_or((false, false), direction_of);
        Ok(Attributes { id, name, class, is_one_way, is_reversed })
    }

    /// Fails if there are more records than shapes: attributes would belong to other lines.
    pub(super) fn ensure_end(&self, shapes: u64) -> Result<(), Problem> {
        let records = self.file.num_records() as u64;
        if records == shapes {
            return Ok(());
        }
        Err(Problem::Damaged(format!("{records} records for {shapes} shapes of the .shp file")))
    }
}

/// Whether a street is one-way, and whether its direction is against the line. As texts `F` and `T`
/// are "from" and "to" (Geofabrik and others), as truth values false and true.
fn direction_of(value: &FieldValue) -> (bool, bool) {
    match value {
        FieldValue::Logical(answer) => (answer.unwrap_or(false), false),
        other => match plain(other).to_ascii_lowercase().as_str() {
            "yes" | "true" | "1" | "f" | "ft" => (true, false),
            "-1" | "t" | "tf" => (true, true),
            _ => (false, false),
        },
    }
}

fn is_empty(value: &FieldValue) -> bool {
    matches!(
        value,
        FieldValue::Character(None)
            | FieldValue::Numeric(None)
            | FieldValue::Float(None)
            | FieldValue::Logical(None)
            | FieldValue::Date(None)
    )
}

/// Text of a simple value; empty for others.
fn plain(value: &FieldValue) -> String {
    match value {
        FieldValue::Character(Some(text)) | FieldValue::Memo(text) => text.clone(),
        FieldValue::Numeric(Some(number)) => number.to_string(),
        FieldValue::Float(Some(number)) => number.to_string(),
        FieldValue::Integer(number) => number.to_string(),
        FieldValue::Double(number) | FieldValue::Currency(number) => number.to_string(),
        FieldValue::Logical(Some(answer)) => answer.to_string(),
        _ => String::new(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn problem(error: dbase::Error) -> Problem {
    Problem::Damaged(error.to_string())
}
