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
/// `minor` and `optional` are also words of a sentence about versions and fields, and `Optional` is a type.
static NIT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^\W*(?:nit(?:pick)?s?\b|(?:super |very )?(?:minor|optional)",
        r"(?: (?:nit\w*|thing|suggestion|point|style|comment|change|detail|naming|typo|improvement|remark|cleanup)\b",
        r"|(?:[ /][\w/-]+){0,4}\s*:|\s*[;,)\]*!]|\s*[-–—](?:\s|$)|\.?(?:\s*$|\s*\n)))"
    ))
});
/// What a comment calls wrong in the names of faults, which no prefix makes a nit and no brevity empty.
static GRAVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:leak(?:s|ed|ing)?|off[- ]by[- ]one|rac(?:es|y)|race (?:conditions?|between|on|with)|deadlocks?|(?:over|under)flow(?:s|ed|ing)?",
        r"|crash(?:es|ed|ing)?|panics|throws (?:when|if|on|for|here)|npe|null deref\w*|null pointer|(?:is|be|are|returns?) (?:null|nil|none|nan|undefined)",
        r"|out[- ]of[- ]bounds?|use[- ]after[- ]free|double[- ]free|dangling|uninitiali[sz]ed|infinite (?:loop|recursion)",
        r"|(?:runs?|loops?) for ?ever|corrupts?|corrupted|corruption|(?:not|isn['’]t) thread[- ]?safe|data loss|injection|xss|csrf|ssrf",
        r"|(?:divi\w+) by zero|never (?:closed|released|freed|called|checked|unlocked|reached|awaited|true|false)",
        r"|wrong (?:result|value|order|index|type|sign|key|branch|variable|unit|way|way round|condition)|swallow(?:s|ed)?)\b|空指针|泄[漏露]|死锁|溢出|越界|竞态|崩溃|リーク|デッドロック|オーバーフロー|누수|교착"
    ))
});
/// What more names a fault where there are but few words.
static SLIGHT: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:missing|unused|unreachable|uncheck\w*|unhandled|unsafe|duplicated?|wrong|incorrect|broken|bugs?|dead code|stale",
        r"|without|null|nil|nan|throws|exceptions?|inverted|reversed|swapped|hard-?coded|magic (?:number|string)s?|leftover|left over|shadow(?:s|ed|ing)?|mutates|typos?",
        r"|race|breaks|fails|blocks|not (?:closed|released|freed|checked|used|needed|awaited|null|empty|reached)",
        r"|(?:should|must)(?:n['’]t)? (?:be|not|have|return|use|throw|check|close))\b"
    ))
});
/// Where nits lie, whatever else they name.
static COSMETIC: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:renam\w*|call(?:ed)? (?:it|this)|typos?|spell\w*|wording|comments?|doc(?:s|string|umentation)?|whitespace|spac(?:e|es|ing)|indent\w*",
        r"|format\w*|new ?lines?|blank lines?|imports?|nam(?:e|es|ing)|style|capital\w*|messages?|texts?|sort(?:ed)?|alphabetical\w*)\b"
    ))
});
/// What says that there is nothing to do, or no more, or that it is elsewhere.
static SETTLED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:fixed|done|resolved|addressed|updated|reverted|agreed?|ok(?:ay)?|yes|yep|yeah|sorry|sure|will do|good|nice|great|cool|awesome",
        r"|perfect|neat|love|like|clean|clever|elegant|smart|beautiful|wow|fine|works|makes sense",
        r"|added|removed|renamed|moved|changed|replaced|lgtm|thanks?|thx|ty|same|ditto|see|cc|ping|ack|never ?mind|nvm|yay|gone|solved|will (?:fix|add|change)|no longer|anymore|without (?:a )?doubt",
        r"|(?:no|not an?|zero|without) (?:more )?(?:bugs?|issues?|leaks?|problems?|errors?|races?|crash\w*|typos?|exceptions?|concerns?))\b|👍|💯|🎉"
    ))
});
/// After these comes what is meant.
static BUT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\b(?:but|however|except|although)\b"));
/// An order that begins a comment, of what can be done to code.
static TO_DO: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^\W*(?:(?:please|pls|just|also|maybe|then|always|do not|don['’]t)\W+)*(?:(?:un)?lock|close|free|release|flush|await|join|check|validate|escape",
        r"|saniti[sz]e|encode|decode|handle|catch|return|throw|raise|use|add|remove|drop|delete|rename|move|extract|inline|replace|avoid",
        r"|initiali[sz]e|init|reset|clear|sort|cache|copy|clone|cast|assert|guard|limit|clamp|increment|decrement|split|wrap|set|store|reuse|simplify|invert|swap|mark|log)\b"
    ))
});
/// What an order is about without saying it.
static IT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:it|this|that|these|those|them|here|there|please|pls|now|later|again|too|out|up|all|one|and|the|an?|for|in|on|to|me|us|pr)\b",
    )
});
/// Code in a sentence: between back-ticks, a call, a comparison.
static CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"`[^`\s][^`]*`|\w\([^()\s]*\)|[<>=!]=|&&|\|\|"));
static SPAN: LazyLock<Regex> = LazyLock::new(|| regex(r"`[^`]*`"));
static LINK: LazyLock<Regex> = LazyLock::new(|| regex(r"https?://\S+"));
/// A whole comment of nothing but thanks and yes, as people say it in English, Chinese, Japanese and Korean. What only names
/// code, orders or strengthens stands beside such a word and is none itself: "修复代码" asks for a fix.
static SHORT_PRAISE: LazyLock<Regex> = LazyLock::new(|| {
    let praise = concat!(
        r"lgtm|looks good( to me)?|nice( one| catch| work)?|great( work)?|thanks?( you)?|done|fixed|ack|same( here| as above)?|ditto|\+1",
        r"|非常?感谢|谢谢你?|感谢|多谢|谢了|辛苦了?|写得|做得|不错|好的?|棒|赞|漂亮|优雅|清晰|没有?问题|收到|已经?(修复|修改|改|更新)|我(会|来)?(改|修)(一下)?|清楚|简洁|同意",
        r"|ありがとう(ございま(す|した))?|いいですね|良いですね|よさそう(です)?|良さそう(です)?|素晴らしい(です)?|問題(ない|ありません|なさそう)(です)?",
        r"|了解(です|しました)?|[分わ]かりました|承知しました|修正しました|対応しました|お疲れ様です",
        r"|감사(합니다|해요)|고맙습니다|고마워요|좋(습니다|아요|네요|은데요)|좋은|수고(하셨습니다|하셨어요)|고생하셨(습니다|어요)|네|알겠습니다|확인했습니다|수정했습니다",
    );
    let beside = r"看起来|看上去|我觉得|这个|很|非常|太|真|修复|实现|代码|的|了|啊|吧|実装|ですね?|とても|ね|코드|생각|이?네요|입니다|아주|정말|\W";
    regex(&format!("(?i)^(?:{beside})*(?:{praise})(?:{praise}|{beside})*$"))
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
    if NIT.is_match(own) && !is_grave(own) {
        return Some("nitpick");
    }
    if LINK.is_match(own) {
        return Some("link");
    }
    if is_praise(own) {
        return Some("praise");
    }
    if words(own) < FEWEST_WORDS && !names_fault(own) {
        return Some("too-short");
    }
    is_mere_question(own).then_some("question")
}

/// How many words a text has. Who writes Chinese or Japanese puts no blanks between words; each sign counts as one.
fn words(text: &str) -> usize {
    let is_sign = |c: &char| {
        matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
            || matches!(c, '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3134f}')
    };
    let of = |word: &str| {
        let signs = word.chars().filter(is_sign).count();
        let others = word.chars().any(|c| !is_sign(&c) && (signs == 0 || c.is_alphanumeric()));
        signs + usize::from(others)
    };
    text.split_whitespace().map(of).sum()
}

/// Whether what calls itself a nit names a fault of what the code does.
fn is_grave(text: &str) -> bool {
    let said = SPAN.replace_all(text, " ");
    GRAVE.is_match(&said) && !COSMETIC.is_match(&said) && !is_settled(&said)
}

/// Whether a few words say what is wrong or to be done: the name of a fault, words beside code, an order.
fn names_fault(text: &str) -> bool {
    let beside = CODE.replace_all(text, " ");
    if is_settled(&beside) {
        return false;
    }
    let speaks = beside.contains(char::is_alphabetic);
    let names = GRAVE.is_match(text) || words(text) > 1 && SLIGHT.is_match(&beside);
    names || speaks && CODE.is_match(text) || orders(text)
}

/// Whether a text says that nothing is left to do. Who asks does not know, and what follows a "but" counts.
fn is_settled(text: &str) -> bool {
    !text.contains(['?', '？']) && BUT.split(text).last().is_some_and(|end| SETTLED.is_match(end))
}

/// Whether a text orders something of code, and says of what.
fn orders(text: &str) -> bool {
    let rest = TO_DO.find(text).and_then(|order| text.get(order.end()..));
    rest.is_some_and(|rest| IT.replace_all(rest, " ").contains(char::is_alphabetic))
}

fn hints(text: &str) -> bool {
    ORDER.is_match(text) || HINT.is_match(text)
}

/// Whether every part of a comment praises, and none hints at anything beside.
fn is_praise(text: &str) -> bool {
    if text.contains(['?', '？']) {
        return false;
    }
    if SHORT_PRAISE.is_match(text) {
        return true;
    }
    let mut clauses = CLAUSE.split(text).filter(|clause| clause.contains(char::is_alphanumeric)).peekable();
    // "Much better" and "nice tests" are no hints, nor is a name that is praised.
    let praises =
        |clause: &str| PRAISE.is_match(clause) && !hints(&SPAN.replace_all(&PRAISE.replace_all(clause, " "), " "));
    clauses.peek().is_some() && clauses.all(praises)
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
mod tests;
