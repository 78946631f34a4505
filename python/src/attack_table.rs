//! Results of attacks as a table: one row for each attack on each scheme.

use crate::table::Table;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use evaluation::results::PrivacyRow;
use std::sync::Arc;

/// Builds the table of `rows`.
pub(crate) fn attack_table(rows: &[PrivacyRow]) -> Table {
    let texts = |of: fn(&PrivacyRow) -> &String| {
        Arc::new(StringArray::from_iter_values(rows.iter().map(of))) as ArrayRef
    };
    let numbers = |of: fn(&PrivacyRow) -> Option<f64>| {
        Arc::new(rows.iter().map(of).collect::<Float64Array>()) as ArrayRef
    };
    let publications = rows.iter().map(|row| row.publications as i64);
    let columns: [(&str, ArrayRef); 16] = [
        ("scheme", texts(|row| &row.scheme)),
        ("success_rate", numbers(|row| row.success_rate)),
        ("region_metres", numbers(|row| row.region_metres)),
        ("relative_k", numbers(|row| row.relative_k)),
        ("mean_delay_s", numbers(|row| row.mean_delay_s)),
        ("us_per_query", numbers(|row| row.us_per_query)),
        ("attack", texts(|row| &row.attack)),
        ("level", texts(|row| &row.level)),
        ("publications", Arc::new(Int64Array::from_iter_values(publications))),
        ("below_k", numbers(|row| row.below_k)),
        ("alone", numbers(|row| row.alone)),
        ("anonymity", numbers(|row| row.anonymity)),
        ("metres_left", numbers(|row| row.metres_left)),
        ("error_m", numbers(|row| row.error_m)),
        ("wrong", numbers(|row| row.wrong)),
        ("more", texts(|row| &row.more)),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )
    .expect("the columns have one length");
    Table::new(batch.schema(), vec![batch])
}
