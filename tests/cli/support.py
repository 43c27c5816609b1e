"""Runs fourfold-sim as a user does. The program's path comes from the environment variable FOURFOLD_SIM."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["FOURFOLD_SIM"]

# A step small enough to take a fraction of a second.
SMALL_RUN = {
    "model": "gpt-nano",
    "machine": "perlmutter",
    "gpus": "8",
    "grid": "2x1x2x2",
    "batch": "16",
    "micro-batch": "2",
}


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120)


def simulate(*more, **changes):
    """Simulates SMALL_RUN with flags changed (None leaves one out) and further words appended."""
    flags = SMALL_RUN | {name.replace("_", "-"): value for name, value in changes.items()}
    words = [word for name, value in flags.items() if value is not None for word in (f"--{name}", value)]
    return run("simulate", *words, *more)


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content)
        return path

    def assert_done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)

    def assert_refused(self, result, *fragments):
        """Bad input: exit code 2, one message that holds every fragment, nothing on standard output."""
        self.assertEqual(result.returncode, 2, f"{result.args}\n{result.stdout}{result.stderr}")
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("fourfold-sim: "), result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)
