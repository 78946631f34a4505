//! Privacy against cost: what every scheme and setting costs, and what attacks leave of what it
//! promises, in one picture and one table; which setting a gateway should run; and one victim.

mod advice;
mod field;
mod isolated;
mod portrait;

use super::data::Data;
use super::number::{count, decimal, percent, shown};
use super::page::{Section, Table};
use super::paper::map_title;
use super::plot::Plot;
use field::Field;
use picture::{DotPanel, Dots, PictureError, Steps};

/// The section.
pub(super) fn section(data: &Data) -> Result<Section, PictureError> {
    let mut section = Section::new("privacy", "Privacy against cost");
    section.paper(
        "promises reciprocity (§I, §II-A) and safety from an attacker who knows the map, the speed \
         and the last position (§III-A). It attacks nothing.",
    );
    match Field::of(&data.privacy) {
        Some(field) => compare(&mut section, &field, data)?,
        None => section.missing(
            "nothing was attacked (meshcloak attack --scheme all --region reach,cells --out DIR).",
        ),
    }
    section.heading("The map isolates somebody whom the plane hides");
    isolated::put(&mut section);
    Ok(section)
}

fn compare(section: &mut Section, field: &Field<'_>, data: &Data) -> Result<(), PictureError> {
    let title = format!(
        "{}, {} people, {}",
        map_title(field.map),
        count(field.users.into()),
        field.configuration
    );
    section.say(
        "All schemes get the same people; victims are a sample of them, with all of their \
         questions. The service (L1) has the map, the algorithm, what was disclosed, and the dc of \
         its target; L2 also knows where exactly she was when she asked before; L3 every position, \
         k and dc in the batch. Who is left counts as k′; a rectangle or a disc is attacked through \
         the map, so only streets inside it count.",
    );
    section.list(advice::sentences(field));
    section.figure(Plot::dots("privacy", &dots(field, &title))?, &title);
    section.table(&table(field));
    section.folded("Every attack in numbers", &everything(field));
    if let Some(canvas) = portrait::draw(data, field) {
        section.heading("One victim");
        section.say(
            "What was published, what somebody who knew where she was before cannot rule out, and \
             where she is.",
        );
        section.figure(Plot::drawing("victim", &canvas), "One victim");
    }
    Ok(())
}

/// Who looks, and by which attack they are represented.
const LOOKS: [(&str, &str); 4] = [
    ("as shown", "as shown"),
    ("the service (L1)", "together"),
    ("knows the last place (L2)", "known-point"),
    ("knows the batch (L3)", "inversion"),
];

fn dots(field: &Field<'_>, title: &str) -> Dots {
    let schemes = field.schemes();
    let cost = |label: &str, steps, value: &dyn Fn(&str) -> Option<f64>| DotPanel {
        label: label.to_owned(),
        steps,
        values: vec![schemes.iter().map(|scheme| value(scheme)).collect()],
    };
    let looks = |label: &str, steps, value: &dyn Fn(&str, &str) -> Option<f64>| DotPanel {
        label: label.to_owned(),
        steps,
        values: LOOKS
            .map(|(_, attack)| schemes.iter().map(|scheme| value(scheme, attack)).collect())
            .to_vec(),
    };
    let row = |scheme: &str, attack: &str| field.row(scheme, attack);
    Dots {
        title: title.to_owned(),
        panels: vec![
            cost("success (%)", Steps::Even, &|scheme| {
                Some(row(scheme, "as shown")?.success_rate? * 100.0)
            }),
            cost("region (m street)", Steps::Powers, &|scheme| {
                row(scheme, "as shown")?.region_metres
            }),
            looks("below k (%)", Steps::Even, &|scheme, attack| {
                Some(row(scheme, attack)?.below_k? * 100.0)
            }),
            looks("k′/k", Steps::Powers, &|scheme, attack| row(scheme, attack)?.anonymity),
            looks("error (m)", Steps::Powers, &|scheme, attack| row(scheme, attack)?.error_m),
        ],
        rows: schemes.iter().map(|scheme| (*scheme).to_owned()).collect(),
        kinds: LOOKS.map(|(name, _)| name.to_owned()).to_vec(),
    }
}

fn table(field: &Field<'_>) -> Table {
    let mut table = Table::new([
        "scheme",
        "success",
        "region (m street)",
        "below k, inversion (L3)",
        "below k, known point (L2)",
        "below k, service (L1)",
        "k′/k, known point",
        "street left to the service (m)",
        "its error (m)",
        "below k, three linked (L3)",
        "below k, sybils",
    ]);
    for scheme in field.schemes() {
        let of = |attack: &str| field.row(scheme, attack);
        let below = |attack: &str| percent(of(attack).and_then(|row| row.below_k));
        let plain = of("as shown");
        let linked = of("intersection").and_then(|row| row.figure("below k after three"));
        table.row([
            scheme.to_owned(),
            percent(plain.and_then(|row| row.success_rate)),
            shown(plain.and_then(|row| row.region_metres), 0),
            below("inversion"),
            below("known-point"),
            below("together"),
            shown(of("known-point").and_then(|row| row.anonymity), 2),
            shown(of("together").and_then(|row| row.metres_left), 0),
            shown(of("together").and_then(|row| row.error_m), 0),
            percent(linked),
            below("sybils"),
        ]);
    }
    table
}

fn everything(field: &Field<'_>) -> Table {
    let mut table = Table::new([
        "scheme",
        "attack",
        "level",
        "seen",
        "below k",
        "alone",
        "k′/k",
        "left (m)",
        "error (m)",
        "misses the truth",
        "besides",
        "time (s)",
    ]);
    for row in &field.rows {
        table.row([
            row.scheme.clone(),
            row.attack.clone(),
            row.level.clone(),
            count(row.publications),
            percent(row.below_k),
            percent(row.alone),
            shown(row.anonymity, 2),
            shown(row.metres_left, 0),
            shown(row.error_m, 0),
            percent(row.wrong),
            row.more.replace(';', "; ").replace('=', " "),
            decimal(row.seconds, 2),
        ]);
    }
    table
}

#[cfg(test)]
mod tests;
