//! Responses of the gateway, reduced to the fields needed here.

use serde::Deserialize;
use std::borrow::Cow;

/// Result or refusal of a query.
#[derive(Debug, Deserialize)]
pub struct Response<'a> {
    /// Outcome.
    pub outcome: &'a str,
    /// Reason of a refusal.
    pub reason: Option<&'a str>,
    /// ReceiptFields of an answer.
    pub receipt: Option<ReceiptFields>,
}

impl<'a> Response<'a> {
    /// Parses a line. Only both ends of an answer are parsed if they have the usual form: answers
    /// are long, and the CPU time would be taken from a gateway on the same machine.
    pub fn read(line: &'a [u8]) -> Option<Response<'a>> {
        Response::from_both_ends(line).or_else(|| serde_json::from_slice(line).ok())
    }

    /// Parses an answer as the gateway writes it: ticket and outcome first, the receipt last. No
    /// pattern can match inside a string of an object, where quotes are escaped.
    fn from_both_ends(line: &'a [u8]) -> Option<Response<'a>> {
        let ticket = line.strip_prefix(b"{\"ticket\":\"")?;
        let end = ticket.iter().take(64).position(|byte| matches!(byte, b'"' | b'\\'))?;
        ticket[end..].strip_prefix(b"\",\"outcome\":\"answered\",")?;
        let end = line.trim_ascii_end();
        let receipt = &end[end.len().saturating_sub(MAX_RECEIPT_END)..];
        let delay = std::str::from_utf8(value_of(receipt, b",\"delay\":")?).ok()?.parse().ok()?;
        let exact = match value_of(receipt, b",\"exact\":")? {
            b"true" => true,
            b"false" => false,
            _ => return None,
        };
        let receipt = Some(ReceiptFields { delay, exact });
        Some(Response { outcome: "answered", reason: None, receipt })
    }
}

/// Upper bound of the last fields of a receipt, from `delay` on, in bytes.
const MAX_RECEIPT_END: usize = 96;

/// Returns the value after the last occurrence of a key, up to a comma or brace.
fn value_of<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let start = text.windows(key.len()).rposition(|window| window == key)?;
    let value = &text[start + key.len()..];
    let end = value.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    Some(&value[..end])
}

/// ReceiptFields of an answer.
#[derive(Debug, Deserialize)]
pub struct ReceiptFields {
    /// Seconds from the query to its publication.
    pub delay: f64,
    /// Whether the gateway claims that the answer is exact.
    pub exact: bool,
}

/// Response reduced to the answer.
#[derive(Debug, Deserialize)]
pub struct AnswerFields<'a> {
    /// Objects found.
    #[serde(borrow)]
    pub answer: Vec<AnswerObject<'a>>,
}

/// Object of an answer.
#[derive(Debug, Deserialize)]
pub struct AnswerObject<'a> {
    /// Id of the object.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// Distance that the gateway reports.
    pub metres: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsing_both_ends_equals_parsing_the_whole_line() {
        let receipt = r#"{"guarantee":"history","k":2,"delay":0.25,"exact":true,"left_out":17,"history":"new"}"#;
        let found = r#"{"id":"\",\"receipt\":{\"delay\":9}","metres":1.5},"#.repeat(30);
        let found = found.trim_end_matches(',');
        let answered = format!(
            r#"{{"ticket":"7-a","outcome":"answered","answer":[{found}],"receipt":{receipt}}}"#
        );
        let expired = r#"{"ticket":"7-a","outcome":"expired","message":"no set"}"#;
        let refused = r#"{"ticket":"7-a","outcome":"refused","reason":"rate","message":""}"#;
        for line in [&answered, expired, refused, "{}", "", "}", &answered[..200]] {
            let whole = serde_json::from_str::<Response<'_>>(line).ok();
            let text = format!("{line}\n");
            let read = Response::read(text.as_bytes());
            assert_eq!(format!("{read:?}"), format!("{whole:?}"), "{line}");
        }
        assert!(Response::from_both_ends(answered.as_bytes()).is_some());
        assert!(Response::from_both_ends(expired.as_bytes()).is_none());
    }
}
