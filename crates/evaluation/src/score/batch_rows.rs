//! Rows of one batch, in which a row can take set and region from another: `"like": QUERY` names the
//! row of the first member of the set (`cloak --meshes once`).

use super::error::ScoreProblem;
use super::line::{OutcomeLine, Read, text_of};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

/// Members that a row takes from another.
const SHARED: [&str; 5] = ["set", "mesh", "rectangle", "disc", "length"];

/// Rows with a set and a region, of the batch that is being read.
#[derive(Debug, Default)]
pub(super) struct BatchRows {
    /// Time of the batch as written.
    at: Value,
    /// Shared members by query.
    rows: FxHashMap<String, Map<String, Value>>,
}

impl BatchRows {
    /// Reads a line of NDJSON.
    pub(super) fn read(&mut self, text: &str) -> Read<OutcomeLine> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| ScoreProblem::Json(error.to_string()))?;
        let Value::Object(mut fields) = value else {
            return Err(ScoreProblem::Json("expected an object".to_owned()));
        };
        let at = fields.get("at").cloned().unwrap_or_default();
        if at != self.at {
            self.rows.clear();
            self.at = at;
        }
        match fields.get("like").map(|like| (like, text_of(like))) {
            Some((like, name)) => {
                let first = name.and_then(|name| self.rows.get(&name));
                let first = first.ok_or_else(|| ScoreProblem::Field {
                    field: "like",
                    value: like.to_string(),
                    expected: "the query of an earlier row of the same batch that has a set",
                })?;
                fields.extend(first.clone());
            }
            None => self.remember(&fields),
        }
        OutcomeLine::of_fields(&fields)
    }

    fn remember(&mut self, fields: &Map<String, Value>) {
        let Some(query) = fields.get("query").and_then(text_of) else { return };
        if fields.contains_key("set") {
            let shared = SHARED
                .iter()
                .filter_map(|&name| fields.get(name).map(|value| (name.to_owned(), value.clone())));
            self.rows.insert(query, shared.collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::line::RecordedOutcome;

    #[test]
    fn a_row_takes_the_set_of_another_row_of_its_batch() {
        let mut rows = BatchRows::default();
        let first = r#"{"query":"a","outcome":"succeeded","at":1,"k":2,"set":["a","b"],"mesh":["s"],"length":7}"#;
        let second = r#"{"query":"b","outcome":"succeeded","at":1,"k":2,"like":"a"}"#;
        rows.read(first).unwrap();
        let RecordedOutcome::Succeeded(found) = rows.read(second).unwrap().outcome else {
            panic!("a success");
        };
        assert_eq!((found.set, found.length), (vec!["a".to_owned(), "b".to_owned()], Some(7.0)));
        let later = second.replace("\"at\":1", "\"at\":2");
        let message = rows.read(&later).unwrap_err().to_string();
        assert!(message.contains("like") && message.contains("same batch"), "{message}");
    }
}
