use super::{Bar, Heap, Mark, Path, Reference, Step, bars, funnel, scatter, short, signal};
use crate::stats::Interval;

/// What markup could hide in, and numbers that no axis has.
const HOSTILE: &str = "</svg><script>x()</script>\"'&]]>\u{202e}##[error]x";
const NUMBERS: [f64; 6] = [0.0, 1.0, -3.0, 1e300, f64::INFINITY, f64::NEG_INFINITY];

fn inert(svg: &str) {
    assert_eq!(svg.matches("<svg").count(), 1, "{svg}");
    assert_eq!(svg.matches("</svg>").count(), 1, "{svg}");
    assert!(svg.ends_with("</svg>") && !svg.contains('\n'), "{svg}");
    for never in ["<script", "\u{202e}", "##[", "NaN", "inf\"", "href", "style="] {
        assert!(!svg.contains(never), "{never} in {svg}");
    }
    assert!(svg.contains("&lt;/svg&gt;"), "the name is there as text: {svg}");
}

fn mark(number: f64) -> Mark {
    let spread = Some(Interval { low: number, high: number });
    let name = HOSTILE.to_owned();
    Mark { legend: name.clone(), name, recall: number, precision: number, spread: (spread, spread), series: 7 }
}

#[test]
fn no_name_and_no_number_leaves_a_plot() {
    let title = (HOSTILE, HOSTILE);
    for number in NUMBERS {
        let reference = Reference { name: HOSTILE.to_owned(), recall: number, precision: 0.5, source: usize::MAX };
        let path = Path { places: vec![(number, number); 2], names: vec![HOSTILE.to_owned(); 2], main: true };
        inert(&scatter("a", title, &[mark(number)], &[reference], &[path]));
        let spread = Some(Interval { low: number, high: number });
        let bar = Bar { name: HOSTILE.to_owned(), value: Some(number), spread, note: HOSTILE.to_owned(), series: 9 };
        inert(&bars("a", title, &[(HOSTILE.to_owned(), vec![bar])], number, |number| number.to_string()));
    }
    for count in [0, 1, u64::MAX] {
        let step = || Step { name: HOSTILE.to_owned(), left: count, removed: count, note: HOSTILE.to_owned() };
        inert(&funnel("a", title, &[step(), step()]));
    }
    let heap = Heap { hits: 1e9, sound: 0.0, open: 0.5, noise: 1e9 };
    for (faulty, clean) in
        [(vec![], vec![]), (vec![heap], vec![]), (vec![], vec![heap]), (vec![heap; 500], vec![heap; 9])]
    {
        inert(&signal("a", title, &faulty, &clean));
    }
    inert(&bars("a", title, &[], 1.0, |number| number.to_string()));
    inert(&funnel("a", title, &[]));
}

/// Every colour that is drawn has one in the dark scheme too: the style sheet names it.
#[test]
fn every_colour_has_its_name_in_the_style_sheet() {
    let style = include_str!("../html/style.css");
    let all = [0, 1, 2, 3, 4, 5].map(|series| Mark { series, ..mark(0.5) });
    let path = |main| Path { places: vec![(0.1, 0.1), (0.2, 0.2)], names: vec!["a".to_owned(); 2], main };
    let heap = Heap { hits: 1.0, sound: 1.0, open: 1.0, noise: 1.0 };
    let step = |left, removed| Step { name: "a".to_owned(), left, removed, note: String::new() };
    let drawn = [
        scatter("a", ("", ""), &all, &[], &[path(true), path(false)]),
        signal("a", ("", ""), &[heap], &[heap]),
        funnel("a", ("", ""), &[step(3, 0), step(1, 2), step(1, 0)]),
    ];
    let mut seen = 0;
    for svg in &drawn {
        for attribute in ["fill=\"#", "stroke=\"#"] {
            for part in svg.split(attribute).skip(1) {
                let rule = format!(".plot [{attribute}{}\"]", &part[..6]);
                assert!(style.contains(&rule), "{rule} is missing");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "only {seen} colours");
}

#[test]
fn a_long_name_is_cut_between_characters() {
    assert_eq!(short("äöüß", 4), "äöüß");
    assert_eq!(short("äöüßä", 4), "äöü…");
    assert_eq!(short("", 4), "");
}

/// A reviewer at recall 1 and precision 0 is in the lower right corner, one at 0 and 1 in the upper left one.
#[test]
fn points_are_where_their_numbers_say() {
    let at = |recall: f64, precision: f64| {
        let mark = Mark { recall, precision, spread: (None, None), series: 0, ..mark(0.5) };
        let svg = scatter("a", ("", ""), &[mark], &[], &[]);
        let circle =
            svg.split("<circle ").nth(1).and_then(|rest| rest.split('>').next()).unwrap_or_default().to_owned();
        let number = |name: &str| -> i32 {
            let rest = circle.split(&format!("{name}=\"")).nth(1).unwrap_or_default();
            rest.split('"').next().and_then(|text| text.parse().ok()).unwrap_or(-1)
        };
        (number("cx"), number("cy"))
    };
    let (left, right, low, high) = (at(0.0, 0.5).0, at(1.0, 0.5).0, at(0.5, 0.0).1, at(0.5, 1.0).1);
    assert!(0 < left && left + 600 < right && high > 0 && high + 400 < low, "{left} {right} {low} {high}");
    let middle = at(0.5, 0.5);
    assert!((middle.0 - left.midpoint(right)).abs() <= 1 && (middle.1 - low.midpoint(high)).abs() <= 1, "{middle:?}");
}
