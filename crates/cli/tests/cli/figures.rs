//! Figures in documents agree with the result files that they name.
//!
//! A figure names its source in a comment directly behind it and its unit:
//!
//! ```text
//! 86.6 %<!--results/paper/runs.csv?map=oldenburg&configuration=P1-3-5#success_rate-->
//! ```
//!
//! It must equal the mean of the column over all rows with these values, rounded as it is written.
//! `#success_rate%` is a figure in percent whose unit stands elsewhere, such as in the head of a table.
//! `#more/kB_per_answer` is a named figure of the column `more` (`kB per answer=1.2;…`).
//! `MESHCLOAK_BLESS=1` (`make bless`) rewrites figures that differ; review the sentences around them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A figure and its source.
#[derive(Debug, PartialEq)]
struct Figure<'a> {
    /// Digits as written, and their place in the line.
    digits: &'a str,
    begin: usize,
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
        let (column, is_share) =
            column.strip_suffix('%').map_or((column, false), |column| (column, true));
        let (file, rows) = source.split_once('?').unwrap_or((source, ""));
        let is_digit = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let end = before.rfind(|c: char| c.is_ascii_digit())? + 1;
        let begin = before[..end]
            .rfind(|c| !is_digit(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let factor = match before[end..].trim() {
            _ if is_share => 100.0,
            "%" => 100.0,
            "‰" => 1000.0,
            _ => 1.0,
        };
        Some(Figure {
            digits: &before[begin..end],
            begin,
            factor,
            file,
            rows: rows.split('&').filter_map(|pair| pair.split_once('=')).collect(),
            column,
        })
    }

    /// Returns the digits that the file has for the figure, written in the same way.
    fn expected(&self, csv: &str) -> Result<String, String> {
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows = reader.deserialize::<BTreeMap<String, String>>().map(Result::unwrap);
        let is_meant = |row: &BTreeMap<String, String>| {
            self.rows.iter().all(|(name, value)| row.get(*name).is_some_and(|cell| cell == value))
        };
        let values: Vec<f64> = rows
            .filter(is_meant)
            .filter_map(|row| value(&row, self.column)?.parse().ok())
            .collect();
        if values.is_empty() {
            return Err("no row of the file has these values and this column".to_owned());
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64 * self.factor;
        let decimals = self.digits.split_once('.').map_or(0, |(_, part)| part.len());
        let (whole, part) = (format!("{mean:.decimals$}"), 1000.0 <= mean.abs());
        Ok(if part { grouped(&whole) } else { whole })
    }

    /// Returns the problem of the figure, given the content of its file.
    fn problem(&self, csv: &str) -> Option<String> {
        match self.expected(csv) {
            Ok(expected) if expected.replace(',', "") == self.digits.replace(',', "") => None,
            Ok(expected) => Some(format!("the file says {expected}")),
            Err(problem) => Some(problem),
        }
    }
}

/// Returns the text of a column, or of a named figure of the column `more`.
fn value<'r>(row: &'r BTreeMap<String, String>, column: &str) -> Option<&'r str> {
    let Some(name) = column.strip_prefix("more/") else {
        return row.get(column).map(String::as_str);
    };
    let mut figures = row.get("more")?.split(';').filter_map(|figure| figure.rsplit_once('='));
    figures.find_map(|(found, value)| (found.replace(' ', "_") == name).then_some(value))
}

/// Inserts separators between thousands.
fn grouped(number: &str) -> String {
    let (whole, part) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + part
}

/// Returns the text with the digits of each figure replaced by those of its source.
fn blessed(text: &str, read: impl Fn(&str) -> String) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let mut line = line.to_owned();
        // From the end, so that places of earlier figures stay.
        for number in (0..figures(&line).len()).rev() {
            let (begin, length, digits) = {
                let figure = &figures(&line)[number];
                let digits = figure.expected(&read(figure.file)).unwrap();
                (figure.begin, figure.digits.len(), digits)
            };
            line.replace_range(begin..begin + length, &digits);
        }
        lines.push(line);
    }
    lines.join("\n")
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
    let (mut checked, mut of_readme) = (0, 0);
    for folder in ["", "docs", "results"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let mut text = fs::read_to_string(&path).unwrap();
            if std::env::var_os("MESHCLOAK_BLESS").is_some() {
                text = blessed(&text, |file| fs::read_to_string(root().join(file)).unwrap());
                fs::write(&path, &text).unwrap();
            }
            for figure in figures(&text) {
                let csv = fs::read_to_string(root().join(figure.file)).unwrap();
                let problem = figure.problem(&csv);
                assert_eq!(problem, None, "{}: {figure:?}", path.display());
                checked += 1;
                of_readme += usize::from(path == root().join("README.md"));
            }
        }
    }
    assert!(checked >= 400 && of_readme >= 18, "only {checked} figures, {of_readme} of README");
}

#[test]
fn a_wrong_figure_is_found() {
    let csv =
        "map,seed,rate,metres,more\na,1,0.1234,1500,x=1;x y=0.25\na,2,0.1238,1501,\nb,1,0.9,7,\n";
    let problem = |text: &str| figures(text)[0].problem(csv);
    let source = "<!--results/x.csv?map=a#rate-->";
    assert_eq!(problem(&format!("first 3 of 9, 12.4 %{source}")), None);
    assert_eq!(problem(&format!("**12.35 %**{source}")), Some("the file says 0.12".to_owned()));
    assert_eq!(problem(&format!("12.3 %{source}")), Some("the file says 12.4".to_owned()));
    let share = "<!--results/x.csv?map=a#rate%-->";
    assert_eq!(problem(&format!("| 12.4{share} ± 0.1 |")), None);
    assert_eq!(problem(&format!("| 12.5{share} |")), Some("the file says 12.4".to_owned()));
    assert_eq!(problem("25<!--results/x.csv?map=a#more/x_y%-->"), None);
    assert!(problem("1<!--results/x.csv?map=a#more/y-->").is_some());
    let metres = "<!--results/x.csv?map=a&seed=1#metres-->";
    assert_eq!(problem(&format!("| 1,500 m{metres} |")), None);
    assert_eq!(problem(&format!("| 1,501 m{metres} |")), Some("the file says 1,500".to_owned()));
    let text = format!("a 9 and 1 m{metres}, 0.1 %{source}\nb");
    let expected = format!("a 9 and 1,500 m{metres}, 12.4 %{source}\nb");
    assert_eq!(blessed(&text, |_| csv.to_owned()), expected);
    assert!(problem("1<!--results/x.csv?map=c#rate-->").is_some());
    assert!(problem("1<!--results/x.csv?map=a#none-->").is_some());
}
