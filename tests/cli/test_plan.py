"""fourfold-sim plan and sweep, as a user runs them."""

import csv
import json
import unittest

import support

PLAN = ["plan", "--model", "gpt-nano", "--machine", "perlmutter", "--gpus", "8", "--batch", "16"]
SWEEP = {
    "models": ["gpt-nano"],
    "machines": ["perlmutter"],
    "gpus": [8],
    "grids": ["2x1x2x2", "1x1x8x1", "7x1x1x1"],
    "overlaps": ["none", "all"],
    "batch": 16,
}


class PlanTest(support.CliTest):
    def test_table_names_grids_and_what_was_dropped(self):
        result = support.run(*PLAN)
        self.assert_done(result)
        self.assertIn("20 grids, ", result.stdout)  # 8 = 2^3 on four axes: binomial(6, 3)
        self.assertIn("grids fit", result.stdout)

    def test_framework_takes_memory_beside_the_tensors(self):
        rows = {}
        for framework in ["auto", "none"]:
            path = self.folder / f"{framework}.csv"
            self.assert_done(support.run(*PLAN, "--framework-memory", framework, "--csv", path))
            with open(path, newline="") as file:
                rows[framework] = next(csv.DictReader(file))
        self.assertGreater(float(rows["auto"]["memory_framework_GiB"]), 0.5)
        self.assertEqual(float(rows["none"]["memory_framework_GiB"]), 0)
        self.assertEqual(rows["auto"]["memory_peak_GiB"], rows["none"]["memory_peak_GiB"])

    def test_verification_ranks_by_simulated_time(self):
        path = self.folder / "plans.csv"
        self.assert_done(support.run(*PLAN, "--verify", "4", "--jobs", "2", "--csv", path))
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        times = [float(row["simulated_s"]) for row in rows[:4]]
        self.assertEqual(times, sorted(times))
        self.assertEqual(sorted(row["predicted_rank"] for row in rows[:4]), ["1", "2", "3", "4"])
        self.assertEqual(rows[4]["simulated_s"], "")

    def test_verification_reports_the_agreement(self):
        path = self.folder / "plans.json"
        self.assert_done(support.run(*PLAN, "--verify", "all", "--json", path))
        agreement = json.loads(path.read_text())["agreement"][0]
        self.assertEqual(agreement["prediction"], "predicted step time")
        self.assertGreater(agreement["spearman"], 0.9)

    def test_paper_variant_predicts_kernels_and_equations(self):
        path = self.folder / "plans.csv"
        self.assert_done(support.run(*PLAN, "--model-variant", "paper", "--csv", path))
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                sum_of_parts = float(row["kernels_s"]) + float(row["paper_communication_s"])
                self.assertAlmostEqual(float(row["predicted_s"]), sum_of_parts, places=12)

    def test_explanations(self):
        works = support.run(*PLAN, "--explain", "2x1x2x2")
        self.assert_done(works)
        self.assertIn("Memory at the peak", works.stdout)
        fails = support.run("plan", "--model", "gpt-nano", "--machine", "perlmutter", "--gpus", "7", "--batch", "16",
                            "--explain", "1x1x7x1")
        self.assertEqual(fails.returncode, 1)
        self.assertIn("is not divisible by grid.z 7", fails.stdout)

    def test_bad_flags_are_refused(self):
        self.assert_refused(support.run(*PLAN, "--model-variant", "fited"), "fitted")
        self.assert_refused(support.run(*PLAN, "--explain", "2x1x2x1"), "4 ranks", "--gpus is 8")
        self.assert_refused(support.run(*PLAN, "--verify", "0"), "--verify")
        self.assert_refused(support.run(*PLAN[:-3], "10000000", "--batch", "16"), "--gpus", "perlmutter")


class SweepTest(support.CliTest):
    def setUp(self):
        super().setUp()
        self.table = self.folder / "sweep.csv"

    def sweep(self, *more, **changes):
        file = self.write("sweep.json", json.dumps(SWEEP | changes))
        return support.run("sweep", file, "--csv", self.table, *more)

    def rows(self):
        with open(self.table, newline="") as file:
            return list(csv.DictReader(file))

    def test_bad_rows_are_reported_and_the_rest_continues(self):
        self.assert_done(self.sweep())
        status = {row["grid"] or row["run"].split("/")[3]: row["status"] for row in self.rows()}
        self.assertEqual(status, {"2x1x2x2": "ok", "1x1x8x1": "ok", "7x1x1x1": "failed"})
        self.assertEqual(len(self.rows()), 6)
        self.assertIn("has 7 ranks, not 8", next(r["error"] for r in self.rows() if r["status"] == "failed"))

    def test_a_torn_row_is_made_again_and_no_other(self):
        self.assert_done(self.sweep())
        whole = self.table.read_text()
        self.table.write_text(whole[:-20])
        result = self.sweep()
        self.assert_done(result)
        self.assertIn("1 of 6 runs were made", result.stderr)
        self.assertEqual(sorted(self.table.read_text().splitlines()), sorted(whole.splitlines()))

    def test_a_finished_sweep_makes_nothing(self):
        self.assert_done(self.sweep())
        whole = self.table.read_text()
        self.assertIn("0 of 6 runs were made", self.sweep().stderr)
        self.assertEqual(self.table.read_text(), whole)

    def test_other_files_are_left_alone(self):
        self.table.write_text("a,b\n1,2\n")
        self.assert_refused(self.sweep(), "other columns")
        self.assertEqual(self.table.read_text(), "a,b\n1,2\n")

    def test_unknown_keys_are_refused(self):
        self.assert_refused(self.sweep(overlap=["all"]), "overlap", "overlaps")


if __name__ == "__main__":
    unittest.main()
