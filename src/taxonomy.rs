//! What kind of fault something is: CR-Bench's three tags of a bug (section 4, Table 2; appendix A, listing 3). Text and prompt of the paper differ: the
//! text has Security and no Test among the categories, the prompt has it the other way round, and only the prompt has the
//! severity Critical. Both are taken.

/// A value of a tag, what a model is told of it, and other names it goes by.
pub struct Term {
    /// As records have it.
    pub name: &'static str,
    /// For a prompt.
    pub about: &'static str,
    aliases: &'static [&'static str],
}

const fn term(name: &'static str, about: &'static str, aliases: &'static [&'static str]) -> Term {
    Term { name, about, aliases }
}

/// What kind of fault it is (root cause, after Beizer).
pub static CATEGORIES: [Term; 9] = [
    term(
        "requirements",
        "what was asked is misunderstood, or a feature is missing, wrong or too much",
        &[
            "features",
            "functionality",
            "requirements features functionality",
            "requirements features and functionality",
        ],
    ),
    term(
        "structural",
        "control flow, order, conditions, arithmetic, initial values, flow of data through variables",
        &["logic", "control flow"],
    ),
    term("data", "the form, type, content or constants of data, or what a value is taken for", &[]),
    term("coding", "slips of writing: wrong name, wrong call, misleading comment, dead line", &[]),
    term(
        "interface",
        "modules, services, devices or the system are used other than they want to be",
        &["integration", "system", "interface integration system", "interface integration and system"],
    ),
    term("memory", "memory is leaked, freed twice, read before it is set or past its end", &["memory related"]),
    term("concurrency", "races, broken atomicity, deadlock between threads or processes", &["concurrent"]),
    term("security", "somebody can do, read or run what he must not", &["vulnerability"]),
    term("test", "a test is wrong, or does not test what it says", &["testing", "test and test design"]),
];

/// Which characteristic of ISO/IEC 25010 suffers.
pub static IMPACTS: [Term; 8] = [
    term("functional-suitability", "results are wrong or missing", &["functionality", "functional"]),
    term("performance-efficiency", "time, memory or other means are wasted", &["performance", "efficiency"]),
    term("compatibility", "it does not work together with others", &["interoperability"]),
    term("usability", "people are misled or hindered", &[]),
    term("reliability", "it crashes, hangs, loses its state or does not recover", &["stability"]),
    term("security", "data or rights are exposed", &[]),
    term("maintainability", "it is harder to understand, test or change", &[]),
    term("portability", "it does not install or run elsewhere", &[]),
];

/// How bad it is when it happens.
pub static SEVERITIES: [Term; 4] = [
    term("low", "cosmetic, rare, or of tests only", &["minor"]),
    term("medium", "a part misbehaves; work goes on", &["moderate"]),
    term("high", "a main function fails in common use", &["major"]),
    term("critical", "crash of the whole, loss of data, a serious hole", &["blocker"]),
];

/// The names of terms, in their order.
pub fn names(terms: &'static [Term]) -> Vec<&'static str> {
    terms.iter().map(|term| term.name).collect()
}

/// What kind of fault a tag is about, and so each of its findings; `None` is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kind {
    /// The name of one of [`CATEGORIES`].
    pub category: Option<&'static str>,
    /// The name of one of [`IMPACTS`].
    pub impact: Option<&'static str>,
    /// The name of one of [`SEVERITIES`].
    pub severity: Option<&'static str>,
}

impl Kind {
    /// Fills in what nobody says: the severity from a security severity (0.1 to 10.0), the rest from the category. A kind
    /// without a category stays without what would follow from it.
    pub fn completed(mut self, security: Option<f32>) -> Self {
        let usual = self.category.and_then(usual);
        self.impact = self.impact.or(usual.map(|(impact, _)| impact));
        self.severity = self.severity.or(security.map(rated)).or(usual.map(|(_, severity)| severity));
        self
    }

    /// What is known, by the name of its axis.
    pub fn known(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let axes = [("category", self.category), ("impact", self.impact), ("severity", self.severity)];
        axes.into_iter().filter_map(|(axis, name)| Some((axis, name?)))
    }
}

/// Impact and severity that faults of a category have where a tag says nothing else.
fn usual(category: &str) -> Option<(&'static str, &'static str)> {
    Some(match category {
        "structural" => ("functional-suitability", "high"),
        "requirements" | "data" | "coding" | "interface" => ("functional-suitability", "medium"),
        "memory" | "concurrency" => ("reliability", "high"),
        "security" => ("security", "high"),
        // Testability is a part of maintainability (ISO/IEC 25010), and faults of tests alone are low (listing 3).
        "test" => ("maintainability", "low"),
        _ => return None,
    })
}

/// The qualitative rating of a CVSS score (version 3.1, section 5).
fn rated(score: f32) -> &'static str {
    match score {
        score if score >= 9.0 => "critical",
        score if score >= 7.0 => "high",
        score if score >= 4.0 => "medium",
        _ => "low",
    }
}

/// The term that is meant, whatever its case and the signs between its words; `bugs` at its end is passed over.
pub fn find(terms: &'static [Term], name: &str) -> Option<&'static Term> {
    let name = letters(name);
    let name = name.strip_suffix("bugs").or_else(|| name.strip_suffix("bug")).unwrap_or(&name);
    let is = |known: &str| letters(known) == name;
    terms.iter().find(|term| is(term.name) || term.aliases.iter().any(|alias| is(alias)))
}

fn letters(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_the_paper_are_found() {
        for (name, found) in [
            ("Security", "security"),
            ("Test and Test Design Bugs", "test"),
            ("Requirements, Features, and Functionality Bugs", "requirements"),
            ("Requirements-Features-Functionality", "requirements"),
            ("Interface, Integration, and System Bugs", "interface"),
            ("Memory-related Bugs", "memory"),
            ("CONCURRENT BUGS", "concurrency"),
        ] {
            assert_eq!(find(&CATEGORIES, name).map(|term| term.name), Some(found), "{name}");
        }
        assert_eq!(find(&SEVERITIES, "Critical").map(|term| term.name), Some("critical"));
        assert_eq!(find(&IMPACTS, "Functional Suitability").map(|term| term.name), Some("functional-suitability"));
        assert!(find(&IMPACTS, "beauty").is_none());
    }

    #[test]
    fn every_category_has_a_usual_impact_and_severity() {
        for term in &CATEGORIES {
            let (impact, severity) = usual(term.name).expect("each has");
            assert!(names(&IMPACTS).contains(&impact) && names(&SEVERITIES).contains(&severity), "{}", term.name);
        }
    }

    #[test]
    fn what_is_said_stands_and_the_rest_follows() {
        let kind = |texts: [&'static str; 3]| {
            let [category, impact, severity] = texts.map(|text| (!text.is_empty()).then_some(text));
            Kind { category, impact, severity }
        };
        for (said, security, full) in [
            (["memory", "", ""], None, ["memory", "reliability", "high"]),
            (["memory", "security", "low"], Some(9.8), ["memory", "security", "low"]),
            (["security", "", ""], Some(9.0), ["security", "security", "critical"]),
            (["security", "", ""], Some(8.9), ["security", "security", "high"]),
            (["security", "", ""], Some(4.0), ["security", "security", "medium"]),
            (["coding", "", ""], Some(0.1), ["coding", "functional-suitability", "low"]),
            (["", "", ""], None, ["", "", ""]),
            (["", "", "low"], None, ["", "", "low"]),
        ] {
            assert_eq!(kind(said).completed(security), kind(full), "{said:?}");
        }
    }

    #[test]
    fn no_name_means_two_terms() {
        for terms in [&CATEGORIES[..], &IMPACTS, &SEVERITIES] {
            let names = terms.iter().flat_map(|term| term.aliases.iter().copied().chain([term.name]));
            let mut names: Vec<String> = names.map(letters).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
