//! CR-Bench's three tags of a bug (section 4, Table 2; appendix A, listing 3). Text and prompt of the paper differ: the
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

/// What kind of fault it is.
pub static CATEGORIES: [Term; 9] = [
    term(
        "Requirements-Features-Functionality",
        "the code does what was asked wrongly understood, or a feature is missing, wrong or too much",
        &["requirements", "features", "functionality", "requirements features and functionality", "requirements, features, and functionality bugs"],
    ),
    term(
        "Structural",
        "control flow, order, conditions, arithmetic, initial values, flow of data through variables",
        &["logic", "control flow", "structural bugs"],
    ),
    term("Data", "the form, type, content or constants of data, or what a value is taken for", &["data bugs"]),
    term("Coding", "slips of writing: wrong name, wrong call, misleading comment, dead line", &["coding bugs"]),
    term(
        "Interface-Integration-System",
        "modules, services, devices or the system are used other than they want to be",
        &["interface", "integration", "system", "interface integration and system", "interface, integration, and system bugs"],
    ),
    term("Test-and-test-design", "a test is wrong, or does not test what it says", &["test", "testing", "test and test design bugs"]),
    term(
        "Memory",
        "memory is leaked, freed twice, read before it is set or past its end",
        &["memory-related bugs", "memory related", "memory bugs"],
    ),
    term(
        "Concurrency",
        "races, broken atomicity, deadlock between threads or processes",
        &["concurrent", "concurrent bugs", "concurrency bugs"],
    ),
    term("Security", "somebody can do, read or run what he must not", &["security bugs", "vulnerability"]),
];

/// Which characteristic of ISO/IEC 25010 suffers.
pub static IMPACTS: [Term; 8] = [
    term("Functional Suitability", "results are wrong or missing", &["functionality", "functional"]),
    term("Performance Efficiency", "time, memory or other means are wasted", &["performance", "efficiency"]),
    term("Compatibility", "it does not work together with others", &["interoperability"]),
    term("Usability", "people are misled or hindered", &[]),
    term("Reliability", "it crashes, hangs, loses its state or does not recover", &["stability"]),
    term("Security", "data or rights are exposed", &[]),
    term("Maintainability", "it is harder to understand, test or change", &[]),
    term("Portability", "it does not install or run elsewhere", &[]),
];

/// How bad it is when it happens.
pub static SEVERITIES: [Term; 4] = [
    term("low", "cosmetic, rare, or of tests only", &["minor"]),
    term("medium", "a part misbehaves; work goes on", &["moderate"]),
    term("high", "a main function fails in common use", &["major"]),
    term("critical", "crash of the whole, loss of data, a serious hole", &["blocker"]),
];

/// The term that is meant, whatever its case and the signs between its words.
pub fn find(terms: &'static [Term], name: &str) -> Option<&'static Term> {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let name = letters(name);
    let is = |known: &str| letters(known) == name;
    terms.iter().find(|term| is(term.name) || term.aliases.iter().any(|alias| is(alias)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_the_paper_are_found() {
        for (name, found) in [
            ("Security", "Security"),
            ("Test and Test Design Bugs", "Test-and-test-design"),
            ("Requirements, Features, and Functionality", "Requirements-Features-Functionality"),
            ("Interface, Integration, and System Bugs", "Interface-Integration-System"),
            ("Memory-related Bugs", "Memory"),
            ("CONCURRENT BUGS", "Concurrency"),
        ] {
            assert_eq!(find(&CATEGORIES, name).map(|term| term.name), Some(found));
        }
        assert_eq!(find(&SEVERITIES, "Critical").map(|term| term.name), Some("critical"));
        assert_eq!(find(&IMPACTS, "functional-suitability").map(|term| term.name), Some("Functional Suitability"));
        assert!(find(&IMPACTS, "beauty").is_none());
    }

    #[test]
    fn no_name_means_two_terms() {
        for terms in [&CATEGORIES[..], &IMPACTS, &SEVERITIES] {
            let names = terms.iter().flat_map(|term| term.aliases.iter().copied().chain([term.name]));
            let mut letters: Vec<String> = names
                .map(|name| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase())
                .collect();
            let count = letters.len();
            letters.sort();
            letters.dedup();
            assert_eq!(letters.len(), count);
        }
    }
}
