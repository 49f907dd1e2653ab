#!/usr/bin/env python3
"""The pages of heddle show and heddle test --html in a real browser: Debian's chromium, without a window, driven by selenium.

For each example with a bug, the page of its first trace is opened; the switches are clicked, the keys step through it, and
nothing is written to the browser's console. One browser serves all pages. With --pictures FOLDER, screenshots in light and dark
and a printed page are left there, to be looked at.

Without chromium, chromedriver or selenium, the test is skipped (exit code 77).
"""

import argparse
import base64
import importlib.util
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "tests" / "system"))
from heddle_tool import Failure, Heddle  # noqa: E402
from pictures import FLAGS, HOSTILE, LONG, LONG_OPTIONS, page_of  # noqa: E402
from program_head import ProgramHead  # noqa: E402

SKIPPED = 77
SYSTEM_PYTHON = "/usr/bin/python3"
CHROMIUM, DRIVER = pathlib.Path("/usr/bin/chromium"), pathlib.Path("/usr/bin/chromedriver")
LANES, BOXES, EDGES = ".lanes text", ".event", ".edges path"


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Browser:
    """A page at a time."""

    def __init__(self, width=1400, height=1000):
        from selenium import webdriver
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         f"--window-size={width},{height}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.chrome.service.Service(str(DRIVER))
        self.driver = webdriver.Chrome(service=service, options=options)

    def open(self, page):
        self.page = page
        self.driver.get(page.as_uri())

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def count(self, selector):
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def click(self, selector):
        """A click with the mouse: it fails if something else lies above the element."""
        from selenium.webdriver.common.by import By
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def hover(self, selector):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.by import By
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.script("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", element)
        ActionChains(self.driver, duration=0).move_to_element(element).perform()

    def press(self, keys):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.driver, duration=0).send_keys(keys).perform()

    def choose(self, selector, value):
        self.script("const list = document.querySelector(arguments[0]); list.value = arguments[1];"
                    "list.dispatchEvent(new Event('change', {bubbles: true}))", selector, value)

    def check_console(self):
        messages = [entry["message"] for entry in self.driver.get_log("browser")]
        expect(not messages, f"{self.page.name}: the browser's console has {messages}")

    def set_colours(self, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))

    def print(self, path):
        path.write_bytes(base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]))


# Which event is selected after each key, from now on.
RECORD_STEPS = """
window.visited = [];
window.recorder ??= document.addEventListener("keyup", () => {
  const node = document.querySelector(".event.current");
  window.visited.push(node && Number(node.dataset.event));
}) ?? true;
"""


def check_steps(browser, keys):
    """The keys step through all shown events, forwards and backwards."""
    down, up = keys
    shown = browser.script("return [...document.querySelectorAll('.event')].map((node) => Number(node.dataset.event))")
    expect(shown == sorted(shown) and shown, "events are not in the order of execution")
    browser.script(RECORD_STEPS)
    browser.press(down * len(shown) + up)
    visited = browser.script("return window.visited")
    expected = shown + [shown[max(len(shown) - 2, 0)]]
    expect(visited == expected, f"stepping went over {visited} instead of {expected}")
    expect(browser.count(".event.current") == 1 and browser.count(".memory tr, .facts dt") > 0, "the event has no facts")
    browser.press("\ue00c")  # Escape
    expect(browser.count(".event.current") == 0, "Escape leaves an event selected")


def check_relations(browser):
    for relation in ("rf", "mo", "fr", "sw", "hb"):
        button = f'.edge-switch[data-relation="{relation}"]'
        if browser.script("return document.querySelector(arguments[0]).disabled", button):
            continue
        before = browser.script("return document.querySelector(arguments[0]).ariaPressed", button)
        edges = f'.edges path[data-relation="{relation}"]'
        counts = {before: browser.count(edges)}
        browser.click(button)
        after = browser.script("return document.querySelector(arguments[0]).ariaPressed", button)
        counts[after] = browser.count(edges)
        expect(set(counts) == {"true", "false"} and counts["false"] == 0, f"the switch of {relation} does nothing: {counts}")
        browser.click(button)


def check_collapsing(browser):
    story = browser.count(BOXES)
    all_events = browser.script("return JSON.parse(document.getElementById('data').textContent).pictures[0].picture.events.length")
    gaps = browser.count(".gap-label")
    if gaps:
        browser.click(".gap-label")
        expect(browser.count(BOXES) > story, "a click on hidden events does not show them")
    browser.press("a")
    expect(browser.count(BOXES) == all_events and browser.count(".gap-label") == 0, "not all events are shown")
    if all_events <= 60:
        check_steps(browser, "jk")
    browser.press("a")
    expect(browser.count(BOXES) == story, "the story alone is not shown again")


def check_filter(browser):
    locations = browser.script("return [...document.querySelectorAll('.toolbar option')].map((option) => option.value)")[1:]
    if not locations:
        return
    story = browser.count(BOXES)
    browser.choose(".toolbar select", locations[-1])
    shown = browser.script(
        "const picture = JSON.parse(document.getElementById('data').textContent).pictures[0].picture;"
        "return [...document.querySelectorAll('.event')].map((node) => picture.events[node.dataset.event].location)")
    expect(shown and set(shown) == {int(locations[-1])}, f"the filter leaves events on {set(shown)}")
    browser.choose(".toolbar select", "")
    expect(browser.count(BOXES) == story, "without a filter, the story is not shown again")


def check_hover(browser):
    browser.hover(".event.step .box" if browser.count(".event.step") else ".event .box")
    tip = browser.text(".tip")
    expect("thread" in tip and not browser.script("return document.querySelector('.tip').hidden"), f"no values on hover: {tip!r}")


def check_execution(browser, page):
    browser.set_colours("light")
    browser.open(page)
    expect(browser.count(LANES) >= 1 and browser.count(BOXES) >= 1, "there is no picture")
    expect(browser.text("h1") != "" and browser.text(".story .card") != "", "there is no story")
    check_steps(browser, ["\ue015", "\ue013"])  # arrows
    check_relations(browser)
    check_collapsing(browser)
    check_filter(browser)
    check_hover(browser)
    if browser.count(".steps button:not(:disabled)"):
        browser.click(".steps button:not(:disabled)")
        expect(browser.count(".event.current") == 1, "a click on a step of the story does not select its event")
        expect(browser.count(".source .line.current") >= 1, "the source line of the selected event is not marked")
    if "stale" in browser.text(".steps"):
        expect(browser.count(".event.stale") >= 1 and browser.count(".edge.missed") >= 1, "the stale read is not marked")
    theme = browser.script("return document.documentElement.dataset.theme")
    browser.click(".theme")
    expect(browser.script("return document.documentElement.dataset.theme") != theme, "the colours do not change")
    browser.click(".theme")
    browser.check_console()


def check_campaign(browser, page, has_bug):
    browser.set_colours("light")
    browser.open(page)
    expect(browser.count(".tile") == 6, "the summary lacks figures")
    expect(browser.count(".chart") >= 1, "there is no chart")
    expect(browser.count(".curve") == 1, "there is no curve of graphs over executions")
    expect(browser.count(".figures tbody tr") >= 1, "strategies are not compared")
    if has_bug:
        expect(browser.count(".finding[open] .event") >= 1, "the first finding has no picture")
        browser.click(".finding[open] .canvas")
        browser.press("j")
        expect(browser.count(".event.current") == 1, "keys do not step through the picture")
        browser.click(".finding > summary")
        expect(browser.count(".finding[open]") == browser.count(".finding") - browser.count(".finding:not([open])"), "closing fails")
    browser.check_console()


def examples():
    return sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".c", ".cpp"))


def make_pages(heddle, folder, sources):
    """{page: whether it is of a campaign with a bug; None: of an execution}"""
    pages = {}
    for source in sources:
        out = folder / source.stem
        wants_campaign = source.stem in ("message_passing", "seqlock_broken", "treiber_stack_reclamation")
        options = ["--html", folder / f"{source.stem}-campaign.html"] if wants_campaign else []
        done = heddle.run("test", "-n", "300", "--out", out, *options, heddle.compile(source, flags=ProgramHead(source).flags))
        expect(done.code in (0, 1), done.describe())
        if wants_campaign:
            pages[options[1]] = done.code == 1
        traces = sorted(out.glob("*.trace")) if out.exists() else []
        expect(bool(traces) == (done.code == 1), f"{source.stem}: {len(traces)} traces\n{done.describe()}")
        for trace in traces[:1]:
            page = folder / f"{source.stem}.html"
            shown = heddle.run("show", trace, "--html", page)
            expect(shown.code == 0, shown.describe())
            pages[page] = None
    return pages


def take_pictures(browser, pages, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        for scheme in ("light", "dark"):
            browser.set_colours(scheme)
            browser.open(page)
            browser.press("nn")
            browser.screenshot(folder / f"{page.stem}-{scheme}.png")
        browser.print(folder / f"{page.stem}.pdf")


def check_hostile_page(browser, heddle, folder):
    source = folder / "hostile.cpp"
    source.write_text(HOSTILE)
    heddle.run("test", "-n", "100", "--out", folder / "hostile", "--html", folder / "hostile.html", heddle.compile(source, flags=FLAGS))
    browser.open(folder / "hostile.html")
    expect(browser.script("return document.title").startswith("heddle: "), "the program has taken the page over")
    expect("</script><script>" in browser.text(".output"), "the output of the program is not shown as text")
    browser.check_console()


def check_long_page(browser, heddle, folder):
    """A page of 20,000 events stays usable, and says what it leaves out."""
    browser.open(page_of(heddle, folder, "long", LONG, *LONG_OPTIONS))
    expect("This page holds the 20,000" in browser.text(".note"), "the page does not say that it holds a part")
    story = browser.count(BOXES)
    expect(0 < story < 100, f"{story} events are shown at first")
    browser.click(".canvas")
    browser.press("a")
    expect(browser.count(BOXES) == 1200 and "1,200 events are drawn" in browser.text(".note"), "not 1,200 events are shown")
    browser.press("jj")
    expect(browser.count(".event.current") == 1, "keys do not step through a long execution")
    browser.press("a")
    expect(story <= browser.count(BOXES) < 100, "the story alone is not shown again")
    browser.check_console()


def check_all(browser, heddle, folder, options):
    pages = make_pages(heddle, folder, examples())
    expect(sum(kind is None for kind in pages.values()) >= 12, f"too few examples have a trace: {len(pages)} pages")
    failures = []
    for page, has_bug in pages.items():
        try:
            if has_bug is None:
                check_execution(browser, page)
            else:
                check_campaign(browser, page, has_bug)
        except Failure as failure:
            failures.append(f"{page.name}: {failure}")
    check_hostile_page(browser, heddle, folder)
    check_long_page(browser, heddle, folder)
    if options.pictures:
        take_pictures(browser, pages, options.pictures)
    print(f"{len(pages)} pages, {len(failures)} failures")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    if importlib.util.find_spec("selenium") is None:
        if sys.executable != SYSTEM_PYTHON:  # for which Debian's packages are
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
        print("skipped: python3-selenium is not installed")
        return SKIPPED
    for tool in (CHROMIUM, DRIVER):
        if not tool.exists():
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    heddle = Heddle(options.build.resolve(), (options.cache or options.build / "tests" / "cache").resolve())
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory(prefix="heddle-browser-") as name:
            failures = check_all(browser, heddle, pathlib.Path(name), options)
    finally:
        browser.driver.quit()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(str(failure))
