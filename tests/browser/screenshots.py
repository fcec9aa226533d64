"""The pictures in the README.

    python3 tests/browser/screenshots.py tables     (a directory of tables, as a relative path: it is in a picture)
"""

import pathlib
import shutil
import subprocess
import sys

import oju
from webdriver import Browser, wait_for

SHOTS = oju.ROOT / "results" / "screenshots"


def save(browser, name, whole=False):
    path = SHOTS / f"{name}.png"
    path.write_bytes(browser.screenshot(whole))
    # A third of the size, where the program is there.
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--ext", ".png", "224", str(path)], check=False)


def main():
    server = oju.Server(pathlib.Path(sys.argv[1]))
    browser = Browser()
    known = "document.getElementById('board').dataset.known"

    def show(width, height, scheme="light", motion="reduce", **parameters):
        browser.size(width, height)
        browser.prefer(scheme, motion)
        browser.open(server.at(**parameters))
        browser.wait(f"{known} === 'exact' || document.querySelectorAll('.badge.range').length > 2")

    try:
        SHOTS.mkdir(parents=True, exist_ok=True)
        show(1180, 940, moves="CaDdCb")
        browser.wait(f"{known} === 'exact'")
        wait_for("the whole graph", lambda: not browser.all("#graph .point.unknown") and not browser.all("#graph .between"), 300)
        save(browser, "game")
        show(1180, 600, motion="no-preference")
        browser.press("[", "c")
        browser.wait("document.getElementById('sowing-where').textContent.startsWith('Lap 2')")
        browser.press(".", ".")
        save(browser, "sowing")
        show(1180, 600, profile="hoyito12")
        browser.wait("document.querySelectorAll('.badge.loss').length > 2")
        save(browser, "hoyito12")
        show(390, 800, scheme="dark", profile="hoyito", position="0-2-0-1-0-1-0-1-1-1-0-1")
        browser.wait("document.querySelector('.badge.standoff') !== null")
        save(browser, "phone")
        browser.size(1180, 900)
        browser.prefer("light")
        browser.open(server.at("/tables"))
        browser.wait("document.body.dataset.state === 'ready'")
        save(browser, "tables")
    finally:
        browser.close()
        server.close()


if __name__ == "__main__":
    main()
