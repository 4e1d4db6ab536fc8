#!/usr/bin/env python3
"""What tests/conformance/html does: drives headless Chromium over the pages of `--format html`.

The oracle of what a page must show is the JSON report of the same review; that nothing runs and nothing leaves is what
the browser itself logs.
"""

import base64
import contextlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

ROOT = Path(__file__).resolve().parent.parent.parent
FILES, PER_FILE = 100, 5
# The page is loaded and takes input within this many milliseconds.
LIMIT = 1000
# What would be set by anything of a hostile text that runs.
PWNED = "window.pwned=(window.pwned||0)+1"


class Failed(Exception):
    """A check that did not hold."""


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: {found!r} instead of {wanted!r}")


def git(folder, *arguments):
    env = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
    }  # fmt: skip
    subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)


def repository(folder, branch, files, before=()):
    """A repository with a branch on which these files come or change."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "core.quotePath", "false")
    for name, text in before or [("README.md", "x\n")]:
        write(folder / name, text)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "before")
    git(folder, "switch", "--quiet", "--create", branch)
    for name, text in files:
        write(folder / name, text)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "after")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def review(binary, repo, page):
    """Writes the page, and returns the same review as JSON."""
    data = page.with_suffix(".json")
    env = {"PATH": os.environ["PATH"], "HOME": str(page.parent)}
    arguments = [binary, "review", "--no-model", "--format", f"html={page}", "--format", f"json={data}"]
    done = subprocess.run(arguments, cwd=repo, env=env, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise Failed(f"the review ends with {done.returncode}: {done.stderr}")
    return json.loads(data.read_text(encoding="utf-8"))


class Browser:
    """A fresh Chromium for one page after the other."""

    def __init__(self, work, width=1280, height=900, scale=1, dark=False, script=True):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
        for flag in (
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--hide-scrollbars", f"--force-device-scale-factor={scale}",
            f"--user-data-dir={tempfile.mkdtemp(dir=work)}",
        ):  # fmt: skip
            options.add_argument(flag)
        if not script:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.ChromeService(shutil.which("chromedriver") or "/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        # The window of a browser without a head is no narrower than 500 pixels; the page in it may be.
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.dark(dark)

    def dark(self, dark):
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, page):
        self.logged()
        self.driver.get(page if isinstance(page, str) else page.as_uri())

    def logged(self):
        """What the console said and which addresses were asked for since the last call."""
        console = [entry["message"] for entry in self.driver.get_log("browser")]
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return console, sent

    def js(self, source, *arguments):
        return self.driver.execute_script(f"return {source}", *arguments)

    def key(self, key):
        self.driver.switch_to.active_element.send_keys(key)

    def focused(self):
        return self.js("document.activeElement.id")

    def cards(self):
        return self.js("[...document.querySelectorAll('.finding')].filter(card => card.checkVisibility()).length")

    def picture(self, path, whole=False):
        arguments = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            arguments["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        Path(path).write_bytes(base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", arguments)["data"]))

    def quit(self):
        self.driver.quit()


@contextlib.contextmanager
def browser(work, **options):
    window = Browser(work, **options)
    try:
        yield window
    finally:
        window.quit()


# --- a large review


def large(work, binary):
    """100 files with 500 findings of three levels."""
    after, before = [], [("diffsieve.toml", "[review]\ncap = 1000\n")]
    for number in range(FILES):
        name = f"shop/part{number // 10}/module_{number:03}.py"
        plain = [f"def step_{line}(value):\n    return value + {line}\n\n" for line in range(30)]
        before.append((name, "".join(plain)))
        faults = [
            f"def load_{number}(mode, seen=[]):\n    seen.append(mode)\n",
            f"    if mode is 'part{number}':\n        return None\n",
            "    breakpoint()\n",
            "    try:\n        return open(mode).read()\n    except:\n        return None\n\n",
            f"def same_{number}(value):\n    if value is 'y{number}':\n        return True\n    return value is 'x{number}'\n\n",
        ]
        after.append((name, "".join(plain[:15] + faults + plain[15:])))
    repo = work / "large"
    repository(repo, "large", after, before)
    page = work / "large.html"
    return page, review(binary, repo, page)


def check_speed(work, page):
    """Navigation timing of the best of three loads in a new browser, and how long the first key takes."""
    figures = []
    for _ in range(3):
        with browser(work) as window:
            window.open(page)
            window.js("new Promise(done => setTimeout(done, 50))")
            timing = window.js(
                "(t => ({interactive: t.domInteractive, loaded: t.loadEventEnd}))(performance.getEntriesByType('navigation')[0])"
            )
            timing["paint"] = window.js("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
            timing["key"] = window.js(
                "(start => { document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}));"
                " document.activeElement.getBoundingClientRect(); return performance.now() - start; })(performance.now())"
            )
            timing["filter"] = window.js(
                "((start, text) => { text.value = 'breakpoint'; text.dispatchEvent(new Event('input', {bubbles: true}));"
                " document.body.getBoundingClientRect(); return performance.now() - start; })"
                "(performance.now(), document.querySelector('[name=text]'))"
            )
            figures.append(timing)
    best = min(figures, key=lambda timing: timing["loaded"])
    shown = ", ".join(f"{name} {value:.0f} ms" for name, value in best.items() if value is not None)
    print(f"large page, {page.stat().st_size / 1e6:.2f} MB: {shown}")
    if best["loaded"] > LIMIT or best["key"] > LIMIT or best["filter"] > LIMIT:
        raise Failed(f"loaded and interactive takes more than {LIMIT} ms: {figures}")


def check_filters(window, report):
    findings = report["findings"]
    expect("findings in the report", len(findings) >= FILES * PER_FILE, True)
    expect("cards", window.cards(), len(findings))
    driver = window.driver

    def count(**wanted):
        return sum(all(finding[key] == value for key, value in wanted.items()) for finding in findings)

    for level in ("error", "warning", "note"):
        box = driver.find_element(By.CSS_SELECTOR, f"[name=level][value={level}]")
        driver.execute_script("arguments[0].click()", box)
        expect(f"cards without {level}", window.cards(), len(findings) - count(level=level))
        driver.execute_script("arguments[0].click()", box)
    tags = sorted({finding["tag"] for finding in findings})
    for tag in tags:
        Select(driver.find_element(By.NAME, "tag")).select_by_value(tag)
        expect(f"cards of {tag}", window.cards(), count(tag=tag))
    window.key(Keys.ESCAPE)
    window.key("x")
    expect("cards after x", window.cards(), len(findings))
    Select(driver.find_element(By.NAME, "source")).select_by_value("detector")
    expect("cards of detectors", window.cards(), sum(finding["source"]["kind"] == "detector" for finding in findings))
    window.key(Keys.ESCAPE)
    window.key("x")
    window.key("/")
    expect("what / focuses", window.js("document.activeElement.name"), "text")
    window.key("MODULE_042 breakpoint")
    wanted = sum(finding["file"].endswith("module_042.py") and finding["line"] == 50 for finding in findings)
    expect("cards of one file and one word", window.cards(), wanted)
    expect("what is said of it", window.js("document.querySelector('output').textContent"), f"{wanted} of {len(findings)}")
    expect("files in view", window.js("[...document.querySelectorAll('.file')].filter(file => !file.hidden).length"), 1)
    for _ in range(30):
        window.key(Keys.BACKSPACE)
    window.key("nothing like this")
    expect("cards of nothing", (window.cards(), window.js("document.querySelector('.none').hidden")), (0, False))
    window.key(Keys.ESCAPE)
    window.key("x")
    expect("cards after all", window.cards(), len(findings))


def check_keyboard(window, report):
    order = window.js("[...document.querySelectorAll('.finding')].map(card => card.id)")
    expect("cards in the order of their lines", len(set(order)), len(report["findings"]))
    for wanted in (0, 1, 2):
        window.key("j")
        expect("after j", window.focused(), order[wanted])
        time.sleep(0.1)
        seen = window.js("(box => box.top >= 0 && box.bottom <= innerHeight)(document.activeElement.getBoundingClientRect())")
        expect("the finding is in view", seen, True)
        current = window.js("document.querySelector('.side [aria-current]').getAttribute('href')")
        expect("the entry of the list", current, f"#{order[wanted]}")
    window.key("k")
    expect("after k", window.focused(), order[1])
    window.key("n")
    expect("after n", window.focused(), "file-1")
    window.key("p")
    expect("after p", window.focused(), "file-0")
    window.key("o")
    expect("after o", window.js("document.querySelector('#file-0 details').open"), False)
    window.key("j")
    expect("j opens", (window.focused(), window.js("document.querySelector('#file-0 details').open")), (order[0], True))
    window.key("?")
    expect("after ?", window.js("document.getElementById('keys').open"), True)
    window.key(Keys.ESCAPE)
    expect("after Esc", window.js("document.getElementById('keys').open"), False)
    colour = "getComputedStyle(document.body).backgroundColor"
    light = window.js(colour)
    window.key("t")
    expect("t turns the light off", window.js(colour) != light, True)
    window.key("t")
    expect("t turns it on again", window.js(colour), light)
    last = order[-1]
    window.driver.get(window.driver.current_url.split("#")[0] + f"#{last}")
    expect("a link to a finding", window.focused(), last)


def check_looks(work, page):
    """No page is wider than its window, on no screen; every text has contrast enough."""
    for width in (360, 768, 1280):
        with browser(work, width=width, height=700) as window:
            window.open(page)
            expect(f"width at {width}", window.js("document.documentElement.scrollWidth"), width)
            for dark in (False, True):
                window.dark(dark)
                poor = window.js(CONTRAST)
                expect(f"texts of poor contrast at {width}, dark {dark}", poor, [])


# WCAG 2.2, 1.4.3: 4.5 to 1. Every element that has text of its own, against the first background behind it.
CONTRAST = """(() => {
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return {r, g, b, a}; };
  const part = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = ({r, g, b}) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.a === 1) return colour;
    }
    return {r: 255, g: 255, b: 255};
  };
  const poor = new Set();
  const elements = [...document.querySelectorAll('body *')];
  for (const element of elements.slice(0, 4000)) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.matches('.sr, .skip, .dot, script, legend, option')) continue;
    const style = getComputedStyle(element);
    const back = behind(element);
    const fore = parse(style.color);
    const mix = (f, b) => f * style.opacity + b * (1 - style.opacity);
    const seen = {r: mix(fore.r, back.r), g: mix(fore.g, back.g), b: mix(fore.b, back.b)};
    const [one, two] = [light(seen), light(back)];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < 4.5) poor.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...poor];
})()"""


def check_without_script(work, page, report):
    """Everything can be read; the filter, which would do nothing, is not there."""
    with browser(work, script=False) as window:
        window.open(page)
        # The driver's own scripts run in a page that runs none.
        expect("the page's script did not run", window.js("document.documentElement.classList.contains('js')"), False)
        expect("cards without script", window.cards(), len(report["findings"]))
        expect("choices without script", window.js("document.querySelector('.choices').checkVisibility()"), False)
        window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        hidden = window.js(
            "[...document.querySelectorAll('main section :is(p, li, td, h2, h3, dd)')]"
            ".filter(e => e.textContent.trim() && !e.closest('[hidden]') && e.getBoundingClientRect().height === 0).length"
        )
        expect("texts that are not printed", hidden, 0)


# --- hostile texts


def hostile(work, binary):
    """Markup in every place a change can put it: names of files and branches, code, comments, a suggestion, a pack."""
    attack = f"<img src=x onerror={PWNED}>"
    repo = work / "hostile"
    closing = "</script></style></textarea></title></table></details>"
    lines = [
        f"# {closing}<script>{PWNED}</script>{attack}",
        f"def {'f'}(value, seen=[]):  # {attack}",
        f"    seen.append('<svg onload={PWNED}>')",
        f"    if value is '<script>{PWNED}</script>':",
        f"        return '\"><iframe src=javascript:{PWNED}></iframe>'",
        "    # \u202e reversed \u200b hidden <!-- --!> <![CDATA[ ]]> &lt;script&gt; &#60;b&#62;",
        f"    return \"' onfocus={PWNED} autofocus x='\"",
    ]
    text = "\n".join(lines) + "\n"
    names = [
        f"{attack}.py", f"a' onmouseover='{PWNED}'.py", 'b" autofocus onfocus="window.pwned=1".py',
        "c<script>window.pwned=1<x.py", "javascript:window.pwned=1.py", "d&lt;b&gt;\u202e.py", "e\nnew line.py",
    ]  # fmt: skip
    files = [(name.replace("/", "_"), text) for name in names]
    pack = f"""pack: hostile
version: 1.0.0
about: "{attack}"
tags:
  Hostile:
    title: "{attack}"
    about: "{closing}{attack} [x](javascript:window.pwned=1)"
    level: warning
    detect:
      - {{id: x, in: any, regex: onload, message: "{attack} `<b onclick={PWNED}>`"}}
"""
    repository(repo, "x'><img/src=x;onerror=window.pwned=1>", files, [(".diffsieve/rules/hostile.yml", pack)])
    page = work / "hostile.html"
    return page, review(binary, repo, page)


def check_nothing_runs(window, page, what):
    """Opens everything there is to open, moves over it, and looks what happened."""
    window.open(page)
    window.driver.execute_script("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    for key in "jjnkp":
        window.key(key)
    for selector in ("article", "summary", ".chip", ".side a"):
        for element in window.driver.find_elements(By.CSS_SELECTOR, selector)[:5]:
            for event in ("mouseover", "focus", "click"):
                window.driver.execute_script("arguments[0].dispatchEvent(new Event(arguments[1], {bubbles: true}))", element, event)
    time.sleep(0.2)
    expect(f"{what}: what ran", window.js("window.pwned ?? null"), None)
    strange = window.js(
        "[...document.querySelectorAll('img, iframe, object, embed, video, audio, base, link, math, textarea, form:not(#filter):not(.pick):not([method=dialog]),"
        " script:not(body > script:last-of-type), style:not(head > style)')].map(e => e.outerHTML)"
    )
    expect(f"{what}: elements that are not ours", strange, [])
    # The script keeps the height of the bar as a style of the root, and nowhere else.
    handlers = window.js("[...document.querySelectorAll('html > *, html > * *')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on') || n === 'style')")
    expect(f"{what}: attributes that are not ours", handlers, [])
    links = window.js("[...document.querySelectorAll('[href]')].map(e => e.getAttribute('href')).filter(href => !/^#[a-z]+(-[a-z]+|-\\d+)*$/.test(href))")
    expect(f"{what}: links that leave", links, [])
    invisible = window.js("[...document.body.textContent].filter(c => /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\ufeff]/.test(c)).length")
    expect(f"{what}: invisible characters", invisible, 0)
    console, sent = window.logged()
    expect(f"{what}: console", console, [])
    expect(f"{what}: requests", [url for url in sent if url.split("#")[0] != window.driver.current_url.split("#")[0]], [])


def check_policy(work, page):
    """The second wall: markup that had got through all the same would neither run nor ask for anything."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = broken if self.path == "/page.html" else b"window.pwned = 1"
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8" if self.path == "/page.html" else "text/javascript")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    markup = (
        f"<script>{PWNED}</script><script src={origin}/a.js></script><img src={origin}/b.png onerror={PWNED}>"
        f"<body onload={PWNED}><style>body {{ background: url({origin}/c.png) }}</style><link rel=stylesheet href={origin}/d.css>"
        f"<iframe src={origin}/e.html></iframe><p style='background: url({origin}/f.png)'>x</p><base href={origin}/g/>"
        f"<a id=bait href=\"javascript:{PWNED}\">x</a><object data={origin}/h></object>"
    )
    text = page.read_text(encoding="utf-8")
    broken = text.replace("<main", markup + "<main", 1).encode()
    expect("the page is broken on purpose", len(broken) > len(text.encode()), True)
    try:
        with browser(work) as window:
            window.open(f"{origin}/page.html")
            window.driver.execute_script("document.getElementById('bait').click()")
            time.sleep(0.3)
            expect("broken page: what ran", window.js("window.pwned ?? null"), None)
            console, _ = window.logged()
            refused = [line for line in console if "Content Security Policy" in line]
            expect("broken page: refusals in the console", len(refused) >= 8, True)
            expect("broken page: the page's own script", window.js("document.documentElement.classList.contains('js')"), True)
        expect("broken page: requests", asked, ["/page.html"])
    finally:
        server.shutdown()


# --- pictures


def pictures(work, binary, folder):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([ROOT / ".ci" / "scratch", work / "stock"], check=True)
    page = work / "stock.html"
    review(binary, work / "stock", page)
    large_page, _ = large(work, binary)
    hostile_page, _ = hostile(work, binary)
    for name, source in (("small", page), ("large", large_page), ("hostile", hostile_page)):
        for dark in (False, True):
            for width, height in ((1280, 900), (360, 780)):
                with browser(work, width=width, height=height, dark=dark) as window:
                    window.open(source)
                    look = f"{name}-{'dark' if dark else 'light'}-{width}"
                    window.picture(folder / f"{look}.png", whole=name != "large")
                    if name == "large":
                        for key in "jjjjjj":
                            window.key(key)
                        time.sleep(0.3)
                        window.picture(folder / f"{look}-card.png")
    with browser(work) as window:
        window.open(page)
        pdf = window.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
        (folder / "small.pdf").write_bytes(base64.b64decode(pdf))


def picture(work, binary, path):
    """The picture of the README: the scratch repository, in the fonts that most systems resemble."""
    from PIL import Image

    fonts = work / "fonts.conf"
    alias = "<alias binding='strong'><family>{}</family><prefer><family>{}</family></prefer></alias>"
    wanted = {"system-ui": "Inter", "sans": "Inter", "sans-serif": "Inter", "ui-monospace": "JetBrains Mono"}
    rows = "".join(alias.format(name, font) for name, font in wanted.items())
    write(fonts, f"<fontconfig><include>/etc/fonts/fonts.conf</include>{rows}</fontconfig>")
    os.environ["FONTCONFIG_FILE"] = str(fonts)
    subprocess.run([ROOT / ".ci" / "scratch", work / "stock"], check=True)
    page = work / "stock.html"
    review(binary, work / "stock", page)
    with browser(work, width=1200, height=1300, scale=1.5) as window:
        window.open(page)
        window.picture(work / "full.png")
        # Down to the second finding, and a little more.
        bottom = window.js("document.querySelectorAll('.finding')[1].getBoundingClientRect().bottom + 12")
    shown = Image.open(work / "full.png").convert("RGB")
    shown = shown.crop((0, 0, shown.width, round(bottom * 1.5)))
    shown.quantize(200, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path}: {size / 1000:.0f} kB")
    expect("a picture below 150 kB", size < 150_000, True)


def main():
    binary = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if sys.argv[2:3] == ["--picture"]:
            return picture(work, binary, Path(sys.argv[3]))
        if sys.argv[2:3] == ["--shots"]:
            return pictures(work, binary, Path(sys.argv[3]))
        page, report = large(work, binary)
        check_speed(work, page)
        with browser(work) as window:
            window.open(page)
            check_filters(window, report)
            check_keyboard(window, report)
            console, sent = window.logged()
            expect("console of the large page", console, [])
            expect("requests of the large page", [url for url in sent if not url.startswith(page.as_uri())], [])
        check_looks(work, page)
        check_without_script(work, page, report)
        bad, report = hostile(work, binary)
        expect("hostile findings", sum(finding["tag"] == "Hostile" for finding in report["findings"]) >= 7, True)
        pages = [bad, *(sorted(Path(sys.argv[2]).glob("*.html")) if len(sys.argv) > 2 else [])]
        for page in pages:
            with browser(work) as window:
                check_nothing_runs(window, page, page.name)
        check_policy(work, bad)
        print(f"html: all checks hold, {len(pages)} hostile and other pages")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"FAILED html: {failed}")
