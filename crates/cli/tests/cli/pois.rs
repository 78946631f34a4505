//! `pois load` into a temporary database.

#[path = "../../../gateway/tests/postgis/database.rs"]
#[allow(dead_code, reason = "the gateway's tests use the rest")]
pub mod database;

use crate::program::{Run, meshcloak};
use database::Database;
use std::fs;

#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let Run { code, stdout, stderr } = meshcloak(&[&["pois", "load"], arguments].concat());
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
    stderr
}

#[test]
fn loading_twice_does_not_duplicate_points_of_interest() {
    let database = Database::start();
    let url = database.url();
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.csv");
    fs::write(&own, "id,lon,lat,category,name\nO'x,8.2,53.1,caf\u{e9},\"a \"\"b\"\", c\"\n")
        .unwrap();
    let own = own.to_str().unwrap();
    let load = |table: &str| {
        let city = ["pois", "load", "city:500:1", "--database", &url, "--pois", own];
        meshcloak(&[&city[..], &["--table", table]].concat()).done().stdout
    };
    let count = |table: &str| database.sql(&format!("SELECT count(*) FROM {table}")).remove(0);
    let output = load("places");
    let first = count("places");
    assert!(first.parse::<u32>().unwrap() > 20 && output.starts_with(&first), "{output}");
    load("places");
    assert_eq!(count("places"), first);
    let row = "SELECT name, category, round(ST_X(geog::geometry)::numeric, 6) FROM places";
    let row = database.sql(&format!("{row} WHERE id = 'O''x'"));
    assert_eq!(row, ["a \"b\", c|caf\u{e9}|8.200000"]);
    database.sql("CREATE SCHEMA city");
    load("city.places");
    assert_eq!(count("city.places"), first);

    database.sql("CREATE TABLE mine (id int)");
    let url = ["city:500:1", "--database", &url];
    assert!(refused(&[&url[..], &["--table", "mine"]].concat()).contains("choose another name"));
    assert!(refused(&[&url[..], &["--table", "none.x"]].concat()).contains("3F000"));
}

#[test]
fn errors_name_the_problem_without_the_password() {
    let nowhere = "postgres://me:secret@127.0.0.1:1/none";
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("m");
    fs::write(folder.path().join("m.nodes.csv"), "id,x,y\na,0,0\nb,90,0\n").unwrap();
    fs::write(folder.path().join("m.streets.csv"), "id,from,to\ns,a,b\n").unwrap();
    let map = map.to_str().unwrap();
    assert!(refused(&[map, "--database", nowhere]).contains("--origin"));
    let none = refused(&[map, "--origin", "8.2,53.1", "--database", nowhere]);
    assert!(none.contains("--pois"), "{none}");
    let down = refused(&["city:500:1", "--database", nowhere]);
    assert!(down.contains("database") && !down.contains("secret"), "{down}");
    let address = refused(&["city:500:1", "--database", "what://me:secret@x"]);
    assert!(address.contains("postgres://") && !address.contains("secret"), "{address}");
    let table = meshcloak(&["pois", "load", "--database", nowhere, "--table", "a;b"]);
    assert_eq!(table.code, Some(2));
}
