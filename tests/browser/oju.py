"""The program under test: its server, its tables, and what it prints."""

import json
import os
import pathlib
import subprocess
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program():
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return os.environ.get("OJU", str(target / "release" / "oju"))


def run(*arguments, tables):
    """What the program prints, done or incomplete."""
    done = subprocess.run([program(), *arguments, "--tables", str(tables)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(done.stderr)
    return done.stdout


def best(*arguments, tables):
    return json.loads(run("best", *arguments, "--json", tables=tables))


def build(profile, seeds, tables):
    subprocess.run([program(), "build", profile, "--seeds", str(seeds), "--forced", "--tables", str(tables)],
                   capture_output=True, check=True)


class Server:
    def __init__(self, tables, *arguments):
        arguments = [program(), "explore", "--port", "0", "--tables", str(tables), *arguments]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def at(self, path="/", **parameters):
        query = urllib.parse.urlencode(parameters)
        return urllib.parse.urljoin(self.url, path) + (f"?{query}" if query else "")

    def ask(self, path, **parameters):
        with urllib.request.urlopen(self.at(path, **parameters)) as response:
            return json.load(response)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
