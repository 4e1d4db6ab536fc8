//! What words alone can say against a comment. A model may look at what passes, and nobody at what does not: a comment is
//! left out only where every part of it says nothing, and whatever hints at a matter keeps it.

use std::sync::LazyLock;

use regex::Regex;

/// Fewest words of a comment that can say what is wrong and what to do.
const FEWEST_WORDS: usize = 4;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is written here and tested")
}

/// Any of these, in capitals or not.
fn any(patterns: &[&str]) -> Regex {
    regex(&format!("(?i)(?:{})", patterns.join("|")))
}

/// Titles of changes that try something out and are no more than that.
static TRIAL: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^\W*(?:(?:(?:wip|draft|just|an?|my)\b\W*)*",
        r"(?:test|testing|trial|try|trying|experiment|playground|sandbox|ignore|dummy|dnm)\b",
        r"[^a-z]*(?:out|run)?[^a-z]*(?:pr|pull request|commit|ci)?\W*$",
        r"|(?:do not|don't) (?:merge|review|land)\s*(?:[\])}:,-].*)?$)"
    ))
});
static NIT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)^\W*(nit(pick)?s?|minor|super minor|optional)\b"));
static LINK: LazyLock<Regex> = LazyLock::new(|| regex(r"https?://\S+"));
/// A whole comment of nothing but thanks and yes.
static SHORT_PRAISE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^\W*(lgtm|looks good( to me)?|nice( one| catch| work)?|great( work)?|thanks?( you)?|done|fixed|ack|same( here| as above)?|ditto|\+1|\W)+\W*$",
    )
});
/// Words of praise, of which every part of a comment has some that is left out as praise. An adjective counts before what
/// people praise and at the end: "a good place for a constant" is none.
static PRAISE: LazyLock<Regex> = LazyLock::new(|| {
    let adjective = concat!(
        r"\b(?:nice|great|good|awesome|excellent|amazing|brilliant|fantastic|wonderful|beautiful|perfect|neat|cool|clever",
        r"|elegant|impressive|lovely)"
    );
    let noun = concat!(
        r"(?:work|job|catch|find|idea|call|stuff|thinking|one|change|addition|improvement|simplification|refactor(?:ing)?",
        r"|clean-?up|solution|approach|use|handling|tests?|fix|pr|touch|piece|to see)\b"
    );
    any(&[
        &format!(r"(?:\bwhat an? )?{adjective}(?: \w+)? {noun}"),
        &format!(r"{adjective}(?: now| here| indeed| to me| so far| overall)?\W*$"),
        r"\b(?:thanks|thank you|thx|kudos|congrats|lgtm|looks good|makes (?:perfect |total )?sense)\b",
        r"\bwell (?:done|written|put|tested|structured|thought out)\b",
        r"\b(?:i|we) (?:really |also |do |just |absolutely )*(?:like|love|appreciate|enjoy(?:ed)?)\b",
        r"\blove (?:it|this|that|how|the)\b",
        r"\beasier to (?:read|follow|understand|maintain)\b",
        r"\b(?:keep (?:it|this) up|as always|exactly what (?:i|we) had in mind)\b",
        r"\b(?:so much|much|so|way|a lot) (?:cleaner|nicer|simpler|better|easier|clearer|more readable)\b",
    ])
});
/// What says that something is to be done, or is wrong.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(should|could|must|need|needs|please|instead|rather|missing|wrong|incorrect|fail|fails|leak|consider|suggest|rename|remove|add|use|replace|avoid|extract|move|make|handle|return)\b",
    )
});
/// What hints at a matter without an order, as a question does that means one: "could this be null?", "why not a set?"
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)`|\w['’]t\b|\b(?:not|never|no|none|nil|null|nan|undefined|without|cannot|would|might|may|if|unless|except|but|however",
        r"|though|although|otherwise|else|still|yet|already|only|too|why not|reason|did you mean|what happens|intended|intentional",
        r"|intentionally|on purpose|expected|correct|necessary|required|safe|unsafe|bugs?|errors?|exceptions?|throws?|panics?|crash\w*",
        r"|races?|deadlocks?|leaks|break\w*|broken|negative|overflow\w*|underflow\w*|unused|dead|stale|twice|duplicat\w*|redundant",
        r"|same|when|whenever|once|typo\w*|slow\w*|faster|better|simpler|cheaper|easier|clearer|other|prefer|previous|before|old|problems?|issues?",
        r"|concerns?|edge|off[- ]by[- ]one|todo|to have|document\w*|docs?|docstrings?|comments?|readme|tests?|tested|logs?|logged)\b"
    ))
});
/// How people ask to have something explained, rather than changed.
static EXPLAIN: LazyLock<Regex> = LazyLock::new(|| {
    let you = r"(?:you|someone|somebody|anyone|we) (?:please |maybe |kindly |perhaps |also |just |quickly )*";
    let verb = r"(?:explain|clarify|elaborate|describe|tell|remind|enlighten|walk (?:me|us)|help (?:me|us) understand)";
    any(&[
        &format!(r"\b(?:could|can|would|will) {you}{verb}\b"),
        r"\bwould you mind (?:explaining|telling|clarifying|elaborating|describing)\b",
        r"\b(?:please|pls|kindly) (?:explain|clarify|elaborate|tell)\b",
        r"\b(?:do|would) you (?:happen to )?know\b",
        r"\b(?:i(?:['’]m| am) )?(?:just |only )?(?:curious|wondering)\b",
        r"\bi (?:do not|don['’]t) (?:quite |fully |really )?understand\b",
    ])
});
/// Questions about what is there, which its author answers and nothing changes. Any other may mean an issue, as "who closes
/// this?" does.
static INQUIRY: LazyLock<Regex> = LazyLock::new(|| {
    let be = r"(?: (?:is|are|was|were|does|do|did)|['’]s)";
    any(&[
        &format!(r"\bwhat{be} (?:[^?]* )?(?:do|does|doing|mean|means|represent|refer to)\b"),
        &format!(r"\bwhat{be} (?:[^?]* )?(?:purpose|motivation|rationale|context|background|idea|goal)\b"),
        &format!(r"\bwhat{be} (?:[^?]* )?(?:for|about)\W*$"),
        &format!(r"\bwhat{be} (?:this|that|it|these|those)\W*$"),
        &format!(r"\bwhere{be} [^?]*\b(?:come from|used|defined|called|configured)\b"),
        &format!(r"\bhow{be} [^?]*\b(?:works?|used|called|filled|computed|calculated|interact|relate|fit)\b"),
        r"\bwho (?:calls|uses|wrote|maintains|owns)\b",
        r"\bwhich (?:version|ticket|task|team|project|service)\b",
    ])
});
/// A sentence beside a question that says nothing itself.
static POLITE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^\W*(?:thanks?(?: you| a lot| in advance)?|sorry|hi|hello|hey|(?:just )?(?:curious|wondering)|just asking",
        r"|for my (?:own )?understanding|i(?:['’]m| am) (?:new|not (?:very |too |so |that )?familiar)",
        r"(?: (?:here|yet)| (?:to|with|in)(?: \w+){1,4})?)\W*$"
    ))
});
/// Where a sentence ends, so that `a.b()` is one word of it.
static END: LazyLock<Regex> = LazyLock::new(|| regex(r"[.!?…]+\s+|\n+"));
/// Where a part of a sentence ends.
static CLAUSE: LazyLock<Regex> = LazyLock::new(|| regex(r"[.!?…]+(?:\s+|$)|[\n,;:()–—]+|\s-+\s|\b(?i:and)\b"));

/// Whether a change of this title only tries something out.
pub(super) fn is_trial(title: &str) -> bool {
    TRIAL.is_match(title)
}

/// What rules have against a comment: `nitpick`, `link`, `praise`, `too-short` or `question`, which asks for an explanation.
pub fn poor(body: &str) -> Option<&'static str> {
    // What is quoted is somebody else's, and a block of code is no sentence.
    let own: Vec<&str> = body.split("```").step_by(2).flat_map(str::lines).collect();
    let own: Vec<&str> = own.into_iter().filter(|line| !line.trim_start().starts_with('>')).collect();
    let own = own.join("\n");
    let own = own.trim();
    if NIT.is_match(own) {
        return Some("nitpick");
    }
    if LINK.is_match(own) {
        return Some("link");
    }
    if is_praise(own) {
        return Some("praise");
    }
    if own.split_whitespace().count() < FEWEST_WORDS {
        return Some("too-short");
    }
    is_mere_question(own).then_some("question")
}

fn hints(text: &str) -> bool {
    ORDER.is_match(text) || HINT.is_match(text)
}

/// Whether every part of a comment praises, and none hints at anything beside.
fn is_praise(text: &str) -> bool {
    if SHORT_PRAISE.is_match(text) {
        return true;
    }
    let mut clauses = CLAUSE.split(text).filter(|clause| clause.contains(char::is_alphanumeric)).peekable();
    // "Much better" and "nice tests" are no hints.
    let praises = |clause: &str| PRAISE.is_match(clause) && !hints(&PRAISE.replace_all(clause, " "));
    clauses.peek().is_some() && !text.contains('?') && clauses.all(praises)
}

/// Whether all sentences of a comment ask to be told what is there, and none hints at what is wrong or to be done.
fn is_mere_question(text: &str) -> bool {
    let mut asks = false;
    let mut from = 0;
    let ends = END.find_iter(text).map(|end| end.end()).chain([text.len()]);
    let sentences = ends.map(|end| text.get(std::mem::replace(&mut from, end)..end).unwrap_or_default().trim());
    for sentence in sentences.filter(|sentence| !sentence.is_empty()) {
        if POLITE.is_match(sentence) {
            continue;
        }
        let rest = EXPLAIN.replace_all(sentence, " ");
        let is_question = sentence.trim_end_matches(['!', '…', '.', ')']).ends_with('?');
        let asks_to_know = rest != sentence || is_question && INQUIRY.is_match(sentence);
        if !asks_to_know || hints(&rest) {
            return false;
        }
        asks = true;
    }
    asks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_tell_what_teaches_nothing() {
        for (body, why) in [
            ("nit: rename this variable to `count`", Some("nitpick")),
            ("See https://example.com/guide for how we do this here", Some("link")),
            ("LGTM, thanks!", Some("praise")),
            ("Why this?", Some("too-short")),
            ("What does this function do again?", Some("question")),
            ("What does it do again? It should return early.", None),
            ("Could you handle the empty list here?", None),
            ("This leaks the file handle when the read throws.", None),
            ("> nit: old words of somebody\nThis must be closed in a finally block.", None),
            ("```suggestion\nx = 1\n```", Some("too-short")),
        ] {
            assert_eq!(poor(body), why, "{body}");
        }
    }

    #[test]
    fn praise_of_any_length_is_praise_and_nothing_else_is() {
        for body in [
            "Nice catch, this is really good work and I love how it turned out in the end",
            "Great work! Thanks a lot for the quick turnaround on this one.",
            "I really like how this turned out.\nVery elegant solution!",
            "What a clever use of generators, this makes the module so much easier to read",
            "Awesome, thank you for taking the time to write such nice tests",
            "This looks great to me",
            "Nice catch, this is really good work and the refactoring makes everything easier to follow",
            "You did a fantastic job on this module, keep it up!",
        ] {
            assert_eq!(poor(body), Some("praise"), "{body}");
        }
        for body in [
            "Nice catch, but the handle leaks when the read throws",
            "Great, this drops the last item of the list",
            "This is a good place for a constant of its own",
            "Nice work! The loop runs for ever on blank input.",
            "Thanks, and the lock is held during the request",
            "I like the other approach better because it locks once",
            "Nice to have: a log line with the number of items",
            "Good idea to cache it, however the key lacks the tenant",
            "Looks good, `total` overflows for large lists",
            "Nice use of generators, is the order kept?",
            "The state after this is perfect garbage for every reader",
        ] {
            assert_eq!(poor(body), None, "{body}");
        }
    }

    #[test]
    fn who_asks_for_an_explanation_names_no_issue() {
        for body in [
            "Could you tell me what this does and where the values come from…?",
            "Can someone please explain how the cache is filled in this case?",
            "Would you mind explaining what the second argument is for?",
            "Sorry, I don't understand what the loop does. What is it for? Thanks!",
            "Just curious, where does this number come from?",
            "Please explain what this block does.",
            "I'm new to this module. What does `x` stand for?".replace('`', "").as_str(),
            "Do you know who calls this in production?",
            "Can you explain the rationale behind this change?",
            "What is the purpose of this variable? Where is it used?",
            "How does this work with the new scheduler in the background service?",
            "What does a.b() do in this place?",
        ] {
            assert_eq!(poor(body), Some("question"), "{body}");
        }
    }

    #[test]
    fn questions_that_mean_an_issue_pass() {
        for body in [
            "Could this be null?",
            "Can this be null here?",
            "Is this thread safe at all?",
            "Isn't this off by one?",
            "Why not a set here?",
            "Would a set be faster here?",
            "What if the list has no items?",
            "What happens when the list is empty here?",
            "Did you mean the other list?",
            "Is there a reason this is public?",
            "Is it intentional that the lock stays open?",
            "Do we close the socket when it throws?",
            "Could you explain why this is not a constant?",
            "Could you explain in a comment what this does?",
            "Can you tell me what happens when two threads call this?",
            "Could you move this into the helper?",
            "Does this already exist in the utilities?",
            "Are we sure this is called once?",
            "Wait, who closes this file?",
            "How about a constant for this?",
            "What about time zones here?",
            "Does this work on Windows?",
            "Are these guaranteed to be sorted?",
            "Where does the lock get released?",
            "Why is this public to all?",
            "What is the time complexity of this for n items?",
            "What do we do when the server is offline?",
            "I'm not familiar with this but it keeps the socket open. What is it for?",
        ] {
            assert_eq!(poor(body), None, "{body}");
        }
    }

    #[test]
    fn titles_of_trials() {
        for title in [
            "test PR",
            "[DO NOT MERGE]",
            "[Do not merge] build everything",
            "WIP: trial",
            "wip - just testing",
            "Draft: experiment",
            "Trying out CI",
        ] {
            assert!(is_trial(title), "{title}");
        }
        for title in [
            "test: cover the parser",
            "Test the parser's end",
            "WIP: add the parser",
            "Do not merge branches without a review",
            "Ignore blank lines",
            "Try the next mirror",
            "Trial periods end at midnight",
        ] {
            assert!(!is_trial(title), "{title}");
        }
    }
}
