//! Errors of JSON documents for clients: they name what is expected and where, never the value found,
//! which may be a position.

/// Beginnings of messages of `serde` that a value of the document follows.
const BEFORE_VALUES: [&str; 2] = ["invalid type: ", "invalid value: "];

/// What stands between that value and what is expected.
const BEFORE_EXPECTED: &str = ", expected ";

/// Returns the message of an error without a value of the document: `expected f64 at line 1 column 9`.
pub(crate) fn json_error(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let has_value = BEFORE_VALUES.iter().any(|start| message.starts_with(start));
    // The value comes first, so that the last mark is not part of it.
    match message.rsplit_once(BEFORE_EXPECTED).filter(|_| has_value) {
        Some((_, expected)) => format!("expected {expected}"),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::QueryRequest;

    #[test]
    fn no_value_of_a_document_is_in_the_message() {
        let query = |lon: &str| {
            let text = format!(
                r#"{{"ticket":"a","person":"jo","lon":{lon},"lat":48.0,"k":2,"dt":1,"dc":400}}"#
            );
            json_error(&serde_json::from_str::<QueryRequest<'_>>(&text).unwrap_err())
        };
        for value in ["\"9.0002\"", "\"9.0002, expected f64\"", "[9.0002]", "{\"x\":9.0002}"] {
            let message = query(value);
            assert!(message.starts_with("expected f64 at line 1"), "{message}");
        }
        assert!(query("9.0002x").starts_with("expected `,` or `}`"), "{}", query("9.0002x"));
        for (text, named) in [("9.0002", "floating point"), ("-9", "integer"), ("\"9\"", "string")]
        {
            let error = serde_json::from_str::<u32>(text).unwrap_err();
            assert!(error.to_string().contains(named), "{error}");
            assert!(json_error(&error).starts_with("expected u32"), "{}", json_error(&error));
        }
    }
}
