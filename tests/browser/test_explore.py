"""`oju explore` as people meet it: in a browser, by mouse and by keys.

    python3 -m unittest discover -s tests/browser
"""

import pathlib
import random
import re
import tempfile
import threading
import unittest
import urllib.parse

import oju
from webdriver import END, ENTER, ESCAPE, HOME, LEFT, RIGHT, Browser, wait_for

STILL = "document.getElementById('board').dataset.state === 'still'"
EXACT = "document.getElementById('board').dataset.known === 'exact'"

# Tables have these: 8 seeds.
WON = "1-1-0-1-1-0-0-0-1-1-2-0"
CYCLE = "0-2-0-1-0-1-0-1-1-1-0-1"
# Rules, worked examples: A never ends.
ENDLESS = "3-1-0-1-0-1-0-1-0-1-0-1"


def signed(value):
    return "=" if value == 0 else f"+{value}" if value > 0 else f"−{-value}"


def contrast_of(*colours):
    """How well two colours such as #fff1dc can be told apart, from 1 to 21, as WCAG says."""
    def light(colour):
        parts = [int(colour.strip()[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        parts = [part / 12.92 if part <= .04045 else ((part + .055) / 1.055) ** 2.4 for part in parts]
        return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2]
    dark, bright = sorted(map(light, colours))
    return (bright + .05) / (dark + .05)


class Explore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.tables = pathlib.Path(cls.directory.name)
        oju.build("ayoayo", 8, cls.tables)
        oju.build("hoyito", 8, cls.tables)
        cls.server = oju.Server(cls.tables)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.close()
        cls.directory.cleanup()

    def setUp(self):
        self.browser.size(1280, 1000)
        self.browser.prefer(motion="reduce")
        # Set by tests that send what is refused.
        self.refusals = False

    def tearDown(self):
        complaints = self.browser.complaints()
        if self.refusals:
            complaints = [said for said in complaints if "status of 400" not in said]
        self.assertEqual(complaints, [], "the browser's console")

    # --- Words for what the tests do ---

    def open(self, exact=False, server=None, **parameters):
        self.browser.open((server or self.server).at(**parameters))
        self.browser.wait(STILL)
        if exact:
            self.browser.wait(EXACT)

    def board(self, attribute):
        return self.browser.script("return document.getElementById('board').dataset[arguments[0]]", attribute)

    def position(self):
        return self.board("position")

    def counts(self):
        """What is written at the pits, in sowing order, and at the stores."""
        return self.browser.script("""
            const order = (pit) => { const c = pit.dataset.pit; return c < 'a' ? c.charCodeAt(0) : c.charCodeAt(0) + 100; };
            const pits = [...document.querySelectorAll('.pit')].sort((a, b) => order(a) - order(b));
            const numbers = (all) => all.map((one) => Number(one.querySelector('.count').textContent));
            return [numbers(pits), numbers(['south', 'north'].map((side) => document.querySelector(`.store.${side}`)))];
        """)

    def drawn(self):
        """Seeds that are drawn in all pits and stores."""
        return self.browser.script("return document.querySelectorAll('.board .seeds ellipse').length")

    def text(self, selector):
        return self.browser.find(selector).text

    def pit(self, letter):
        return self.browser.find(f".pit[data-pit='{letter}']")

    def wait_for_move(self, before):
        """Until another position lies still on the table."""
        wait_for("the move is done", lambda: self.position() != before)
        self.browser.wait(STILL)

    def moves_listed(self):
        return self.browser.script("""
            return [...document.querySelectorAll('#moves tbody tr:not(.refused)')].map((row) => ({
              move: row.dataset.move, value: row.cells[1].firstChild.textContent.trim(), taken: row.cells[2].textContent,
              laps: row.cells[3].firstChild.textContent.trim(), again: row.cells[3].textContent.includes('again') }))
        """)

    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(self.browser.url).query))

    # --- Values ---

    def test_values_are_those_of_the_command_line(self):
        positions = [("ayoayo", "1-0-0-2-0-3-0-0-0-0-2-0"), ("hoyito", WON), ("hoyito", CYCLE),
                     ("ayoayo", "0-1-0-1-1-1-1-1-0-0-1-1-30-10-N"), ("hoyito-opponent", "0-1-1-0-1-0-1-1-1-1-1-0-20-20-N"),
                     ("ayoayo", "4-2-7-1-1-1-0-1-0-1-6-2-17-5-S")]
        for profile, position in positions:
            with self.subTest(profile=profile, position=position):
                self.open(exact=True, profile=profile, position=position)
                self.browser.wait("document.querySelector('#source').textContent.includes('ms') || document.querySelector('#source').textContent.includes(' s')")
                told = oju.best(profile, position, tables=self.tables)
                verdict = [line for line in oju.run("best", profile, position, tables=self.tables).splitlines() if "Exact." in line]
                self.assertEqual([self.text("#verdict")], verdict)
                listed = self.moves_listed()
                self.assertEqual([(m["move"], m["value"]) for m in listed], [(m["move"], signed(m["value"])) for m in told["moves"]])
                self.assertEqual([m["laps"] for m in listed], [str(m["laps"]) for m in told["moves"]])
                self.assertEqual([m["again"] for m in listed], [m["again"] for m in told["moves"]])
                self.assertEqual([m["taken"] for m in listed], [str(m["captured"] or "–") for m in told["moves"]])
                for m in told["moves"]:
                    pit = self.pit(m["move"])
                    self.assertEqual(self.browser.find(f".pit[data-pit='{m['move']}'] .badge").text, signed(m["value"]))
                    self.assertEqual("best" in pit.attribute("class").split(), m["value"] == told["value"])
                self.assertEqual(self.text("#line"), f"Best play: {told['line'][:40]}" + ("" if len(told["line"]) <= 40 else f" and {len(told['line']) - 40} more"))
                self.assertEqual(self.drawn(), sum(map(sum, self.counts())))

    def test_bounds_are_never_shown_as_values(self):
        self.open(profile="hoyito12")
        self.browser.wait("document.querySelector('.badge.range') !== null")
        for _ in range(20):
            shown = self.browser.script("""
                return [document.getElementById('verdict').textContent, document.getElementById('board').dataset.known,
                        [...document.querySelectorAll('.pit.legal .badge:not(.range, .open)')].map((badge) => badge.textContent)]""")
            if shown[1] != "exact":
                self.assertRegex(shown[0], "^(Proven so far|(South|North) wins. Proven so far)")
                self.assertNotIn("Exact", shown[0])

    def test_standoffs_are_marked(self):
        self.open(exact=True, profile="hoyito", position=CYCLE)
        self.browser.wait("document.querySelector('.badge.standoff') !== null")
        told = oju.best("hoyito", CYCLE, tables=self.tables)
        marked = self.browser.script("return [...document.querySelectorAll('.badge.standoff')].map((badge) => badge.closest('.pit').dataset.pit)")
        self.assertEqual(sorted(marked), sorted(m["move"] for m in told["moves"] if m["standoff"]))
        self.assertIn("stand-off", self.text("#remark"))
        self.assertIn("stand-off", self.pit(marked[0]).label)

    def test_never_ending_moves_are_greyed_with_the_reason(self):
        self.refusals = True
        self.open(exact=True, position=ENDLESS)
        pit = self.pit("A")
        self.assertIn("refused", pit.attribute("class").split())
        self.assertEqual(pit.attribute("aria-disabled"), "true")
        self.assertIn("never ends", pit.label)
        self.assertIn("never ends", pit.attribute("title"))
        self.assertIn("never ends", self.text("#moves tr.refused"))
        pit.click()
        self.browser.wait("!document.getElementById('problem').hidden")
        self.assertIn("'A' never ends", self.text("#problem"))
        self.assertEqual(self.position().split("-")[:12], ENDLESS.split("-"))
        # One that does not feed the opponent: only F may be played (Ayoayo 5).
        self.open(exact=True, position="1-0-0-0-0-3-0-0-0-0-0-0")
        self.assertIn("must be fed", self.pit("A").label)

    # --- Whole games ---

    def test_a_whole_game_by_clicks(self):
        self.open()
        choose = random.Random(4)
        for _ in range(300):
            legal = self.browser.script("return [...document.querySelectorAll('.pit.legal')].map((pit) => pit.dataset.pit)")
            before = self.position()
            if legal:
                self.pit(choose.choice(sorted(legal))).click()
            elif self.browser.find("#pass").shown:
                self.browser.find("#pass").click()
            else:
                break
            self.wait_for_move(before)
            pits, stores = self.counts()
            self.assertEqual(sum(pits) + sum(stores), 48, "no seed is lost")
        self.assertRegex(self.text("#verdict"), r"^The game is (over|drawn up)\. (South wins|North wins|A draw)")
        moves = self.query()["moves"]
        told = oju.best("ayoayo", "--moves", moves, tables=self.tables)
        self.assertEqual(told["position"], self.position())
        if told["over"]:
            result = told["result"]
            self.assertIn("–".join(map(str, sorted(result.values(), reverse=True))), self.text("#verdict"))

    def test_a_whole_game_by_keys_wins_what_the_value_says(self):
        told = oju.best("hoyito", f"{WON}-20-20-S", tables=self.tables)
        self.open(exact=True, profile="hoyito", position=f"{WON}-20-20-S")
        for _ in range(100):
            if self.text("#verdict").startswith("The game is over"):
                break
            before = self.position()
            wait_for("the best move is known", lambda: not self.browser.find("#best").get("disabled"))
            self.browser.press(" ")
            self.wait_for_move(before)
        result = told["result"]
        self.assertNotEqual(result["south"], result["north"])
        self.assertIn("–".join(map(str, sorted(result.values(), reverse=True))), self.text("#verdict"))

    def test_keys_play_step_and_turn(self):
        self.open()
        start = self.position()
        self.browser.press("d")
        self.wait_for_move(start)
        # Rules, worked examples: D leaves this.
        self.assertEqual(self.position(), "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N")
        after = self.position()
        self.browser.press("d")
        self.wait_for_move(after)
        self.assertEqual(self.query()["moves"], "Dd")
        self.browser.press(LEFT)
        wait_for("undone", lambda: self.position() == after)
        self.assertEqual(self.query(), {"moves": "Dd", "at": "1"})
        self.browser.press(RIGHT)
        wait_for("redone", lambda: "at" not in self.query())
        self.browser.press(HOME)
        wait_for("at the beginning", lambda: self.position() == start)
        self.browser.press(END)
        wait_for("at the end", lambda: self.query() == {"moves": "Dd"})
        columns = lambda: self.browser.script("return [...document.querySelectorAll('.pit')].map((pit) => pit.dataset.pit).join('')")
        self.assertEqual(columns(), "fedcbaABCDEF", "counterclockwise: South's A at South's left")
        self.browser.press("v")
        wait_for("turned round", lambda: columns() == "FEDCBAabcdef")
        self.browser.press("?")
        wait_for("the list of keys", lambda: self.browser.find("#keys").get("open"))
        self.browser.press(ESCAPE)
        self.browser.press("s")
        wait_for("the start", lambda: self.position() == start and "moves" not in self.query())
        self.browser.press("r")
        wait_for("a random position", lambda: "position" in self.query())
        self.open(profile="hoyito")
        self.assertEqual(columns(), "abcdefFEDCBA", "clockwise: South's A at South's right")

    def test_the_engine_plays_either_side(self):
        position = f"{WON}-20-20-S"
        told = oju.best("hoyito", position, tables=self.tables)
        self.open(exact=True, profile="hoyito", position=position)
        self.browser.press("2")
        self.assertEqual(self.browser.find("#player-north").get("value"), "engine")
        self.assertNotIn("moves", self.query(), "South is a person")
        self.browser.press("1")
        wait_for("the end", lambda: self.text("#verdict").startswith("The game is"))
        result = told["result"]
        self.assertIn("–".join(map(str, sorted(result.values(), reverse=True))), self.text("#verdict"))

    # --- A server that is slow, or busy ---

    def serve(self, *arguments):
        server = oju.Server(self.tables, *arguments)
        self.addCleanup(server.close)
        return server

    def test_no_more_time_is_asked_for_than_the_server_allows(self):
        server = self.serve("--time", "2s")
        self.open(exact=True, server=server, profile="hoyito", position=WON)
        self.browser.wait("document.querySelector('#time').options.length === 2")
        times = self.browser.script("return [...document.querySelectorAll('#time option')].map((option) => option.value)")
        self.assertEqual((times, self.browser.find("#time").get("value")), (["1", "2"], "2"))
        self.open(server=server, profile="hoyito12")
        self.browser.wait("document.getElementById('board').dataset.known === 'bounds'")
        self.browser.find("#longer").click()
        self.browser.wait("document.getElementById('board').dataset.known === 'open'")
        self.browser.wait("document.getElementById('board').dataset.known === 'bounds'")
        self.assertFalse(self.browser.find("#problem").shown)

    def test_a_busy_server_is_told_of_and_the_game_goes_on(self):
        server = self.serve("--solves", "1")
        self.open(exact=True, server=server, profile="hoyito", position=WON)
        self.browser.script("time.value = '1'; time.dispatchEvent(new Event('change'))")
        other = threading.Thread(target=lambda: server.ask("/api/analyse", profile="hoyito12", time="40s"))
        other.start()
        self.addCleanup(other.join)
        wait_for("another searches", lambda: server.ask("/health")["solving"] == 1)
        self.browser.press("s")
        wait_for("it is told", lambda: "busy" in self.text("#remark"))
        self.assertTrue(self.browser.find("#longer").shown)
        # Nothing is proven but what the rules alone say, and a move is played all the same.
        before = self.position()
        self.browser.press(" ")
        self.wait_for_move(before)
        self.assertIn(self.query()["moves"], "ABCDEF")

    def test_a_game_that_comes_late_is_not_mixed_with_the_next(self):
        source = """
            const fetched = window.fetch;
            window.fetch = async (...asked) => {
              const answer = await fetched(...asked);
              if (window.late === undefined && asked[0].includes('/api/legal')) {
                window.late = false;
                await new Promise((resolve) => { window.letGo = resolve; });
                setTimeout(() => { window.late = true; }, 0);
              }
              return answer;
            };"""
        script = self.browser.developer("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
        try:
            self.browser.open(self.server.at(moves="Dd"))
        finally:
            self.browser.developer("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        self.browser.wait("window.letGo !== undefined")
        self.browser.press("s")
        self.browser.wait(STILL)
        self.browser.script("letGo()")
        self.browser.wait("late")
        before = self.position()
        self.browser.press("c")
        self.wait_for_move(before)
        self.assertEqual(self.query(), {"moves": "C"})

    # --- Sowing ---

    def test_a_sowing_is_shown_to_its_end(self):
        self.browser.prefer(motion="no-preference")
        self.open()
        self.browser.press("d")
        self.browser.wait("document.getElementById('board').dataset.state === 'sowing'")
        self.browser.wait("!document.querySelector('.hand').hidden")
        seen = set()

        def ended():
            state, lap, pits, stores, hand = self.browser.script("""
                const numbers = (all) => [...document.querySelectorAll(all)].reduce((sum, one) => sum + Number(one.textContent), 0);
                const hand = document.querySelector('.hand');
                return [document.getElementById('board').dataset.state, document.getElementById('sowing-where').textContent,
                        numbers('.pit .count'), numbers('.store .count'), hand.hidden ? 0 : Number(hand.textContent)]""")
            self.assertEqual(pits + stores + hand, 48, "every seed is somewhere")
            if state == "sowing":
                seen.add(lap)
            return state == "still"

        wait_for("the sowing ends", ended)
        self.assertTrue(seen <= {f"Lap {lap} of 5" for lap in range(1, 6)} and len(seen) > 1, seen)
        self.assertEqual(self.position(), "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N")
        self.assertEqual(self.counts(), [[1, 6, 6, 2, 7, 0, 0, 1, 6, 6, 6, 0], [7, 0]])

    def test_a_sowing_is_stepped_through(self):
        self.open(moves="D")
        # Where motion is not wanted a sowing begins with a pause.
        self.browser.press("w")
        self.browser.wait("document.getElementById('board').dataset.state === 'sowing'")
        self.assertEqual(self.browser.find("#pause").text, "Go on")
        self.assertEqual(self.counts()[0], [4] * 12)
        self.browser.press(".")
        self.assertEqual(self.counts()[0], [4, 4, 4, 0] + [4] * 8)
        self.browser.press(".", ".")
        self.assertEqual(self.counts()[0], [4, 4, 4, 0, 5, 5] + [4] * 6)
        self.browser.press(",")
        self.assertEqual(self.counts()[0], [4, 4, 4, 0, 5, 4] + [4] * 6)
        self.browser.press("n")
        self.assertEqual(self.counts()[0], [4, 4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4], "the first lap is sown")
        self.browser.find("#lap-on").click()
        self.assertEqual(self.text("#sowing-where"), "Lap 3 of 5")
        self.browser.find("#lap-back").click()
        self.assertEqual(self.text("#sowing-where"), "Lap 2 of 5")
        self.browser.press(ESCAPE)
        self.browser.wait(STILL)
        self.assertEqual(self.counts(), [[1, 6, 6, 2, 7, 0, 0, 1, 6, 6, 6, 0], [7, 0]])

    def test_what_is_sown_can_be_undone_at_once(self):
        self.browser.prefer(motion="no-preference")
        self.open()
        before = self.position()
        self.browser.press("[", "[", "[", "d")
        self.browser.wait("document.getElementById('board').dataset.state === 'sowing'")
        self.assertEqual(self.text("#position-text"), "1-6-6-2-7-0-0-1-6-6-6-0-7-0-N")
        self.assertTrue(self.browser.find("#moves").get("inert"), "these were the moves before")
        self.browser.find("#undo").click()
        self.browser.wait(STILL)
        self.assertEqual((self.position(), self.query()["at"]), (before, "0"))
        self.assertFalse(self.browser.find("#moves").get("inert"))
        self.browser.press("]", "]", "]")

    def test_reduced_motion_is_honoured(self):
        self.open()
        self.browser.script("""
            window.states = [];
            new MutationObserver(() => states.push(board.dataset.state)).observe(board, { attributes: true });""")
        before = self.position()
        self.browser.press("d")
        self.wait_for_move(before)
        self.assertNotIn("sowing", self.browser.script("return states"))

    # --- The editor ---

    def test_a_position_is_set_up(self):
        self.refusals = True
        self.open(profile="hoyito")
        self.browser.find("#edit").click()
        total = lambda: self.text("#edit-total")
        wait_for("the totals", lambda: "48 of 48, complete. Allowed." in total())
        self.browser.find("#edit-clear").click()
        for letter in "ABB":
            self.pit(letter).click()
        wait_for("the reason", lambda: "Not allowed: 3 seeds on the board" in total() and "multiple of four" in total())
        self.assertTrue(self.browser.find("#edit-done").get("disabled"))
        self.pit("f").click()
        wait_for("four seeds", lambda: "4 on the board" in total() and "Allowed" in total())
        self.browser.shift_click(self.pit("A"))
        wait_for("three again", lambda: "3 on the board" in total() and "Not allowed" in total())
        # By keys: e is South's pit first, North's the second time.
        self.browser.press("e", "e", "1", "+", "-")
        wait_for("four seeds", lambda: "4 on the board, 0 and 0 in the stores: 4 of 48, 44 missing. Allowed." in total())
        self.browser.find("#edit-rest-north").click()
        wait_for("all seeds", lambda: "0 and 44 in the stores: 48 of 48, complete. Allowed." in total())
        self.browser.find("#edit-done").click()
        self.browser.wait(EXACT)
        position = "0-2-0-0-0-0-0-0-0-0-1-1-0-44-S"
        self.assertEqual((self.position(), self.query()["position"]), (position, position))
        told = oju.best("hoyito", position, tables=self.tables)
        self.assertEqual([(m["move"], m["value"]) for m in self.moves_listed()], [(m["move"], signed(m["value"])) for m in told["moves"]])
        # Leaving without using it changes nothing.
        self.browser.press("m", "b", "9", ESCAPE)
        wait_for("left", lambda: not self.browser.find("#editor").shown)
        self.assertEqual(self.position(), position)

    def test_the_game_waits_while_a_position_is_set_up(self):
        self.open(profile="hoyito", moves="Af")
        before = self.query()
        self.browser.press("m", "s", "r", LEFT, HOME, " ", "-", "1", "w")
        self.assertTrue(self.browser.find("#editor").shown)
        self.assertEqual((self.query(), self.browser.find("#player-south").get("value")), (before, "person"))
        self.assertTrue(self.browser.find(".panel").get("inert"))
        # From pit to pit, as they lie.
        focused = lambda: self.browser.script("return document.activeElement.dataset.pit")
        self.browser.press("b", RIGHT)
        self.assertEqual(focused(), "A")
        self.browser.press(LEFT, LEFT)
        self.assertEqual(focused(), "C")
        self.browser.press(ESCAPE)
        wait_for("left", lambda: not self.browser.find("#editor").shown)
        self.assertFalse(self.browser.find(".panel").get("inert"))

    def test_a_search_goes_on_after_the_editor(self):
        self.open(profile="hoyito12")
        self.browser.script("time.value = '1'; time.dispatchEvent(new Event('change'))")
        self.browser.press("m")
        wait_for("the editor", lambda: self.browser.find("#editor").shown)
        self.browser.press(ESCAPE)
        self.browser.wait("document.getElementById('board').dataset.known === 'bounds'")

    # --- Links ---

    def test_a_shared_link_shows_the_same(self):
        self.open(exact=True, profile="hoyito", position=CYCLE, moves="Bc", at="1", flip="1")
        self.assertEqual(self.browser.find("#profile").get("value"), "hoyito")
        self.assertEqual(self.text("#position-text"), oju.best("hoyito", CYCLE, "--moves", "B", tables=self.tables)["position"])
        self.assertEqual(self.query(), {"profile": "hoyito", "position": CYCLE, "moves": "Bc", "at": "1", "flip": "1"})
        link = self.browser.url
        self.browser.open("about:blank")
        self.browser.open(link)
        self.browser.wait(STILL)
        self.assertEqual(self.browser.url, link)
        self.browser.press(RIGHT)
        # A cycle of the rules page: after B and c the same position again.
        wait_for("the cycle is closed", lambda: self.text("#position-text") == f"{CYCLE}-S")

    def test_three_times_the_same_position_is_a_draw_of_what_is_left(self):
        self.open(profile="hoyito", position=f"{CYCLE}-20-20-S", moves="BcBc")
        wait_for("drawn up", lambda: self.text("#verdict") == "The game is drawn up. A draw, 24–24.")
        self.assertIn("third time", self.text("#remark"))
        self.assertTrue(self.browser.find("#best").get("disabled"))

    def test_a_wrong_link_says_what_is_wrong(self):
        self.refusals = True
        self.open(moves="DX")
        self.assertIn("move 2: 'X'", self.text("#problem"))
        self.assertEqual(self.query(), {"moves": "D"}, "played as far as it is right")
        self.open(position="4-4")
        self.assertIn("2 counts: ayoayo has 12 pits", self.text("#problem"))
        self.open(profile="<img src=x onerror=document.title='owned'>")
        self.assertIn("unknown profile", self.text("#problem"))
        self.assertEqual(self.browser.script("return [document.title, document.querySelectorAll('main img').length]"), ["oju: ayoayo", 0])

    def test_copying(self):
        self.browser.developer("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.open(exact=True, profile="hoyito", position=WON)
        self.browser.script("""
            window.copied = [];
            const write = navigator.clipboard.writeText.bind(navigator.clipboard);
            navigator.clipboard.writeText = (text) => { copied.push(text); return write(text); };""")
        self.browser.find("#copy-position").click()
        self.browser.find("#copy-link").click()
        self.browser.press("o")
        wait_for("three copies", lambda: self.browser.script("return copied.length") == 3)
        position, link, text = self.browser.script("return copied")
        self.assertEqual((position, link), (f"{WON}-S", self.browser.url))
        told = oju.best("hoyito", WON, tables=self.tables)
        copied = self.browser.script("return JSON.parse(arguments[0])", text)
        for clock in ("time_ms", "nodes"):
            told.pop(clock), copied.pop(clock)
        self.assertEqual(copied, told)

    # --- The graph ---

    def test_mistakes_are_marked_and_lead_there(self):
        told = oju.best("hoyito", f"{WON}-20-20-S", tables=self.tables)
        best, worst = told["moves"][0], told["moves"][-1]
        self.assertLess(worst["value"], best["value"])
        self.open(exact=True, profile="hoyito", position=f"{WON}-20-20-S", moves=worst["move"])
        self.browser.wait("document.querySelector('#mistakes button') !== null")
        cost = best["value"] - worst["value"]
        self.assertIn(f"Move 1, South {worst['move']}: {cost} seeds less than {best['move']}", self.text("#mistakes"))
        point = self.browser.find("#graph .point[data-at='1']")
        self.assertRegex(point.attribute("class"), "mistake|turned")
        margin = told["result"]["south"] - told["result"]["north"]
        said = self.browser.find("#graph .point[data-at='0']").attribute("aria-label")
        self.assertIn(f": {signed(margin)}", said)
        self.browser.find("#mistakes button").click()
        wait_for("before the mistake", lambda: self.query().get("at") == "0")
        self.browser.find("#record button").click()
        wait_for("after it", lambda: "at" not in self.query())
        for key in (" ", ENTER):
            self.browser.script("document.querySelector(`#graph .point[data-at='${arguments[0]}']`).focus()", "1" if "at" in self.query() else "0")
            before = self.query()
            self.browser.press(key)
            wait_for("there by the key", lambda: self.query() != before)

    # --- Tables ---

    def test_the_page_of_tables(self):
        self.browser.open(self.server.at("/tables"))
        self.browser.wait("document.body.dataset.state === 'ready'")
        told = self.server.ask("/api/tables")["tables"]
        for profile in ("ayoayo", "hoyito"):
            rows = self.browser.script("return [...document.querySelectorAll(`[data-profile='${arguments[0]}'] tbody tr`)].map((row) => [row.cells[0].textContent, row.cells[1].textContent])", profile)
            self.assertEqual(rows, [[str(t["seeds"]), f"{t['positions']:,}"] for t in told if t["profile"] == profile])
        eight = next(t for t in told if t["profile"] == "hoyito" and t["seeds"] == 8)
        bars = self.browser.script("return [...document.querySelectorAll(\"[data-profile='hoyito'] .bar\")].map((bar) => [bar.querySelector('a').textContent, bar.querySelector('.often').textContent.split(' ')[0]])")
        self.assertEqual(bars, [[signed(v["number"]), f"{v['positions']:,}"] for v in reversed(eight["values"])])
        # A value leads to a position that has it.
        value = bars[0][0]
        self.browser.find("[data-profile='hoyito'] .bar a").click()
        self.browser.wait(f"document.getElementById('board') && {STILL} && {EXACT}")
        self.assertEqual(self.moves_listed()[0]["value"], value)

    # --- Sizes, schemes, and people who can not see the board ---

    def test_no_page_is_wider_than_a_phone(self):
        for width in (360, 390, 768):
            self.browser.size(width, 800)
            for parameters in ({"position": WON}, {"profile": "hoyito12"}, {"profile": "ayoayo@2x8x3"}):
                self.open(**parameters)
                for mode in ("play", "edit"):
                    with self.subTest(width=width, mode=mode, **parameters):
                        wide, smallest = self.browser.script("""
                            const sizes = [...document.querySelectorAll('.pit')].map((pit) => pit.getBoundingClientRect());
                            return [document.documentElement.scrollWidth, Math.min(...sizes.flatMap((size) => [size.width, size.height]))]""")
                        self.assertLessEqual(wide, width)
                        self.assertGreaterEqual(smallest, 24, "a finger needs so much")
                    self.browser.press("m")
            self.browser.open(self.server.at("/tables"))
            self.browser.wait("document.body.dataset.state === 'ready'")
            self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width)

    def test_every_seed_in_a_store_can_be_seen(self):
        for width, profile, position in ((360, "ayoayo", "1-0-0-0-0-3-0-0-0-0-0-0-40-4-S"), (1280, "ayoayo", "1-0-0-0-0-3-0-0-0-0-0-0-27-17-S"),
                                         (1280, "hoyito12", "-".join(["1", *"0" * 22, "3"]) + "-80-12-S"), (768, "ayoayo", "1-0-0-0-0-3-0-0-0-0-0-0-14-30-S")):
            with self.subTest(width=width, profile=profile):
                self.browser.size(width, 900)
                self.open(profile=profile, position=position)
                outside = self.browser.script("""
                    return [...document.querySelectorAll('.hollow')].flatMap((hollow) => {
                      const room = hollow.getBoundingClientRect();
                      return [...hollow.querySelectorAll('ellipse')].map((seed) => seed.getBoundingClientRect())
                        .filter((seed) => seed.left < room.left || seed.right > room.right || seed.top < room.top || seed.bottom > room.bottom);
                    }).length""")
                self.assertEqual(outside, 0)

    def test_light_and_dark_can_both_be_read(self):
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme, motion="reduce")
            self.open(exact=True, profile="hoyito", position=WON)
            contrasts = self.browser.script("""
                const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
                const colour = (text) => { canvas.fillStyle = '#000'; canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
                const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
                    .reduce((sum, c, at) => sum + c * [.2126, .7152, .0722][at], 0);
                const ground = (element) => { for (; element; element = element.parentElement) {
                    const found = getComputedStyle(element).backgroundColor; if (!/, 0\\)$|transparent/.test(found)) return colour(found); } return [255, 255, 255]; };
                const contrast = (selector) => { const element = document.querySelector(selector);
                    const [a, b] = [light(colour(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
                    return [selector, (a + .05) / (b + .05)]; };
                return ['#verdict', '#remark', '#moves th', '.ridge span', '#moves .value', '#position-text', '.strong', '.badge.win', '#undo'].map(contrast)""")
            for selector, contrast in contrasts:
                if selector != "#undo":
                    self.assertGreaterEqual(contrast, 4.5, f"{scheme}: {selector}")
            # Letters and counts, carved into wood of several shades.
            engraved, wood = self.browser.script("return ['--engraved', '--wood'].map((name) => getComputedStyle(board).getPropertyValue(name))")
            self.assertGreaterEqual(contrast_of(engraved, wood), 4.5, scheme)
            ground = self.browser.script("return getComputedStyle(document.body).backgroundColor")
            bright = sum(map(int, re.findall(r"\d+", ground)[:3])) > 384
            self.assertEqual(bright, scheme == "light", ground)

    def test_everything_has_a_name(self):
        self.open(exact=True, profile="hoyito", position=WON)
        told = oju.best("hoyito", WON, tables=self.tables)
        for element in self.browser.all("button, select, input, a, [role=button]"):
            if element.shown:
                self.assertTrue(element.label.strip(), self.browser.script("return arguments[0].outerHTML", {"element-6066-11e4-a52e-4f735466cecf": element.reference}))
        best = told["moves"][0]
        label = self.pit(best["move"]).label
        self.assertIn(f"South {best['move']}: ", label)
        self.assertIn("best", label)
        before = self.position()
        # Enter plays the pit that has the focus.
        self.browser.script("document.querySelector(`.pit[data-pit='${arguments[0]}']`).focus()", best["move"])
        self.browser.press(ENTER)
        self.wait_for_move(before)
        said = lambda: self.browser.script("return document.getElementById('spoken').textContent")
        wait_for("what happened, and what it is worth", lambda: said().startswith(f"South plays {best['move']}: ") and said().endswith("Exact."))
        self.browser.press(LEFT)
        wait_for("where we are, and what it is worth", lambda: re.match(r"The beginning\. South to move\. South takes \d+ and North \d+ of the 8 seeds left with best play\. Exact\.$", said()))

    # --- Speed: told in milliseconds, tested in what no other work on the machine changes ---

    def requests(self):
        """The paths that the page has asked for, of its own server; whole addresses of others."""
        return self.browser.script("return performance.getEntriesByType('resource').map((file) => file.name.replace(location.origin, '').replace(/[?].*/, ''))")

    def test_the_page_is_small_and_a_move_asks_for_little(self):
        paints, badges = [], []
        for _ in range(3):
            self.open(exact=True, profile="hoyito", position=WON)
            paints.append(self.browser.wait("performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
            # Nothing from elsewhere, each file once, and three answers: what is legal, the profiles, the values.
            files = self.requests()
            self.assertEqual(len(files), len(set(files)))
            self.assertEqual([name for name in files if not name.startswith("/")], [])
            self.assertEqual(sorted(name for name in files if name.startswith("/api/")), ["/api/analyse/stream", "/api/legal", "/api/profiles"])
            self.assertLess(len(files), 25)
            self.browser.script("""
                window.took = null;
                performance.clearResourceTimings();
                const from = {};
                document.addEventListener('keydown', () => { from.at = performance.now(); from.position = board.dataset.position; }, { capture: true, once: true });
                const watch = new MutationObserver(() => {
                  if (board.dataset.position !== from.position && board.dataset.known === 'exact') { took = performance.now() - from.at; watch.disconnect(); }
                });
                watch.observe(board, { attributes: true });""")
            self.browser.press(" ")
            badges.append(self.browser.wait("took"))
            # One for the move, one for the values after it.
            self.assertEqual(sorted(self.requests()), ["/api/analyse/stream", "/api/play"])
        print(f"first paint {min(paints):.0f} to {max(paints):.0f} ms; badges from tables {min(badges):.0f} to {max(badges):.0f} ms after the key")


if __name__ == "__main__":
    unittest.main()
