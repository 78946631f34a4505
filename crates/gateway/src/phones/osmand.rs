//! What OsmAnd and Traccar Client before version 9 say: a query string, or the same as a form;
//! speed in knots.

use super::report::Report;
use super::time;

/// Metres per second of a knot.
pub(super) const KNOT: f64 = 1852.0 / 3600.0;

/// Reads parameters; `None` if there is no place in them, or one that the phone itself does not
/// believe. `Err` names the one that cannot be read.
pub(super) fn read(parameters: &[u8]) -> Result<(Option<Report>, String), &'static str> {
    let (mut lon, mut lat, mut made, mut speed) = (None, None, None, None);
    let (mut device, mut valid) = (String::new(), true);
    for (key, value) in form_urlencoded::parse(parameters) {
        let number = || value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        match &*key {
            "lat" => lat = Some(number().ok_or("lat is not a number")?),
            "lon" => lon = Some(number().ok_or("lon is not a number")?),
            "location" => {
                let (one, other) = value.split_once(',').ok_or("location is not lat,lon")?;
                let part = |text: &str| text.trim().parse().map_err(|_| "location is not lat,lon");
                (lat, lon) = (Some(part(one)?), Some(part(other)?));
            }
            "timestamp" => made = Some(time::parse(&value).ok_or("timestamp is not a time")?),
            "speed" => speed = Some(number().ok_or("speed is not a number")?),
            "id" | "deviceid" => device = value.into_owned(),
            "valid" => valid = matches!(&*value, "true" | "1"),
            _ => {}
        }
    }
    let place = lon.zip(lat).filter(|_| valid);
    let speed = speed.filter(|speed| *speed >= 0.0).map(|speed| speed * KNOT);
    Ok((place.map(|(lon, lat)| Report { lon, lat, made, speed }), device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_in_their_own_units_and_unknown_ones_let_pass() {
        let text = "id=9&timestamp=1767225600&lat=60.0&lon=30.0&speed=36&bearing=0&batt=87.0&x=%ff";
        let (report, device) = read(text.as_bytes()).unwrap();
        let report = report.unwrap();
        assert_eq!((report.lat, report.lon, &*device), (60.0, 30.0, "9"));
        assert_eq!(report.made, Some(1_767_225_600_000));
        assert!((report.speed.unwrap() - 18.52).abs() < 1e-9, "36 knots");
        let (report, device) =
            read(b"deviceid=7&location=60.0,30.0&timestamp=1767225600579").unwrap();
        let report = report.unwrap();
        assert_eq!((report.lat, report.lon, &*device), (60.0, 30.0, "7"));
        assert_eq!(report.made, Some(1_767_225_600_579));
        for dropped in ["", "id=1", "lat=1", "id=1&cell=257,02,16,2224", "lat=1&lon=2&valid=false"]
        {
            assert!(read(dropped.as_bytes()).unwrap().0.is_none(), "{dropped}");
        }
        for wrong in [
            "lat=x&lon=2",
            "lat=&lon=2",
            "lat=NaN&lon=1",
            "lat=1&lon=inf",
            "location=1",
            "location=1,x",
            "lat=1&lon=2&timestamp=soon",
            "lat=1&lon=2&speed=fast",
        ] {
            assert!(read(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
