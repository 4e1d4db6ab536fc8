#!/usr/bin/env python3
"""What tests/conformance/html does with the pages of `eval report`. The measurements are drawn, see measured.py.

The oracle of what a page must show is the JSON of the same report; that nothing runs and nothing leaves is what the
browser itself logs.
"""

import base64
import json
import sys
import tempfile
import time
from pathlib import Path

import measured
from browser import CONTRAST, LIMIT, PWNED, Failed, browser, check_nothing_runs, check_policy, expect
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

CASES = 1000
# Markup for every name and text of a measurement.
ATTACK = f"</title></style></script></svg><script>{PWNED}</script><img src=x onerror={PWNED}>\"' onfocus={PWNED} \u202e\u200b"


def report(binary, folder, runs):
    """Writes the page, and returns the same report as JSON."""
    page, data = folder / "report.html", folder / "report.json"
    measured.run(binary, "eval", "report", *runs, "--format", f"html={page}", "--format", f"json={data}")
    return page, json.loads(data.read_text(encoding="utf-8"))


def check_speed(work, page):
    """Navigation timing of the best of three loads in a new browser, and how long a filter takes."""
    figures = []
    for _ in range(3):
        with browser(work) as window:
            window.open(page)
            window.js("new Promise(done => setTimeout(done, 50))")
            timing = window.js(
                "(t => ({interactive: t.domInteractive, loaded: t.loadEventEnd}))(performance.getEntriesByType('navigation')[0])"
            )
            timing["filter"] = window.js(
                "((start, text) => { text.value = 'deadlock'; text.dispatchEvent(new Event('input', {bubbles: true}));"
                " document.body.getBoundingClientRect(); return performance.now() - start; })"
                "(performance.now(), document.querySelector('.pick [name=text]'))"
            )
            figures.append(timing)
    best = min(figures, key=lambda timing: timing["loaded"])
    shown = ", ".join(f"{name} {value:.0f} ms" for name, value in best.items())
    print(f"measurement of {CASES} cases by four protocols, {page.stat().st_size / 1e6:.2f} MB: {shown}")
    if max(best.values()) > LIMIT:
        raise Failed(f"loaded and interactive takes more than {LIMIT} ms: {figures}")


def check_cases(window, data):
    """The filter shows what it says, and the counts are those of the report."""
    protocols = data["runs"][0]["protocols"]
    forms = window.driver.find_elements(By.CSS_SELECTOR, ".pick")
    expect("a filter each", len(forms), len(protocols))
    for at, (form, protocol) in enumerate(zip(forms, protocols, strict=True)):
        cases = protocol["cases"]
        seen = f"[...document.querySelectorAll('#cases-0-{at} > .case')].filter(card => !card.hidden).length"
        expect("all cases", window.js(seen), len(cases))
        for kind, holds in (
            ("alarm", lambda case: case["clean"] and case["worth"]["noise"] > 0),
            ("quiet", lambda case: case["clean"] and case["worth"]["noise"] == 0),
            ("missed", lambda case: not case["clean"] and not any(fault["found"] for fault in case["faults"])),
        ):
            Select(form.find_element(By.NAME, "kind")).select_by_value(kind)
            expect(f"{protocol['protocol']}: {kind}", window.js(seen), sum(map(holds, cases)))
        Select(form.find_element(By.NAME, "kind")).select_by_value("")
        form.find_element(By.NAME, "text").send_keys(cases[7]["case"])
        expect("one case", window.js(seen), 1)
        expect("what is said of it", form.find_element(By.TAG_NAME, "output").text, f"1 of {len(cases)}")
        form.find_element(By.NAME, "text").clear()


# Text of a plot is filled, and stands on the page's own ground.
POOR_PLOTS = """(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const part = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const back = light(parse(getComputedStyle(document.body).backgroundColor));
  const ratio = (one) => (Math.max(one, back) + 0.05) / (Math.min(one, back) + 0.05);
  const texts = [...document.querySelectorAll('.plot text')];
  return texts.filter((text) => ratio(light(parse(getComputedStyle(text).fill))) < 4.5).map((text) => text.textContent);
})()"""

# Marks of a plot need 3 to 1 (WCAG 2.2, 1.4.11); its ground lines and the two quiet fills carry a number beside them.
SAME_IN_DARK = """[...new Set([...document.querySelectorAll('.plot :is([fill], [stroke])')].flatMap((mark) =>
  ['fill', 'stroke'].filter((name) => /^#/.test(mark.getAttribute(name) ?? '')).map((name) =>
    `${mark.getAttribute(name)} ${getComputedStyle(mark)[name]}`)))]"""


def check_looks(work, page):
    """No page is wider than its window; every text has contrast enough, in both schemes; no colour stays in the dark."""
    for width in (360, 768, 1280):
        with browser(work, width=width, height=700) as window:
            window.open(page)
            expect(f"width at {width}", window.js("document.documentElement.scrollWidth"), width)
            for dark in (False, True):
                window.dark(dark)
                expect(f"texts of poor contrast at {width}, dark {dark}", window.js(CONTRAST), [])
                expect(f"texts of plots of poor contrast at {width}, dark {dark}", window.js(POOR_PLOTS), [])
                for pair in window.js(SAME_IN_DARK) if dark else []:
                    written, seen = pair.split(" ", 1)
                    same = "rgb({}, {}, {})".format(*bytes.fromhex(written[1:]))
                    expect(f"{written} in the dark", seen != same, True)


def check_paper(window):
    """Printed, every text is there; without a script too."""
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = window.js(
        "[...document.querySelectorAll('main section :is(p, td, h2, h3, h4)')]"
        ".filter(e => e.textContent.trim() && e.getBoundingClientRect().height === 0).length"
    )
    expect("texts that are not printed", hidden, 0)


def shots(work, binary, folder):
    folder.mkdir(parents=True, exist_ok=True)
    reviewers = (("pipeline", 0.6), ("single-shot", 0.35))
    page, _ = report(binary, work, measured.measurement(binary, work, 160, 40, reviewers))
    for dark in (False, True):
        for width, height in ((1280, 900), (360, 780)):
            with browser(work, width=width, height=height, dark=dark) as window:
                window.open(page)
                window.driver.execute_script("document.querySelectorAll('.case:nth-child(n+15)').forEach(card => card.remove())")
                window.picture(folder / f"measured-{'dark' if dark else 'light'}-{width}.png", whole=True)
    with browser(work) as window:
        window.open(page)
        pdf = window.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
        (folder / "measured.pdf").write_bytes(base64.b64decode(pdf))


def picture(work, binary, path):
    """The picture of the book: the first screens of a page."""
    from PIL import Image

    page, _ = report(binary, work, measured.measurement(binary, work))
    with browser(work, width=1180, height=1560, scale=1.5) as window:
        window.open(page)
        window.picture(work / "full.png")
    shown = Image.open(work / "full.png").convert("RGB")
    shown.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
    expect("a picture below 200 kB", path.stat().st_size < 200_000, True)


def main():
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if sys.argv[2:3] == ["--measured"]:
            return picture(work, binary, Path(sys.argv[3]))
        if sys.argv[2:3] == ["--shots"]:
            return shots(work, binary, Path(sys.argv[3]))
        page, data = report(binary, work, measured.measurement(binary, work, CASES, CASES // 5))
        check_speed(work, page)
        with browser(work) as window:
            window.open(page)
            check_cases(window, data)
            console, sent = window.logged()
            expect("console", console, [])
            expect("requests", [url for url in sent if not url.startswith(page.as_uri())], [])
        small = work / "small"
        page, _ = report(binary, small, measured.measurement(binary, small, 60, 15, (("one", 0.6), ("two", 0.3))))
        check_looks(work, page)
        with browser(work, script=False) as window:
            window.open(page)
            expect("the filter without script", window.js("document.querySelector('.pick').checkVisibility()"), False)
            check_paper(window)
        bad = work / "hostile"
        name = "x'><img src=y onerror=window.pwned=1>"
        page, _ = report(binary, bad, measured.measurement(binary, bad, 30, 8, ((name, 0.6), ("<b>", 0.3)), word=ATTACK))
        with browser(work) as window:
            check_nothing_runs(window, page, "hostile measurement")
            time.sleep(0.2)
        check_policy(work, page)
        print("html: all checks of measurements hold")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"FAILED html: {failed}")
