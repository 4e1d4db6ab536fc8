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
fn few_words_pass_where_they_name_a_fault() {
    for body in [
        "Off by one.",
        "Off-by-one!",
        "Leaks here.",
        "Deadlock?",
        "NPE?",
        "Missing await.",
        "Unused variable.",
        "Wrong index.",
        "Never closed.",
        "No null check.",
        "Not thread-safe.",
        "Should be <=.",
        "Shouldn't this be >=?",
        "Use `Arc` instead",
        "`total` overflows",
        "i <= n?",
        "== vs ===",
        "Optional.get() without isPresent?",
        "Optional fields are never validated",
        "Minor versions break this parser",
        "Nit: this leaks the file handle",
        "nit: off by one",
        "Minor: race between close() and read()",
        "Minor: the lock is never released on error",
        "nitpick, `name` is null here when the header lacks",
        "Optional: this loops forever on blank input",
        "这里可能会空指针",
        "空指针?",
        "这个循环少算了最后一个元素。",
        "应该在 finally 里关闭文件",
        "この変数は使われていません",
        "ここでリークします",
        "널 체크가 빠졌습니다",
        "`close` 没有被调用",
        "Works, but racy?",
        "Works, but leaks.",
        "Fine, except the deadlock",
        "Does the fix leak?",
        "Unlock before return",
        "Please close the socket",
        "Don't cache tokens",
        "Sort first.",
        "Add a timeout",
        "修复代码",
        "请修复代码",
        "这个没问题？",
    ] {
        assert_eq!(poor(body), None, "{body}");
    }
    for (body, why) in [
        ("Why?", "too-short"),
        ("Should we?", "too-short"),
        ("Typo.", "too-short"),
        ("`foo`", "too-short"),
        ("Typo fixed.", "too-short"),
        ("Fixed the leak.", "too-short"),
        ("No bugs found", "too-short"),
        ("No leaks anymore.", "too-short"),
        ("Never mind.", "too-short"),
        ("Good catch, typo", "too-short"),
        ("Added `foo`.", "too-short"),
        ("Perfect `foo`!", "too-short"),
        ("Clean `map` chain", "too-short"),
        ("Same bug here", "too-short"),
        ("为什么", "too-short"),
        ("なぜ?", "too-short"),
        ("LGTM", "praise"),
        ("Thanks!", "praise"),
        ("Great use of `Cow`!", "praise"),
        ("I really like `parse_all` here", "praise"),
        ("看起来不错", "praise"),
        ("写得很好，谢谢！", "praise"),
        ("没问题", "praise"),
        ("ありがとうございます", "praise"),
        ("いいですね！", "praise"),
        ("감사합니다", "praise"),
        ("很棒的实现", "praise"),
        ("好的，我改一下", "praise"),
        ("素晴らしい実装ですね", "praise"),
        ("수고하셨습니다", "praise"),
        ("很好的代码", "praise"),
        ("代码写得很清晰", "praise"),
        ("已修复", "praise"),
        ("좋은 코드네요", "praise"),
        ("修复", "too-short"),
        ("实现", "too-short"),
        ("真的？", "too-short"),
        ("実装", "too-short"),
        ("코드", "too-short"),
        ("Remove this.", "too-short"),
        ("Close it please", "too-short"),
        ("Add them here", "too-short"),
        ("Sort lists, thanks", "too-short"),
        ("Leaked, but fixed.", "too-short"),
        ("Works?", "too-short"),
        ("Leak gone", "too-short"),
        ("Will fix leak", "too-short"),
        ("nit: typo", "nitpick"),
        ("nit: missing newline", "nitpick"),
        ("Nit: rename `leak` to `lost`", "nitpick"),
        ("nit: call it leaks, not leaked", "nitpick"),
        ("nit: unused import", "nitpick"),
        ("nit: the comment says it leaks", "nitpick"),
        ("Minor: sort these", "nitpick"),
        ("Minor wording: say it in fewer words", "nitpick"),
        ("Minor readability/consistency issue: prefer the diamond", "nitpick"),
        ("minor nit, one blank less", "nitpick"),
        ("Optional - a set reads better", "nitpick"),
        ("Optional: use a constant", "nitpick"),
        ("(nit) this reads badly to me", "nitpick"),
    ] {
        assert_eq!(poor(body), Some(why), "{body}");
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
