//! Metrics of outcomes as table rows.

use crate::table::{Table, decimal, grouped};
use evaluation::metrics::{Mean, Tally};
use evaluation::reason::Reason;

/// Appends the metrics to a table.
pub fn add_rows(tally: &Tally, table: &mut Table) {
    table.heading("Queries");
    table.row("total", grouped(tally.queries()));
    table.row("succeeded", grouped(tally.succeeded));
    table.row("expired", grouped(tally.expired));
    if tally.replaced > 0 {
        table.row("replaced", grouped(tally.replaced));
    }
    for (reason, &count) in Reason::ALL.iter().zip(&tally.refusals) {
        if count > 0 {
            table.row(format!("refused: {}", reason.name()), grouped(count));
        }
    }
    if tally.present > 0 {
        table.row("presence reports", grouped(tally.present));
    }
    table.row("success rate", percent(tally.success_rate()));
    table.row("success rate per batch (paper)", percent(tally.printed_success_rate.value()));
    table.heading("Succeeded, mean");
    table.row("mesh length", number(tally.region_metres, "m"));
    table.row("mesh length per member", number(tally.region_metres_per_member, "m"));
    if let Some(max) = tally.max_region_area {
        table.row("region area", number(tally.region_area, "m²"));
        table.row("largest region area", format!("{} m²", decimal(max)));
    }
    table.row("relative k", number(tally.relative_k, ""));
    if tally.present > 0 {
        table.row("k by users", number(tally.k_by_users, ""));
        table.row("k by askers", number(tally.k_by_askers, ""));
    }
    table.row("relative dt", number(tally.relative_dt, ""));
    table.row("delay", number(tally.delay, "s"));
    table.row("served within 2 s", percent(tally.within_two_seconds.value()));
}

/// Formats a share in percent.
pub fn percent(share: Option<f64>) -> String {
    share.map_or("–".into(), |share| format!("{:.2} %", share * 100.0))
}

fn number(mean: Mean, unit: &str) -> String {
    let text = |value: f64| match unit {
        "" => format!("{value:.3}"),
        _ => format!("{} {unit}", decimal(value)),
    };
    mean.value().map_or("–".into(), text)
}
