//! What the gateway says, as far as it matters here.

use serde::Deserialize;
use std::borrow::Cow;

/// A result or a refusal.
#[derive(Debug, Deserialize)]
pub struct Told<'a> {
    /// How it ended.
    pub outcome: &'a str,
    /// Why it was refused.
    pub reason: Option<&'a str>,
    /// What was done.
    pub receipt: Option<Receipt>,
}

impl<'a> Told<'a> {
    /// What a line says. Of an answer, which may be long, nothing but both ends is looked at if
    /// they are as they usually are: whoever drives a gateway beside it takes time from it.
    pub fn read(line: &'a [u8]) -> Option<Told<'a>> {
        Told::of_both_ends(line).or_else(|| serde_json::from_slice(line).ok())
    }

    /// As the gateway writes an answer: the outcome in the beginning, the receipt last. Neither
    /// text can be within what it is told of an object, for there quotes are escaped.
    fn of_both_ends(line: &'a [u8]) -> Option<Told<'a>> {
        const OUTCOME: &[u8] = b",\"outcome\":\"answered\",";
        const RECEIPT: &[u8] = b",\"receipt\":";
        let start = &line[..line.len().min(128)];
        start.windows(OUTCOME.len()).find(|window| *window == OUTCOME)?;
        let end = line.trim_ascii_end().strip_suffix(b"}")?;
        let end = &end[end.len().saturating_sub(256)..];
        let place = end.windows(RECEIPT.len()).rposition(|window| window == RECEIPT)?;
        let receipt = serde_json::from_slice(&end[place + RECEIPT.len()..]).ok()?;
        Some(Told { outcome: "answered", reason: None, receipt: Some(receipt) })
    }
}

/// What was done.
#[derive(Debug, Deserialize)]
pub struct Receipt {
    /// Seconds until she was hidden.
    pub delay: f64,
    /// Whether the answer is said to be exact.
    pub exact: bool,
}

/// The answer alone.
#[derive(Debug, Deserialize)]
pub struct AnswerOf<'a> {
    /// What was found.
    #[serde(borrow)]
    pub answer: Vec<FoundOf<'a>>,
}

/// Something that was found.
#[derive(Debug, Deserialize)]
pub struct FoundOf<'a> {
    /// What it is.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// How far it is said to be.
    pub metres: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_the_same_by_its_ends_as_by_all_of_it() {
        let receipt = r#"{"guarantee":"history","k":2,"delay":0.25,"exact":true,"history":"new"}"#;
        let found = r#"{"id":"\",\"receipt\":{\"delay\":9}","metres":1.5},"#.repeat(30);
        let found = found.trim_end_matches(',');
        let answered = format!(
            r#"{{"ticket":"7-a","outcome":"answered","answer":[{found}],"receipt":{receipt}}}"#
        );
        let expired = r#"{"ticket":"7-a","outcome":"expired","message":"nobody"}"#;
        let refused = r#"{"ticket":"7-a","outcome":"refused","reason":"rate","message":""}"#;
        for line in [&answered, expired, refused, "{}", "", "}", &answered[..200]] {
            let whole = serde_json::from_str::<Told<'_>>(line).ok();
            let text = format!("{line}\n");
            let read = Told::read(text.as_bytes());
            assert_eq!(format!("{read:?}"), format!("{whole:?}"), "{line}");
        }
        assert!(Told::of_both_ends(answered.as_bytes()).is_some());
        assert!(Told::of_both_ends(expired.as_bytes()).is_none());
    }
}
