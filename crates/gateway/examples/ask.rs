//! Sends test inquiries about 12 streets in the centre of a map to a service and prints the number
//! of objects returned: `cargo run -p gateway --example ask -- SETTINGS.toml [MAP [CATEGORY]]`.

use gateway::inquiry::Inquiry;
use gateway::question::{Along, Category, Operation, Question};
use gateway::service::{RemoteSettings, ServiceClient, ServiceClientSettings};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::region::Region;
use meshcloak::scheme::Disclosure;
use meshcloak::units::{Length, Time};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let settings = arguments.next().ok_or("expected SETTINGS.toml [MAP [CATEGORY]]")?;
    let source = arguments.next().unwrap_or("city".into()).parse()?;
    let category = match arguments.next() {
        Some(name) => Category::named(&name)?,
        None => Category::Any,
    };
    let settings = RemoteSettings::of_toml(&std::fs::read_to_string(settings)?)?;
    let map = import::read_map(&source, &import::Options::default(), &())?.map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(100.0)))));
    let client_settings = ServiceClientSettings {
        timeout: Duration::from_secs(60),
        ..ServiceClientSettings::default()
    };
    let client = ServiceClient::new(settings.open(&walker)?, client_settings);
    println!("{}: {} categories", client.name(), client.categories().await?.len());
    for along in [Along::Plane, Along::Streets] {
        let radius = Length::metres(500.0);
        let within = Operation::Within { radius, along };
        let nearest = Operation::Nearest { count: 3, along };
        for (text, operation) in [("within 500 m", within), ("the 3 nearest", nearest)] {
            let question = Question { operation, category: category.clone() };
            let start = Instant::now();
            let objects = client.ask(&inquiry(walker.map(), &question)?).await?;
            let (count, is_complete) = (objects.objects().len(), objects.is_complete());
            let ms = start.elapsed().as_millis();
            println!("{text}, {along}: {count} objects, complete: {is_complete}, {ms} ms");
        }
    }
    Ok(())
}

/// Builds an inquiry about the streets around the centre of the map.
fn inquiry(map: &StreetMap, question: &Question) -> Result<Inquiry, Box<dyn Error>> {
    let centre = map.snap(map.bounds().centre(), None).ok_or("the map has no streets")?;
    let start = map.terminal(map.street(centre.position.street).from);
    let mut streets: Vec<StreetId> = map.streets().collect();
    streets.sort_by(|a, b| {
        let distance = |street: StreetId| map.shape(street)[0].distance_squared(start);
        distance(*a).total_cmp(&distance(*b))
    });
    streets.truncate(12);
    streets.sort();
    let disclosure = Disclosure { at: Time::from_millis(0), region: Region::Mesh(streets.into()) };
    Ok(Inquiry::of(map, &disclosure, vec![question.asked()?]).remove(0))
}
