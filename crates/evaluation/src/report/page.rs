//! HTML rendering: sections with tables, figures and notes behind a table of contents. All text is
//! escaped; the page loads no other resource.

use super::plot::Plot;
use picture::Escaped;
use std::fmt::{self, Write as _};

const STYLE: &str = include_str!("style.css");

/// Table of text cells; numeric columns are right-aligned.
#[derive(Clone, Debug, Default)]
pub(super) struct HtmlTable {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl HtmlTable {
    /// Creates an empty table with the columns `head`.
    pub fn new<const N: usize>(head: [&str; N]) -> HtmlTable {
        HtmlTable { head: head.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Appends a row of named cells; the first row defines the columns.
    pub fn record<const N: usize>(&mut self, cells: [(&str, String); N]) {
        if self.rows.is_empty() {
            self.head = cells.iter().map(|(name, _)| (*name).to_owned()).collect();
        }
        self.row(cells.map(|(_, cell)| cell));
    }

    /// Removes the last column.
    pub fn drop_last_column(&mut self) {
        self.head.pop();
        self.rows.iter_mut().for_each(|row| drop(row.pop()));
    }

    /// Removes the columns whose names satisfy `is_removed`.
    pub fn drop_columns(&mut self, is_removed: impl Fn(&str) -> bool) {
        for column in (0..self.head.len()).rev() {
            if self.head.get(column).is_some_and(|name| is_removed(name)) {
                self.head.remove(column);
                self.rows.iter_mut().for_each(|row| drop(row.remove(column)));
            }
        }
    }

    /// Removes the columns in which every cell is empty or a dash.
    pub fn drop_empty_columns(&mut self) {
        for column in (0..self.head.len()).rev() {
            let is_empty = |row: &Vec<String>| {
                row.get(column).is_none_or(|cell| cell.is_empty() || cell == "–")
            };
            if self.rows.iter().all(is_empty) {
                self.head.remove(column);
                self.rows.iter_mut().for_each(|row| drop(row.remove(column)));
            }
        }
    }

    /// Whether every cell of a column is a number, a dash or empty, and at least one is not empty.
    fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        let number = |cell: &String| {
            cell.starts_with(|letter: char| letter.is_ascii_digit() || "−–".contains(letter))
                || cell.is_empty()
        };
        cells.clone().any(|cell| !cell.is_empty()) && cells.all(number)
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let numeric: Vec<bool> =
            (0..self.head.len()).map(|column| self.is_numeric(column)).collect();
        let class = |column: usize| match numeric.get(column) {
            Some(true) => " class=\"n\"",
            _ => "",
        };
        out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
        for (column, name) in self.head.iter().enumerate() {
            write!(out, "<th{}>{}</th>", class(column), Escaped(name))?;
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                write!(out, "<td{}>{}</td>", class(column), Escaped(cell))?;
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        Ok(())
    }
}

/// Builder of a section.
#[derive(Clone, Debug)]
pub(super) struct ReportSection {
    id: &'static str,
    title: String,
    body: String,
    plots: Vec<Plot>,
    /// Whether the section has a table, list or figure.
    has_results: bool,
    /// Why results are missing.
    left_out: Option<String>,
}

impl ReportSection {
    /// Creates an empty section with the anchor `id`.
    pub fn new(id: &'static str, title: &str) -> ReportSection {
        ReportSection {
            id,
            title: title.to_owned(),
            body: String::new(),
            plots: Vec::new(),
            has_results: false,
            left_out: None,
        }
    }

    fn push(&mut self, text: fmt::Arguments<'_>) {
        self.body.write_fmt(text).expect("writing to a String cannot fail");
    }

    /// Appends a paragraph.
    pub fn paragraph(&mut self, words: &str) {
        self.push(format_args!("<p>{}</p>\n", Escaped(words)));
    }

    /// Appends what the paper reports on the topic; `words` continues "The paper".
    pub fn paper_note(&mut self, words: &str) {
        self.push(format_args!("<p class=\"paper\"><b>The paper</b> {}</p>\n", Escaped(words)));
    }

    /// Records why results are missing. A section without any is left out of the page.
    pub fn leave_out(&mut self, reason: &str) {
        self.left_out = Some(reason.to_owned());
    }

    /// Anchor of the section.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Title and reason of a section that is left out.
    pub fn missing(&self) -> Option<String> {
        let reason = self.left_out.as_ref().filter(|_| !self.has_results)?;
        Some(format!("{}: {reason}", self.title))
    }

    /// Appends a third-level heading.
    pub fn heading(&mut self, words: &str) {
        self.push(format_args!("<h3>{}</h3>\n", Escaped(words)));
    }

    /// Appends a bullet list.
    pub fn list(&mut self, sentences: impl IntoIterator<Item = String>) {
        self.has_results = true;
        self.body.push_str("<ul>\n");
        for sentence in sentences {
            self.push(format_args!("<li>{}</li>\n", Escaped(&sentence)));
        }
        self.body.push_str("</ul>\n");
    }

    /// Appends a table.
    pub fn table(&mut self, table: &HtmlTable) {
        self.has_results = true;
        table.write(&mut self.body).expect("writing to a String cannot fail");
    }

    /// Appends a table that is collapsed until its name is clicked.
    pub fn collapsed_table(&mut self, name: &str, table: &HtmlTable) {
        self.push(format_args!("<details><summary>{}</summary>\n", Escaped(name)));
        self.table(table);
        self.body.push_str("</details>\n");
    }

    /// Appends a figure with links to its files.
    pub fn figure(&mut self, plot: Plot, caption: &str) {
        self.has_results = true;
        let (name, svg) = (plot.name(), plot.svg());
        let words = Escaped(caption);
        self.push(format_args!("<figure role=\"img\" aria-label=\"{words}\">\n{svg}"));
        self.push(format_args!("<figcaption>{words} <span class=\"files\">"));
        self.push(format_args!("<a href=\"plots/{name}.svg\">SVG</a>"));
        if plot.csv().is_some() {
            self.push(format_args!(" <a href=\"plots/{name}.csv\">CSV</a>"));
        }
        self.body.push_str("</span></figcaption>\n</figure>\n");
        self.plots.push(plot);
    }
}

/// Renders the page of the sections that have results, and collects its plots.
pub(super) fn page(title: &str, mut sections: Vec<ReportSection>) -> (String, Vec<Plot>) {
    sections.retain(|section| section.has_results);
    let mut out = String::new();
    write_page(&mut out, title, &sections).expect("writing to a String cannot fail");
    (out, sections.into_iter().flat_map(|section| section.plots).collect())
}

fn write_page(out: &mut String, title: &str, sections: &[ReportSection]) -> fmt::Result {
    let title = Escaped(title);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    write!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n")?;
    write!(out, "<header><h1>{title}</h1></header>\n<nav><h2>Contents</h2>\n<ol>\n")?;
    for section in sections {
        writeln!(out, "<li><a href=\"#{}\">{}</a></li>", section.id, Escaped(&section.title))?;
    }
    out.push_str("</ol></nav>\n<main>\n");
    for section in sections {
        let (id, title) = (section.id, Escaped(&section.title));
        write!(out, "<section id=\"{id}\">\n<h2>{title}</h2>\n{}</section>\n", section.body)?;
    }
    out.push_str("</main>\n</body>\n</html>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_text_is_escaped_and_numeric_columns_are_right_aligned() {
        let markup = "<script>\"'&\u{0}";
        let mut table = HtmlTable::new(["name", "value"]);
        table.row([markup, "1,000"]);
        table.row(["b", "–"]);
        let mut section = ReportSection::new("s", markup);
        section.paragraph(markup);
        section.list([markup.to_owned()]);
        section.table(&table);
        section.collapsed_table(markup, &table);
        let (html, plots) = page(markup, vec![section]);
        assert!(!html.contains("<script") && plots.is_empty());
        assert!(html.contains("&lt;script&gt;&quot;&#39;&amp;\u{fffd}"));
        assert!(html.contains("<td class=\"n\">1,000</td>") && html.contains("<td>b</td>"));
    }

    #[test]
    fn columns_without_values_are_dropped() {
        let mut table = HtmlTable::new(["a", "b", "c"]);
        table.row(["1", "–", ""]);
        table.row(["–", "–", "2"]);
        table.drop_empty_columns();
        assert_eq!(
            (table.head, table.rows[1].join("")),
            (vec!["a".into(), "c".into()], "–2".into())
        );
    }

    #[test]
    fn a_section_without_results_is_neither_on_the_page_nor_in_its_contents() {
        let mut empty = ReportSection::new("empty", "Empty");
        empty.paragraph("words");
        empty.leave_out("nothing ran.");
        assert_eq!(empty.missing().as_deref(), Some("Empty: nothing ran."));
        let mut full = ReportSection::new("full", "Full");
        full.list(["a".to_owned()]);
        assert_eq!(full.missing(), None);
        let (html, _) = page("t", vec![empty, full]);
        assert!(!html.contains("Empty") && html.contains("href=\"#full\""));
    }
}
