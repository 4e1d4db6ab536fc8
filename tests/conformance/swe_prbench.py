#!/usr/bin/env python3
"""Scores of SWE-PRBench under `--compat v0.4.1`, against the scorer that its authors released.

    python3 tests/conformance/swe_prbench.py BINARY HARNESS [ROUNDS]

HARNESS is a clone of the benchmark's evaluation harness (pipeline v0.4.1); numpy has to be there, embeddings need not:
both sides get the same drawn similarities. Every term, every label and the score of ROUNDS drawn reviews are compared to
1e-9, and so is the weighted mean over all of them.
"""
import json
import math
import random
import subprocess
import sys

LABELS = ["CONFIRMED", "PLAUSIBLE", "FABRICATED"]
FILES = ["a.py", "b.py", None]
TERMS = {
    "recall": "recall",
    "precision": "precision",
    "semantic_alignment": "semantic_alignment",
    "actionability": "actionability_score",
    "efficiency": "efficiency",
    "hallucination": "hallucination_rate",
    "redundancy": "redundancy_penalty",
    "plausible_penalty": "plausible_penalty",
}


def drawn(random_):
    """A review as `eval score --input` takes it."""
    agents, humans = random_.randint(0, 6), random_.randint(1, 6)

    def place():
        return {"file": random_.choice(FILES), "line": random_.choice([None, random_.randint(1, 60)])}

    comments = []
    for number in range(agents):
        label = random_.choice(LABELS)
        matched = f"h{random_.randint(0, humans)}" if label == "CONFIRMED" and random_.random() < 0.9 else None
        comments.append(
            {"id": f"a{number}", "label": label, "matched": matched, "action": random_.randint(1, 5), **place()}
        )
    people = [{"id": f"h{number}", **place()} for number in range(humans)]

    def alike():
        return round(random_.choice([random_.uniform(-0.2, 0.35), random_.random()]), 6)

    pairs = {f"{a['id']}|{h['id']}": alike() for a in comments for h in people if random_.random() < 0.8}
    same = {
        f"a{one}|a{other}": alike() for one in range(agents) for other in range(one + 1, agents) if random_.random() < 0.7
    }
    fallback = random_.random() < 0.1
    if fallback:  # What a judge that could not be read leaves: nothing is confirmed by it.
        for comment in comments:
            comment.update(label="PLAUSIBLE", matched=None, action=3)
    return {
        "agent_comments": comments,
        "human_comments": people,
        "pair_similarity": pairs,
        "agent_similarity": same,
        "agent_parse_ok": random_.random() < 0.95,
        "judge_fallback": fallback,
    }


def ours(binary, review):
    command = [binary, "eval", "score", "--protocol", "swe-prbench", "--compat", "v0.4.1", "--input", "-"]
    ran = subprocess.run(command, input=json.dumps(review), capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"exit {ran.returncode}: {ran.stderr}")
    return json.loads(ran.stdout)


def theirs(review):
    from eval_harness import matching, schema, scorer
    from eval_harness.assembler import compute_overall_score

    pairs, same = review["pair_similarity"], review["agent_similarity"]
    matching._build_pair_similarity = lambda agents, humans: {
        (a, h): pairs.get(f"{a}|{h}", 0.0) for a in agents for h in humans
    }
    # Bodies are the ids, so that the two comments of a question can be told.
    matching._embed_agent_comments = lambda comments: [None] * len(comments)
    matching._comment_similarity = lambda one, other, *_: same.get(f"{one}|{other}", same.get(f"{other}|{one}", 0.0))
    comments = [
        schema.AgentComment(one["id"], one["id"], one["file"], one["line"], None, False)
        for one in review["agent_comments"]
    ]
    people = [
        {"comment_id": one["id"], "body": one["id"], "file": one["file"], "line": one["line"]}
        for one in review["human_comments"]
    ]
    given = schema.EvalInput("t", 1, "r", "config_A", "", 0, "v0.4.1", "Type1_Direct", "", "", "", people, False)
    output = schema.AgentOutput("t", "config_A", "m", "", comments, review["agent_parse_ok"], None)
    decisions = [
        schema.JudgeClassification(one["id"], one["label"], one["matched"], one["action"], None)
        for one in review["agent_comments"]
    ]
    version = "v+fallback" if review["judge_fallback"] else "v"
    judge = schema.JudgeOutput("t", "config_A", decisions, [], "j", version)
    scores = scorer.compute_dimension_scores(given, output, judge)
    if not comments or not review["agent_parse_ok"]:
        return scores, None, 0.0
    view = matching.normalize_judge_alignment(given, output, judge)
    return scores, view, compute_overall_score(scores)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    binary, harness = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) == 4 else 500
    sys.path.insert(0, harness)
    # The scorer reports each duplicate on standard output.
    import eval_harness.logging_utils as logging_utils
    import eval_harness.matching as matching
    import eval_harness.scorer as scorer

    class Quiet:
        def __getattr__(self, _):
            return lambda *_, **__: None

    scorer.get_logger = matching.get_logger = logging_utils.get_logger = lambda *_: Quiet()
    random_ = random.Random(2603)
    faults, changes = [], []
    for number in range(rounds):
        review = drawn(random_)
        mine = ours(binary, review)
        scores, view, overall = theirs(review)
        changes.append((overall, len(review["human_comments"])))
        compared = {"overall": (mine["overall"], overall)}
        if view is not None:
            compared |= {name: (mine[name], scores[other]) for name, other in TERMS.items()}
            for name in ("confirmed", "plausible", "fabricated"):
                compared[name] = (mine["counts"][name], scores[f"{name}_count"])
            compared["labels"] = (mine["labels"], view.agent_classification_by_id)
            compared["status"] = (mine["human_status"], view.human_status_by_id)
            compared["pairs"] = ([pair[:2] for pair in mine["pairs"]], [list(pair[:2]) for pair in view.confirmed_pairs])
        for name, (one, other) in compared.items():
            is_same = math.isclose(one, other, abs_tol=1e-9) if isinstance(one, float) else one == other
            if not is_same:
                faults.append((number, name, one, other, review))
    for number, name, one, other, review in faults[:5]:
        print(f"round {number}: {name} is {one}, theirs {other}: {json.dumps(review)}", file=sys.stderr)
    print(f"{rounds} reviews, {len(faults)} differences from the released scorer")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
