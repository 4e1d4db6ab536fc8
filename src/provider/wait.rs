//! How long a server asks to wait.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the headers and the body say, the most exact first: `retry-after-ms`, `retry-after` in seconds or as a date,
/// LiteLLM's renamed header, Gemini's delay inside the body. Nothing usable gives `None`.
pub(super) fn asked<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    body_delay: Option<&str>,
    now: SystemTime,
) -> Option<Duration> {
    header("retry-after-ms")
        .and_then(|value| span(value.trim().parse::<f64>().ok()? / 1000.0))
        .or_else(|| seconds_or_date(header("retry-after")?, now))
        .or_else(|| seconds_or_date(header("llm_provider-retry-after")?, now))
        .or_else(|| span(body_delay?.trim().strip_suffix('s')?.parse().ok()?))
}

fn seconds_or_date(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    match value.parse() {
        Ok(seconds) => span(seconds),
        Err(_) => {
            let date = UNIX_EPOCH.checked_add(Duration::from_secs(http_date(value)?))?;
            date.duration_since(now).ok().filter(|wait| !wait.is_zero())
        }
    }
}

fn span(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|wait| !wait.is_zero())
}

/// Seconds since 1970 of an IMF-fixdate (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. The two obsolete forms are
/// not read.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.split_once(", ")?;
    let parts: Vec<&str> = date.split(' ').collect();
    let [day, month, year, time, "GMT"] = parts[..] else { return None };
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let mut clock = time.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if !(1..=31).contains(&day) || !(1970..=9999).contains(&year) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since 1970-01-01 of the proleptic Gregorian calendar, years counted from March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
    Some((days.checked_sub(719_468)?) * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_and_nonsense_is_none() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777 - 7);
        let read = |name: &str, value: &str| {
            asked(|asked| (asked == name).then_some(value), None, now).map(|wait| wait.as_millis())
        };
        for (name, value, expected) in [
            ("retry-after-ms", "300", Some(300)),
            ("retry-after-ms", "1.5", Some(1)),
            ("retry-after", "2", Some(2000)),
            ("retry-after", " 0.25 ", Some(250)),
            ("llm_provider-retry-after", "3", Some(3000)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", Some(7000)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT", None),
            ("retry-after", "Sunday, 06-Nov-94 08:49:37 GMT", None),
            ("retry-after", "Sun, 99 Nov 1994 08:49:37 GMT", None),
            ("retry-after", "0", None),
            ("retry-after", "-1", None),
            ("retry-after", "NaN", None),
            ("retry-after", "inf", None),
            ("retry-after", "soon", None),
            ("retry-after", "1e300", None),
        ] {
            assert_eq!(read(name, value), expected, "{name}: {value}");
        }
        let body = |value| asked(|_| None, Some(value), now).map(|wait| wait.as_millis());
        assert_eq!((body("7.5s"), body("7"), body("s")), (Some(7500), None, None));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Tue, 29 Feb 2000 12:00:00 GMT"), Some(951_825_600));
        assert_eq!(http_date("Fri, 20 Nov 2026 00:00:00 GMT"), Some(1_795_132_800));
    }
}
