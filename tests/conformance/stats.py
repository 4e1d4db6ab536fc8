"""Statistics of `eval agreement`, `eval judge-study` and `eval compare` on random inputs, against SciPy and statsmodels.

  stats.py BINARY

Exact figures agree to nine places. Intervals of the bootstrap, whose draws differ, agree to a tenth of their width with
SciPy's percentile bootstrap.
"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

binary = os.path.realpath(sys.argv[1])
folder = tempfile.TemporaryDirectory()
compared = 0


def run(*args):
    done = subprocess.run([binary, "eval", *args, "--format", "json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def close(found, expected, what, tolerance=1e-9):
    global compared
    compared += 1
    if expected is None or not np.isfinite(expected):
        assert found is None, (what, found, expected)
    else:
        assert found is not None and abs(found - expected) <= tolerance, (what, found, expected)


def near(interval, low, high, what):
    for end, expected in [("low", low), ("high", high)]:
        close(interval[end], expected, what, 0.1 * (high - low) + 1e-6)


def drawn(cases, statistic):
    """SciPy's percentile interval over drawn places."""
    result = stats.bootstrap((np.arange(cases),), lambda at: statistic(at.astype(int)), n_resamples=4000, vectorized=False,
                             method="percentile", rng=np.random.default_rng(5))
    return result.confidence_interval


def write(name, header, rows):
    path = os.path.join(folder.name, name)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def labels(random_state, items, raters, names):
    truth = random_state.integers(0, len(names), items)
    rows = [[t if random_state.random() < 0.7 else random_state.integers(0, len(names)) for _ in range(raters)] for t in truth]
    table = np.array(rows)
    header = ["item", *(f"rater {at}" for at in range(raters))]
    found = run("agreement", write("labels.csv", header, [[at, *(names[cell] for cell in row)] for at, row in enumerate(table)]))
    for pair in found["all"]["pairs"]:
        a, b = (table[:, header.index(pair[who]) - 1] for who in "ab")
        counts = np.zeros((len(names), len(names)))
        np.add.at(counts, (a, b), 1)
        close(pair["kappa"], cohens_kappa(counts).kappa, "Cohen's kappa")
        close(pair["agreement"], (a == b).mean(), "agreement")
        low, high = proportion_confint((a == b).sum(), items, method="wilson")
        close(pair["agreement_interval"]["low"], low, "Wilson")
        close(pair["agreement_interval"]["high"], high, "Wilson")
    close(found["all"]["fleiss"]["kappa"], fleiss_kappa(aggregate_raters(table)[0]), "Fleiss' kappa")
    interval = drawn(items, lambda at: fleiss_kappa(aggregate_raters(table[at])[0]))
    near(found["all"]["fleiss"]["spread"]["interval"], interval.low, interval.high, "drawn Fleiss")


def icc(table, level):
    """Mean squares by least squares; Shrout and Fleiss 1979 for the rest."""
    n, k = table.shape
    rows = pd.DataFrame([(i, r, table[i, r]) for i in range(n) for r in range(k)], columns=["i", "r", "v"])
    squares = anova_lm(ols("v ~ C(i) + C(r)", rows).fit())["sum_sq"] / anova_lm(ols("v ~ C(i) + C(r)", rows).fit())["df"]
    bms, jms, ems = squares["C(i)"], squares["C(r)"], squares["Residual"]
    single = (bms - ems) / (bms + (k - 1) * ems + k * (jms - ems) / n)
    average = (bms - ems) / (bms + (jms - ems) / n)
    fj = jms / ems
    vn = (k - 1) * (n - 1) * (k * single * fj + n * (1 + (k - 1) * single) - k * single) ** 2
    vd = (n - 1) * k**2 * single**2 * fj**2 + (n * (1 + (k - 1) * single) - k * single) ** 2
    tail = 1 - (1 - level) / 2
    above, below = stats.f.ppf(tail, n - 1, vn / vd), stats.f.ppf(tail, vn / vd, n - 1)
    low = n * (bms - above * ems) / (above * (k * jms + (k * n - k - n) * ems) + n * bms)
    high = n * (below * bms - ems) / (k * jms + (k * n - k - n) * ems + n * below * bms)
    return single, (low, high), average, tuple(k * end / (1 + (k - 1) * end) for end in (low, high))


def numbers(random_state, items, raters, level):
    table = np.clip(np.round(random_state.normal(3.5, 1, (items, 1)) + random_state.normal(0, 0.8, (items, raters))), 1, 5)
    path = write("numbers.csv", ["item", *(f"r{at}" for at in range(raters))], [[at, *row] for at, row in enumerate(table)])
    found = run("agreement", path, "--level", str(level))["all"]
    single, ends, average, average_ends = icc(table, level)
    close(found["icc"]["single"], single, "ICC(2,1)")
    close(found["icc"]["average"], average, "ICC(2,k)")
    for name, expected in [("single_interval", ends), ("average_interval", average_ends)]:
        close(found["icc"][name]["low"], expected[0], name, 1e-8)
        close(found["icc"][name]["high"], expected[1], name, 1e-8)
    close(found["mos"]["value"], table.mean(), "mean opinion score")
    close(found["mos"]["deviation"], table.std(ddof=1), "deviation")
    if level == 0.95:
        interval = drawn(items, lambda at: table[at].mean())
        near(found["mos"]["spread"]["interval"], interval.low, interval.high, "drawn mean")


def study(random_state, votes):
    score = random_state.integers(-1, 11, votes) * random_state.integers(0, 2, votes)
    up = random_state.random(votes) < np.where(score > 0, 0.7, 0.4)
    found = run("judge-study", write("votes.csv", ["score", "thumb"], [[s, "up" if u else "down"] for s, u in zip(score, up)]))
    found = found["judges"]["judge"]
    right = int(((score > 0) == up).sum())
    for name, method in [("accuracy_wilson", "wilson"), ("accuracy_exact", "beta")]:
        low, high = proportion_confint(right, votes, method=method)
        close(found[name]["low"], low, name)
        close(found[name]["high"], high, name)
    counts = np.zeros((2, 2))
    np.add.at(counts, ((score > 0).astype(int), up.astype(int)), 1)
    close(found["kappa"], cohens_kappa(counts).kappa, "kappa")
    close(found["tags"]["unknown"]["deviation"], score.std(ddof=1), "deviation of scores")


def scores(name, found, comments):
    rows = [{"case": f"c{at}", "sample": 0, "status": "complete", "clean": False,
             "values": {"comments": int(n), "known": 1, "found": int(f), "hit_comments": int(f), "valid": 0, "noise": int(n - f)},
             "known": [{"id": "bug", "found": bool(f)}],
             "location": {"reached": {"value": None}, "matched": {"value": None}}} for at, (f, n) in enumerate(zip(found, comments))]
    document = {"format": "diffsieve.scores/v1", "protocol": "cr-bench", "variants": {"hits": "per-bug"}, "dataset": "d",
                "digest": "d", "configuration": {},
                "answers": {"scored": len(rows), "incomplete": 0, "unparsable": 0, "failed": [], "missing": [], "elsewhere": 0},
                "measures": {}, "silent": {}, "clean": {"alarms": {"value": None}, "comments": {"value": None}},
                "location": {"reached": {"value": None}, "matched": {"value": None}}, "by": {}, "rows": rows}
    path = os.path.join(folder.name, name)
    with open(path, "w") as file:
        json.dump(document, file)
    return path


def compare(random_state, cases):
    hard = random_state.random(cases)
    a, b = ((random_state.random(cases) > hard * skill).astype(int) for skill in (1.2, 0.9))
    said = [f + random_state.integers(0, 6, cases) for f in (a, b)]
    found = run("compare", scores("a.json", a, said[0]), scores("b.json", b, said[1]))
    only = int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum())
    counts = found["faults"]["test"]["counts"]
    assert (counts["only_a"], counts["only_b"]) == only, (counts, only)
    expected = mcnemar([[counts["both"], only[0]], [only[1], counts["neither"]]], exact=True).pvalue
    close(found["faults"]["test"]["exact"], expected, "McNemar")
    half = stats.binom.pmf(min(only), sum(only), 0.5)
    close(found["faults"]["test"]["mid"], 1 - half / 2 if only[0] == only[1] else expected - half, "mid-p")
    for name, of in [("recall", lambda f, n: f.mean()), ("precision", lambda f, n: f.sum() / n.sum()),
                     ("f1", lambda f, n: 2 * f.sum() / (n.sum() + len(f)))]:
        measure = found["measures"][name]
        close(measure["a"], of(a, said[0]), name)
        close(measure["difference"], of(b, said[1]) - of(a, said[0]), name)
        interval = drawn(cases, lambda at: of(b[at], said[1][at]) - of(a[at], said[0][at]))
        near(measure["spread"]["interval"], interval.low, interval.high, f"drawn {name}")


for seed in range(6):
    state = np.random.default_rng(seed)
    labels(state, random.Random(seed).randrange(20, 60), 2 + seed % 3, ["x", "y", "z, w"][: 2 + seed % 2])
    numbers(state, 8 + 5 * seed, 2 + seed, [0.95, 0.9, 0.99][seed % 3])
    study(state, 20 + 60 * seed)
    compare(state, 40 + 40 * seed)
print(f"{compared} figures agree with SciPy and statsmodels")
