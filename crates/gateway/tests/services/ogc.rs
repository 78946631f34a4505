//! OGC API Features, against tipg over a temporary PostGIS.

use crate::database::Database;
use crate::end_to_end;
use crate::pois::{categories, check, client, everything, things};
use crate::town::walker;
use gateway::service::postgis::{LoadedObjects, PostgisSettings, load};
use gateway::service::{OgcFilter, OgcSettings, RemoteSettings};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// tipg on a free port; stopped on drop.
pub struct Tipg {
    process: Child,
    pub url: String,
}

impl Tipg {
    pub fn start(database: &Database) -> Tipg {
        let python = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/ogc/bin/python");
        let mut process = Command::new(python)
            .args(["-m", "uvicorn", "tipg.main:app", "--host", "127.0.0.1", "--port", "0"])
            .env("DATABASE_URL", database.url().replace("postgres://", "postgresql://"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("needs tipg: `make ogc` installs it");
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut output = String::new();
        let url = log.by_ref().map_while(Result::ok).find_map(|line| {
            output.push_str(&line);
            output.push('\n');
            let (_, url) = line.split_once("Uvicorn running on ")?;
            Some(url.split_whitespace().next()?.to_owned())
        });
        let url = url.unwrap_or_else(|| panic!("{output}"));
        // Drains the log: a full pipe would block the server.
        std::thread::spawn(move || log.for_each(drop));
        Tipg { process, url }
    }
}

impl Drop for Tipg {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[tokio::test]
async fn answers_of_tipg_are_exact() {
    let walker = walker();
    let things = things(&walker, |number| format!("p{number}"));
    let database = Database::start();
    let postgis = PostgisSettings::new(&database.url());
    let all = everything(&walker, &things);
    let frame = walker.map().frame().unwrap();
    load(&postgis.url, &postgis.table, LoadedObjects { objects: all.objects(), frame }, |_| ())
        .await
        .unwrap();
    let tipg = Tipg::start(&database);

    let source = format!("ogc-features+{}/collections/public.meshcloak_pois", tipg.url);
    let mut settings = RemoteSettings::of_source(&source).unwrap();
    (settings.outline, settings.timeout) = (0.0, 120.0);
    settings.ogc.geometry = "geog".into();
    settings.categories =
        categories(&things).into_iter().map(|name| (name.clone(), name)).collect();
    // Small pages force paging; boxes return more objects than needed.
    for (filter, limit, count) in [(OgcFilter::Auto, 100, 20), (OgcFilter::Bbox, 2_000, 4)] {
        (settings.ogc.filter, settings.ogc.limit) = (filter, limit);
        let client = client(settings.open(&walker).unwrap());
        let known: Vec<String> = categories(&things).into_iter().collect();
        assert_eq!(client.categories().await.unwrap(), known);
        let seen = check(&walker, &client, &things, count).await;
        assert_eq!(seen.exact, seen.asked);
        assert!(seen.found > count * 30 && seen.outside * 3 > seen.asked, "{seen:?}");
    }
    settings.ogc = OgcSettings { geometry: "geog".into(), ..OgcSettings::default() };
    end_to_end::check(&walker, settings.open(&walker).unwrap(), &things).await;
}
