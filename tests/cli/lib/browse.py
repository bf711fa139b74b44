# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens a page in headless Chromium and prints as JSON what it is like there: what its figures, tables and
ids are, what the console said and what was asked of the network.

usage: browse.py PAGE.html SCREENSHOT.png
"""
import base64
import json
import re
import subprocess
import sys
import tempfile
import urllib.request

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]

LOOK = """
const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
const ids = all('[id]').map(e => e.id);
return {
  title: document.title,
  figures: all('figure').map(f => {
    const svg = f.querySelector('svg'), box = svg.getBoundingClientRect();
    return {width: box.width, height: box.height, label: svg.getAttribute('aria-label'),
            role: svg.getAttribute('role'), caption: f.querySelector('figcaption').textContent,
            shapes: svg.querySelectorAll('path, polygon, image, rect, use').length};
  }),
  broken: all('use').filter(u => !document.getElementById(u.getAttribute('xlink:href').slice(1))).length,
  policies: all('table')[0] ? all('tbody th', all('table')[0]).map(h => h.textContent) : [],
  columns: all('table')[0] ? all('thead th', all('table')[0]).map(h => h.textContent) : [],
  best: all('td.best').length,
  text: document.body.innerText,
  scripts: all('script').length,
  twice: ids.filter((id, i) => ids.indexOf(id) !== i),
  width: document.documentElement.scrollWidth,
  height: document.documentElement.scrollHeight,
};"""


class Driver:
    """chromedriver, spoken to over HTTP."""

    def __init__(self):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            port = re.search(r"started successfully on port ([0-9]+)", line)
            if port:
                self.url = f"http://127.0.0.1:{port[1]}"
                return
        sys.exit("chromedriver did not start")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"},
                                         method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=240) as answer:
            return json.load(answer)["value"]

    def close(self):
        self.process.terminate()
        self.process.wait()


def look(driver, page, screenshot, profile):
    session = driver.call("POST", "/session", {"capabilities": {"alwaysMatch": {
        "browserName": "chrome",
        "goog:chromeOptions": {"args": [*FLAGS, f"--user-data-dir={profile}", "--window-size=1100,900"]},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
    base = f"/session/{session['sessionId']}"
    driver.call("POST", base + "/url", {"url": "about:blank"})  # away from the browser's own page
    for log in ("browser", "performance"):
        driver.call("POST", base + "/se/log", {"type": log})
    driver.call("POST", base + "/url", {"url": "file://" + page})
    seen = driver.call("POST", base + "/execute/sync", {"script": LOOK, "args": []})
    seen["console"] = driver.call("POST", base + "/se/log", {"type": "browser"})
    events = [json.loads(entry["message"])["message"]
              for entry in driver.call("POST", base + "/se/log", {"type": "performance"})]
    seen["requests"] = [event["params"]["request"]["url"][:200] for event in events
                        if event["method"] == "Network.requestWillBeSent"]
    # The whole page in one picture.
    metrics = {"width": 1100, "height": min(int(seen["height"]), 16000), "deviceScaleFactor": 1,
               "mobile": False}
    driver.call("POST", base + "/goog/cdp/execute",
                {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
    with open(screenshot, "wb") as file:
        file.write(base64.b64decode(driver.call("GET", base + "/screenshot")))
    driver.call("DELETE", base)
    return seen


def main():
    page, screenshot = sys.argv[1:]
    driver = Driver()
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            json.dump(look(driver, page, screenshot, profile), sys.stdout, indent=1)
    finally:
        driver.close()


main()
