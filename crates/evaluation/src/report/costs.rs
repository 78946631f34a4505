//! Section "Cost to the service and the user": requests, candidates and bytes of every scheme.

use super::data::Data;
use super::number::{count, decimal, percent};
use super::page::{HtmlTable, ReportSection};
use super::paper::map_title;
use crate::distinct::distinct;
use crate::results::CostRow;

/// Builds the section.
pub(super) fn section(data: &Data) -> ReportSection {
    let mut section = ReportSection::new("costs", "Cost to the service and the user");
    if data.costs.is_empty() {
        section.leave_out("no costs (meshcloak costs --schemes all --out DIR).");
        return section;
    }
    section.paragraph(
        "The service is asked about every published region, and the answer of each user is extracted. \
         Candidates are the objects that the service returns for one answered query, objects those \
         of the answer. Rectangles and discs are asked as the streets that they touch. \
         \u{201c}Outside\u{201d}: the region does not hold the user (noise), so that the answer need \
         not be right; all other checked answers are compared with those for the true position.",
    );
    for setting in distinct(data.costs.iter().map(setting)) {
        let rows = data.costs.iter().filter(|row| self::setting(row) == setting);
        section.heading(&setting);
        section.table(&table(rows));
    }
    section
}

fn setting(row: &CostRow) -> String {
    let CostRow { map, users, configuration, seconds, service, seed, .. } = row;
    let (map, users) = (map_title(map), count(u64::from(*users)));
    format!("{map}, {users} users, {configuration}, {seconds} s, service {service}, seed {seed}")
}

fn table<'a>(rows: impl Iterator<Item = &'a CostRow>) -> HtmlTable {
    let mut table = HtmlTable::default();
    for row in rows {
        let per_answer = |sum| decimal(row.per_answer(sum), 1);
        let bytes = |sum: u64| decimal(row.per_answer(sum) / 1000.0, 1);
        table.record([
            ("scheme", row.scheme.clone()),
            ("answered", percent(Some(row.share_answered()))),
            ("outside", percent(Some(row.share_outside()))),
            ("requests / answer", decimal(row.per_answer(row.requests), 2)),
            ("requests / s", decimal(row.requests_per_second(), 1)),
            ("candidates / answer", per_answer(row.candidates)),
            ("objects / answer", per_answer(row.objects)),
            ("kB of candidates / answer", bytes(row.candidate_bytes)),
            ("kB sent / answer", row.sent_bytes.map_or("–".to_owned(), bytes)),
            ("kB received / answer", row.received_bytes.map_or("–".to_owned(), bytes)),
            ("refinement (µs)", decimal(row.refinement_us, 1)),
            ("checked", count(row.checked)),
            ("wrong", count(row.wrong)),
        ]);
    }
    table.drop_empty_columns();
    table
}

#[cfg(test)]
mod tests {
    use super::super::HtmlReport;
    use super::*;

    #[test]
    fn sums_are_divided_by_the_answered_queries() {
        let row = CostRow {
            map: "porto".into(),
            users: 10_000,
            configuration: "P1-3-5".into(),
            service: "built-in".into(),
            scheme: "casper".into(),
            seconds: 2,
            queries: 40,
            answered: 10,
            outside: 1,
            requests: 5,
            candidates: 125,
            candidate_bytes: 25_000,
            ..CostRow::default()
        };
        let html = HtmlReport::new(&Data { costs: vec![row], ..Data::default() }).unwrap().html;
        assert!(html.contains("Porto, 10,000 users, P1-3-5, 2 s, service built-in"), "{html}");
        for cell in ["25.0 %", "10.0 %", "0.50", "2.5", "12.5"] {
            assert!(html.contains(&format!("<td class=\"n\">{cell}</td>")), "{cell}: {html}");
        }
        assert!(!html.contains("kB sent"), "no database");
    }
}
