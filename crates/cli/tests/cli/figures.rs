//! Figures in documents agree with the result files that they name.
//!
//! A figure names its source in a comment directly behind it and its unit:
//!
//! ```text
//! 86.6 %<!--results/paper/runs.csv?map=oldenburg&configuration=P1-3-5#success_rate-->
//! ```
//!
//! It must equal the mean of the column over all rows with these values, rounded as it is written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A figure and its source.
#[derive(Debug, PartialEq)]
struct Figure<'a> {
    /// Digits as written.
    digits: &'a str,
    /// Factor from the unit of the column to the written unit.
    factor: f64,
    file: &'a str,
    /// Columns and values of its rows.
    rows: Vec<(&'a str, &'a str)>,
    column: &'a str,
}

impl<'a> Figure<'a> {
    /// Parses the text before a comment and the comment.
    fn parse(before: &'a str, comment: &'a str) -> Option<Figure<'a>> {
        let (source, column) = comment.split_once('#')?;
        let (file, rows) = source.split_once('?').unwrap_or((source, ""));
        let is_digit = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let end = before.rfind(|c: char| c.is_ascii_digit())? + 1;
        let begin = before[..end]
            .rfind(|c| !is_digit(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let factor = match before[end..].trim() {
            "%" => 100.0,
            "‰" => 1000.0,
            _ => 1.0,
        };
        Some(Figure {
            digits: &before[begin..end],
            factor,
            file,
            rows: rows.split('&').filter_map(|pair| pair.split_once('=')).collect(),
            column,
        })
    }

    /// Returns the problem of the figure, given the content of its file.
    fn problem(&self, csv: &str) -> Option<String> {
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows = reader.deserialize::<BTreeMap<String, String>>().map(Result::unwrap);
        let is_meant = |row: &BTreeMap<String, String>| {
            self.rows.iter().all(|(name, value)| row.get(*name).is_some_and(|cell| cell == value))
        };
        let values: Vec<f64> =
            rows.filter(is_meant).filter_map(|row| row.get(self.column)?.parse().ok()).collect();
        if values.is_empty() {
            return Some("no row of the file has these values and this column".to_owned());
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64 * self.factor;
        let plain = self.digits.replace(',', "");
        let decimals = plain.split_once('.').map_or(0, |(_, part)| part.len());
        let expected = format!("{mean:.decimals$}");
        (expected != plain).then(|| format!("the file says {expected}"))
    }
}

/// Returns all figures of a text that name their source.
fn figures(text: &str) -> Vec<Figure<'_>> {
    let parts = text.match_indices("<!--results/").filter_map(|(at, _)| {
        let comment = text[at + "<!--".len()..].split("-->").next()?;
        let line = text[..at].rsplit('\n').next()?;
        Some(Figure::parse(line, comment).unwrap_or_else(|| panic!("invalid source: {comment}")))
    });
    parts.collect()
}

#[test]
fn figures_in_documents_are_those_of_their_sources() {
    let mut checked = 0;
    for folder in ["", "docs", "results"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for figure in figures(&text) {
                let csv = fs::read_to_string(root().join(figure.file)).unwrap();
                let problem = figure.problem(&csv);
                assert_eq!(problem, None, "{}: {figure:?}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked >= 10, "only {checked} figures name their source");
}

#[test]
fn a_wrong_figure_is_found() {
    let csv = "map,seed,rate,metres\na,1,0.1234,1500\na,2,0.1238,1501\nb,1,0.9,7\n";
    let problem = |text: &str| figures(text)[0].problem(csv);
    let source = "<!--results/x.csv?map=a#rate-->";
    assert_eq!(problem(&format!("first 3 of 9, 12.4 %{source}")), None);
    assert_eq!(problem(&format!("**12.35 %**{source}")), Some("the file says 0.12".to_owned()));
    assert_eq!(problem(&format!("12.3 %{source}")), Some("the file says 12.4".to_owned()));
    let metres = "<!--results/x.csv?map=a&seed=1#metres-->";
    assert_eq!(problem(&format!("| 1,500 m{metres} |")), None);
    assert_eq!(problem(&format!("| 1,501 m{metres} |")), Some("the file says 1500".to_owned()));
    assert!(problem("1<!--results/x.csv?map=c#rate-->").is_some());
    assert!(problem("1<!--results/x.csv?map=a#none-->").is_some());
}
