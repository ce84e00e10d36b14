"""Drives headless Chromium through its DevTools pipe: opens a feed's page, clicks, turns days, types keys, takes pictures.

feed_page_browser.py BROWSER FEED EXPECTED SHOTS: by file:// and http://localhost; exit 1 with a line for each thing that is wrong.
SHOTS is the folder of the pictures, or "quick": a first look by file:// alone.
"""

import base64
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

WAIT_SECONDS = 30
QUICK = "quick"


class Browser:
    """A browser of its own profile, and the messages it sends."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        to_browser, self.to_browser = os.pipe()
        self.from_browser, from_browser = os.pipe()
        # The pipe is descriptors 3 and 4 of the browser.
        script = f"exec 3<&{to_browser} 4>&{from_browser}; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--force-device-scale-factor=1", "--hide-scrollbars", f"--user-data-dir={self.profile}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest = b""
        self.last_id = 0
        self.said = []
        self.session = None
        target = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def close(self):
        os.close(self.to_browser)
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.from_browser, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def note(self, message):
        params = message.get("params", {})
        if message.get("method") == "Runtime.consoleAPICalled":
            self.said.append(str([one.get("value", one.get("description")) for one in params["args"]]))
        elif message.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append(details["text"] + " " + details.get("exception", {}).get("description", ""))
        elif message.get("method") == "Log.entryAdded":
            self.said.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression):
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            if self.value(expression):
                return
            time.sleep(0.05)
        raise RuntimeError(f"not within {WAIT_SECONDS} s: {expression}")

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && !!(window.SST && SST.fields.index) "
                   f"&& document.getElementById('map').dataset.day && location.href === {json.dumps(address)}")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, key):
        codes = {"Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes.get(key, 0), **text)

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


class Check:
    """What a page must do; tells all that it does not."""

    def __init__(self, browser, where):
        self.browser = browser
        self.where = where
        self.n_wrong = 0

    def that(self, is_so, text):
        if not is_so:
            self.n_wrong += 1
            print(f"FAILED: {self.where}: {text}")

    def same(self, found, expected, text):
        self.that(found == expected, f"{text}: expected {expected!r}, found {found!r}")


def text_of(number, decimals):
    return "–" if number != number else f"{number:.{decimals}f}".replace("-", "−")


def pick(browser, place):
    """Clicks the pixel of a place with a real mouse event, and waits for the last of its days."""
    browser.value("document.getElementById('map').scrollIntoView({block: 'center'})")
    spot = browser.value(f"""(() => {{ const at = SST.pixelOf({place['lat']}, {place['lon']});
        const box = document.getElementById('map').getBoundingClientRect(); return [box.left + 1 + at.x, box.top + 1 + at.y]; }})()""")
    browser.value("document.getElementById('cell-now').dataset.whole = ''")
    browser.click(*spot)
    browser.until("document.getElementById('cell-now').dataset.whole")


STATES = {(2, 0): "bridged", (1, 0): "candidate", (0, 0): "no heatwave", (2, 1): "I moderate", (2, 2): "II strong", (2, 3): "III severe",
          (2, 4): "IV extreme"}
COLOURS = {"no heatwave": ["#eef4f8"], "candidate": ["#e3dcee", "#b5a6d0"], "I moderate": ["#ffc866"], "II strong": ["#ff6900"],
           "III severe": ["#9e0000"], "IV extreme": ["#2d0000"], "bridged": ["#f6e3c3"]}


def colours_at(browser, place):
    """Colours of the map in the middle of a cell, once all that waits to be drawn is."""
    return set(browser.value(f"""new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {{
        const at = SST.pixelOf({place['lat']}, {place['lon']}), copy = document.createElement('canvas'), out = [];
        const context = copy.getContext('2d', {{willReadFrequently: true}});
        context.drawImage(document.getElementById('map'), 1 - Math.round(at.x), 1 - Math.round(at.y));
        const data = context.getImageData(0, 0, 3, 3).data;
        for (let i = 0; i < data.length; i += 4)
            out.push('#' + [0, 1, 2].map((c) => data[i + c].toString(16).padStart(2, '0')).join(''));
        done(out); }})))"""))


def check_colours(check, places):
    for place in places:
        state = STATES[(place["label"], place["category"])]
        found = colours_at(check.browser, place)
        check.that(found & set(COLOURS[state]), f"the map at {place['lat']} {place['lon']}, {state}: {found}")
        others = {colour for name, colours in COLOURS.items() if name != state for colour in colours}
        check.that(not found & others, f"the map at {place['lat']} {place['lon']}, {state}, has another class' colour: {found}")
    warm = {colour for name in ("I moderate", "II strong", "III severe", "IV extreme") for colour in COLOURS[name]}
    check.browser.value("document.querySelector('input[value=severity]').click()")
    check.browser.until("!!document.querySelector('#legend svg.scale')")
    candidate = next(place for place in places if place["label"] == 1)
    check.that(not colours_at(check.browser, candidate) & warm, "a candidate has a heatwave's colour in the layer of severity")
    check.browser.value("document.querySelector('input[value=bound]').click()")
    unstated = {"lat": -65.25, "lon": 100.25} # the made-up feed states no error south of 60 S
    check.that("#cfcfcf" in colours_at(check.browser, unstated), "an error that is not known is not grey")
    check.browser.value("document.querySelector('input[value=category]').click()")


def check_cells(check, places):
    for place in places:
        pick(check.browser, place)
        row = check.browser.value("[...document.querySelectorAll('#cell-table tbody tr:first-child > *')].map((one) => one.textContent)")
        expected = ["2026-11-30", text_of(place["sst"], 2), text_of(place["mean"], 2), text_of(place["threshold"], 2), text_of(place["bound"], 3),
                    text_of(place["sst"] - place["mean"], 2), STATES[(place["label"], place["category"])]]
        for found, wanted, name in zip(row, expected, ("day", "temperature", "mean", "threshold", "bound", "anomaly", "state")):
            try: # the last digit may be rounded the other way
                is_near = abs(float(found.replace("−", "-")) - float(wanted.replace("−", "-"))) < 0.0101
            except ValueError:
                is_near = found == wanted
            check.that(is_near, f"{name} at {place['lat']} {place['lon']}: expected {wanted}, found {found}")
        if place["above"] > 0:
            said = check.browser.value("document.getElementById('cell-now').textContent")
            check.that(f", {place['above']} day" in said, f"days in a row ({place['above']}) in: {said}")
    n_rows = check.browser.value("document.querySelectorAll('#cell-table tbody tr').length")
    check.same(n_rows, check.browser.value("Math.min(31, SST.fields.index.days.length)"), "days of a cell's table")


def check_series(check, places):
    pick(check.browser, places[0])
    value = check.browser.value
    check.that(value("document.querySelectorAll('#cell-chart .in-event').length") >= 5, "no day of an event is shaded")
    check.same(value("document.querySelectorAll('#cell-chart .gap').length"), 1, "gaps of the day that never came")
    check.same(value("document.querySelectorAll('#cell-chart circle.preliminary').length"), 9, "open dots of preliminary days")
    check.that(value("document.querySelectorAll('#cell-chart .band').length") == 1, "no band of the threshold's error")
    check.that("From " in value("document.getElementById('cell-events').textContent"), "the event is not listed")
    check.that(value("document.querySelector('#cell-chart path.sst').getAttribute('d').split('M').length") == 3, "the line goes through the gap")


def check_days(check):
    value = check.browser.value
    check.same(value("document.getElementById('day-name').value"), "30 November 2026", "the day at first")
    before = value("document.getElementById('map').toDataURL()")
    value("document.getElementById('day').focus()")
    check.browser.key("ArrowLeft")
    check.browser.until("document.getElementById('map').dataset.day === '2026-11-29'")
    check.same(value("document.getElementById('day-name').value"), "29 November 2026", "the day after a step of the slider")
    check.that(value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.getElementById('map').toDataURL()))))") != before,
               "the map is the same on another day")
    said = value("document.getElementById('day-text').textContent")
    check.that(said.startswith("29 November 2026") and "% of the known sea" in said, f"the day in words: {said}")
    value("document.getElementById('day').value = document.getElementById('day').max - 7; document.getElementById('day').dispatchEvent(new Event('input'))")
    check.browser.until("document.getElementById('map').dataset.day === '2026-11-23'")
    check.that("No file" in value("document.getElementById('map-note').textContent"), "the absent day does not say so: " + value("document.getElementById('map-note').textContent"))
    value("document.getElementById('day-after').click()")
    check.browser.until("document.getElementById('map').dataset.day === '2026-11-24'")


def check_keys(check):
    value = check.browser.value
    value("SST.showAll(); document.getElementById('map').focus()")
    check.browser.key("+")
    check.same(value("SST.view.zoom"), 1.5, "zoom after +")
    lon = value("SST.view.lon")
    check.browser.key("ArrowRight")
    check.that(value("SST.view.lon") > lon + 10, "the right arrow does not move the map")
    lat = value("SST.view.lat")
    check.browser.key("ArrowUp")
    check.that(value("SST.view.lat") > lat + 5, "the up arrow does not move the map")
    day = value("document.getElementById('map').dataset.day")
    check.browser.key("[")
    check.browser.until(f"document.getElementById('map').dataset.day && document.getElementById('map').dataset.day < '{day}'")
    check.browser.key("]")
    check.browser.until(f"document.getElementById('map').dataset.day === '{day}'")
    value("document.getElementById('cell-now').dataset.whole = ''")
    check.browser.key("Enter")
    check.browser.until("document.getElementById('cell-now').dataset.whole")
    check.that(value("SST.picked.row === SST.middle().row && SST.picked.col === SST.middle().col"), "Enter does not pick the middle")
    check.browser.key("0")
    check.same(value("SST.view.zoom"), 1, "zoom after 0")


def check_words(check):
    value = check.browser.value
    news = value("document.getElementById('news').textContent")
    for words in ("Newest day: 30 November 2026, preliminary", "It ended", "Late: 1 December 2026 was expected", "Missing: no file came of 23 November 2026",
                  "This page was made"):
        check.that(words in news, f"'{words}' is not in: {news}")
    check.that("10 % expected within the baseline 1991–2020" in value("document.getElementById('region-chart').textContent"), "the baseline on the region's chart")
    check.that(value("document.querySelectorAll('#region-chart .share').length") > 20, "the region's chart has no shares")
    check.that(value("document.querySelectorAll('#area-table tbody tr').length") > 3, "areas are not listed")
    check.same(value("document.querySelectorAll('#legend li').length"), 12, "classes in the legend")
    check.that('A made-up planet, "version" 1 <test>' in value("document.getElementById('rule').textContent"), "the product's name is not shown as it is")
    for layer in ("severity", "anomaly", "bound"):
        value(f"document.querySelector('input[value={layer}]').click()")
        check.that(value("!!document.querySelector('#legend svg.scale')"), f"no scale for {layer}")
    value("document.querySelector('input[value=category]').click()")


def check_width(check, width):
    check.browser.size(width, 900)
    check.browser.until(f"innerWidth === {width}")
    check.that(check.browser.value("document.documentElement.scrollWidth <= innerWidth"), f"the page is wider than {width} px")


def run_page(browser, address, places, shots, name):
    check = Check(browser, name)
    browser.said.clear()
    browser.size(1280, 900)
    browser.open(address)
    check.that("could not" not in browser.value("document.getElementById('map-note').textContent"), "the map is not shown")
    check_colours(check, places)
    check_words(check)
    check_cells(check, places)
    if shots != QUICK:
        check_series(check, places)
        check_days(check)
        check_keys(check)
    if shots and shots != QUICK:
        browser.open(address)
        pick(browser, places[0])
        browser.value("scrollTo(0, 0)")
        browser.picture(f"{shots}/wide.png")
        check_width(check, 360)
        check_width(check, 390)
        time.sleep(0.3)
        browser.picture(f"{shots}/phone.png")
    for line in browser.said:
        check.that(False, f"the browser says: {line}")
    return check.n_wrong


def run_without(browser, feed):
    """Without scripts the newest picture; without index.js a word of what is wrong."""
    check = Check(browser, "without")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.call("Page.navigate", url=f"file://{feed}/index.html")
    browser.until("document.querySelectorAll('img').length === 1 && document.images[0].complete")
    check.that(browser.value("document.images[0].naturalWidth") >= 360, "the newest picture is not shown where scripts are off")
    check.that(browser.value("document.images[0].alt").find("2026-11-30") > 0, "the picture's day is not told")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    part = tempfile.mkdtemp()
    for name in ("index.html", "page.js", "page.css", "about.js"):
        shutil.copy(f"{feed}/{name}", part)
    browser.call("Page.navigate", url=f"file://{part}/index.html")
    browser.until("document.readyState === 'complete' && !document.getElementById('trouble').hidden")
    check.that("index.js" in browser.value("document.getElementById('trouble').textContent"), "a feed without index.js does not say so")
    shutil.rmtree(part)
    return check.n_wrong


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://localhost:{server.server_port}/index.html"


def main():
    program, feed, expected, shots = sys.argv[1:5]
    with open(expected, encoding="utf-8") as file:
        places = json.load(file)
    browser = Browser(program)
    try:
        n_wrong = run_page(browser, f"file://{feed}/index.html", places, shots, "file://")
        if shots != QUICK:
            n_wrong += run_page(browser, serve(feed), places, None, "http://")
            n_wrong += run_without(browser, feed)
    finally:
        browser.close()
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
