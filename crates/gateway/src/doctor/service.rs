//! The location service: whether it lists categories and answers in time.

use super::Finding;
use super::maps::ExaminedMap;
use crate::config::Config;
use crate::inquiry::Inquiry;
use crate::prepare::open_service;
use crate::question::{Along, Category, Find, QuestionKind};
use crate::service::Service;
use meshcloak::map::StreetMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time-out of the list of categories.
const CATEGORIES_TIMEOUT: Duration = Duration::from_secs(10);

const ADVICE: &str = "check address, credentials and network of `service.source`; docs/CONNECT.md has \
                      a test for each kind of service";

pub(super) async fn examine(config: &Config, map: &ExaminedMap) -> Vec<Finding> {
    match open_service(config, &map.walker) {
        Err(error) => vec![Finding::problem("service", error.to_string(), ADVICE)],
        Ok(service) => ask(&*service, map, config.service.timeout).await,
    }
}

/// Asks for the categories and for the objects near the middle of the map.
async fn ask(service: &dyn Service, map: &ExaminedMap, timeout: Duration) -> Vec<Finding> {
    let name = &map.name;
    let wrong = |problem: String| Finding::problem("service", format!("{name}: {problem}"), ADVICE);
    let categories = match tokio::time::timeout(CATEGORIES_TIMEOUT, service.categories()).await {
        Err(_) => return vec![wrong("no list of categories within 10 s".into())],
        Ok(Err(error)) => return vec![wrong(error.to_string())],
        Ok(Ok(categories)) => categories,
    };
    let mut findings = Vec::new();
    if categories.is_empty() {
        let message = format!("{name}: the service has no category");
        let advice = "list them in `[categories]` of the service's file, or load objects";
        findings.push(Finding::warning("service", message, advice));
    }
    let inquiry = middle(map.walker.map());
    let begin = Instant::now();
    let answered = tokio::time::timeout(timeout, service.ask(&inquiry)).await;
    findings.push(match answered {
        Err(_) => {
            wrong(format!("no answer within `service.timeout` = {} s", timeout.as_secs_f64()))
        }
        Ok(Err(error)) => wrong(error.to_string()),
        Ok(Ok(objects)) if !objects.is_complete() => Finding::warning(
            "service",
            format!("{name}: the service leaves objects out; answers will not be exact"),
            "raise its limits (`max_objects`, `max_requests`), or those of its server",
        ),
        Ok(Ok(objects)) => judge_time(name, begin.elapsed(), timeout, objects.objects().len()),
    });
    findings
}

/// An answer that takes half of the time-out leaves no room for load.
fn judge_time(name: &str, elapsed: Duration, timeout: Duration, objects: usize) -> Finding {
    let millis = elapsed.as_millis();
    let message = format!("{name}: the service answered in {millis} ms with {objects} objects");
    if elapsed.saturating_mul(2) > timeout {
        let advice = "raise `service.timeout`, or make the service faster";
        return Finding::warning("service", message, advice);
    }
    Finding::ok("service", message)
}

/// Builds an inquiry about the street in the middle of the list of streets.
fn middle(map: &StreetMap) -> Inquiry {
    let street = map.streets().nth(map.street_count() / 2).into_iter();
    let kind = QuestionKind { find: Find::Within, along: Along::Plane, category: Category::Any };
    Inquiry::new(street.collect::<Arc<[_]>>(), kind, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;
    use crate::prepare::read_walker;
    use crate::service::{Completeness, Objects, ServiceError, ServiceFuture};

    /// A service with a given fault.
    #[derive(Clone, Copy, PartialEq)]
    enum Faulty {
        NoCategories,
        Down,
        Silent,
        Partial,
    }

    impl Service for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn ask<'a>(&'a self, _: &'a Inquiry) -> ServiceFuture<'a, Objects> {
            let completeness = match self {
                Faulty::Partial => Completeness::Partial,
                _ => Completeness::Complete,
            };
            match self {
                Faulty::Down => Box::pin(async { Err(ServiceError::Down) }),
                Faulty::Silent => Box::pin(std::future::pending()),
                _ => Box::pin(async move { Ok(Objects::new(Vec::new(), completeness)) }),
            }
        }

        fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
            let names =
                if *self == Faulty::NoCategories { vec![] } else { vec!["cafe".to_owned()] };
            Box::pin(async { Ok(names) })
        }
    }

    fn map() -> (Config, ExaminedMap) {
        let mut config = Config::default();
        config.map.source = "city:500:7".parse().unwrap();
        let city = config.map.cities().remove(0);
        let walker = read_walker(&config, &city, &()).unwrap();
        (config, ExaminedMap { name: city.name, walker })
    }

    #[tokio::test(start_paused = true)]
    async fn each_fault_of_a_service_is_reported() {
        let (config, map) = map();
        for (service, severity, word) in [
            (Faulty::NoCategories, Severity::Warning, "no category"),
            (Faulty::Down, Severity::Problem, "city: "),
            (Faulty::Silent, Severity::Problem, "no answer within"),
            (Faulty::Partial, Severity::Warning, "not be exact"),
        ] {
            let findings = ask(&service, &map, config.service.timeout).await;
            assert_eq!(findings[0].severity, severity, "{findings:?}");
            assert!(findings[0].message.contains(word), "{findings:?}");
        }
        let findings = examine(&config, &map).await;
        assert!(findings[0].message.contains("objects"), "{findings:?}");
    }

    #[tokio::test]
    async fn a_service_that_cannot_be_opened_is_a_problem() {
        let (mut config, map) = map();
        config.service.source = "missing.toml".into();
        let findings = examine(&config, &map).await;
        assert_eq!(findings[0].severity, Severity::Problem, "{findings:?}");
    }

    #[test]
    fn half_of_the_time_out_is_too_slow() {
        let timeout = Duration::from_secs(2);
        let judge = |millis| judge_time("a", Duration::from_millis(millis), timeout, 3).severity;
        assert_eq!((judge(1000), judge(1001)), (Severity::Ok, Severity::Warning));
    }
}
