"""What a run prints and writes, and what becomes of files that cannot be written."""

import csv
import json
import os
import subprocess
import unittest

from support import PROGRAM, SMALL_RUN, SOURCE, CliTest, simulate


class Report(CliTest):
    def test_tables(self):
        result = simulate()
        self.assert_done(result)
        for heading in ["Step time", "FLOP rate", "time per GPU", "memory per GPU", "busiest links"]:
            self.assertIn(heading, result.stdout)

    def test_quiet_prints_nothing(self):
        result = simulate("--quiet")
        self.assert_done(result)
        self.assertEqual(result.stdout + result.stderr, "")

    def test_no_progress_bar_without_a_terminal(self):
        self.assertNotIn("\r", simulate().stderr)

    def test_what_does_not_fit_fails_with_the_memory_table(self):
        # 80 B parameters x 18 bytes on 8 GPUs = 180 GB each; the GPU has 40 GiB.
        result = simulate("--json", self.folder / "r.json", model="gpt-80b", batch="4", micro_batch="1")
        self.assertEqual(result.returncode, 1)
        for fragment in ["optimizer_state", "memory of the GPU", "peak reached in"]:
            self.assertIn(fragment, result.stdout)
        self.assertIn("does not fit", result.stderr)
        self.assertFalse((self.folder / "r.json").exists())

    def test_framework_memory_is_a_row_and_may_be_left_out(self):
        self.assertIn("framework, estimated", simulate().stdout)
        self.assertNotIn("framework", simulate("--framework-memory", "none").stdout)

    def test_framework_memory_of_a_file_of_ones_own(self):
        text = (SOURCE / "platforms/frameworks/pytorch-cuda.json").read_text()
        huge = self.write("huge.json", text.replace('"MiB": 526', '"MiB": 50000'))  # the GPU has 40,960 MiB
        result = simulate("--framework-memory", huge)
        self.assertEqual(result.returncode, 1)
        self.assertIn("does not fit", result.stderr)
        wrong = self.write("wrong.json", text.replace('"share": 0.05', '"share": 5'))
        self.assert_refused(simulate("--framework-memory", wrong), "wrong.json", "share")
        self.assert_refused(simulate("--framework-memory", "pytorch-cude"), "pytorch-cuda")

    def test_full_standard_output_is_an_error(self):
        words = [word for name, value in SMALL_RUN.items() for word in (f"--{name}", value)]
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "simulate", *words], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)


class Files(CliTest):
    def test_two_runs_are_equal_byte_for_byte(self):
        for name in ["a", "b"]:
            self.assert_done(
                simulate(*[word for kind in ["json", "csv", "trace", "dump-program"]
                           for word in (f"--{kind}", self.folder / f"{name}.{kind}")]))
        for kind in ["json", "csv", "trace", "dump-program"]:
            first, second = ((self.folder / f"{name}.{kind}").read_bytes() for name in ["a", "b"])
            self.assertGreater(len(first), 0)
            self.assertEqual(first, second, kind)

    def test_json_adds_up(self):
        self.assert_done(simulate("--json", self.folder / "r.json"))
        report = json.loads((self.folder / "r.json").read_text())
        setup, time = report["setup"], report["time_per_gpu"]
        self.assertEqual(setup["gpus"], 8)
        self.assertAlmostEqual(report["tokens_per_s"] * report["step_time_s"], setup["batch"] * setup["sequence"])
        exposed = sum(collective["exposed_s"] for collective in time["collectives"])
        self.assertAlmostEqual(time["compute_s"] + exposed + time["other_waiting_s"], report["step_time_s"])
        kinds = report["memory_per_gpu"]["peak_GiB"]
        self.assertAlmostEqual(sum(kinds.values()), 2 * kinds["total"])
        self.assertAlmostEqual(report["model_flops"]["counted"]["per_step_PFLOP"],
                               report["model_flops"]["formula"]["per_step_PFLOP"])

    def test_csv_collects_runs(self):
        for overlap in ["none", "all"]:
            self.assert_done(simulate("--csv", self.folder / "r.csv", overlap=overlap))
        with open(self.folder / "r.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["overlap"] for row in rows], ["none", "all"])
        self.assertLessEqual(float(rows[1]["step_time_s"]), float(rows[0]["step_time_s"]))
        for row in rows:
            parts = [name for name in row if name.endswith("_exposed_s")] + ["compute_s"]
            self.assertAlmostEqual(sum(float(row[name]) for name in parts), float(row["step_time_s"]))

    def test_trace_holds_the_ranks_asked_for(self):
        self.assert_done(simulate("--trace", self.folder / "t.json", "--trace-ranks", "0,5"))
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        self.assertEqual({event["pid"] for event in events}, {0, 5})
        complete = [event for event in events if event["ph"] == "X"]
        self.assertTrue(all(event["dur"] >= 0 for event in complete))
        self.assertTrue(any("backward/block 3" in event["args"]["range"] for event in complete))
        self.assertIn("gemm", {event["name"] for event in complete})

    def test_program_on_standard_output_stands_alone(self):
        result = simulate("--dump-program", "-")
        self.assert_done(result)
        self.assertIn("gemm", result.stdout)
        self.assertNotIn("Step time", result.stdout)

    def test_symbolic_link_stays(self):
        (self.folder / "real.json").write_text("old")
        (self.folder / "link.json").symlink_to("real.json")
        self.assert_done(simulate("--json", self.folder / "link.json"))
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertIn("step_time_s", (self.folder / "real.json").read_text())

    def test_device_is_written_to_not_replaced(self):
        self.assert_done(simulate("--json", "/dev/null"))
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_no_temporary_files_stay(self):
        self.assert_done(simulate("--json", self.folder / "r.json", "--csv", self.folder / "r.csv"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["r.csv", "r.json"])


class FoldingInTime(CliTest):
    # 128 sequences over z and data 2 x 2 in micro-batches of 2: 16 micro-batches.

    def report(self, *flags, **changes):
        result = simulate(*flags, "--json", "-", **(dict(batch="128") | changes))
        self.assert_done(result)
        return json.loads(result.stdout)

    def test_folded_and_whole_steps_agree(self):
        for overlap in ["none", "all"]:
            for recompute in ["full", "none"]:
                with self.subTest(overlap=overlap, recompute=recompute):
                    flags = ("--overlap", overlap, "--recompute", recompute)
                    self.assert_agree(self.report(*flags), self.report(*flags, "--fold-time", "off"))

    def test_with_a_slow_rank_and_a_degraded_nic(self):
        flags = ("--slow", "3:0.7", "--degrade", "nic-1:0.3")
        self.assert_agree(self.report(*flags), self.report(*flags, "--fold-time", "off"))

    def assert_agree(self, folded, whole):
        self.assertLess(folded["simulation"]["replayed_micro_batches"], 16)
        self.assertEqual(whole["simulation"]["replayed_micro_batches"], 16)
        step = whole["step_time_s"]
        self.assertAlmostEqual(folded["step_time_s"], step, delta=0.005 * step)
        self.assertAlmostEqual(folded["time_per_gpu"]["compute_s"], whole["time_per_gpu"]["compute_s"], delta=1e-9 * step)
        for part, all_ in zip(folded["time_per_gpu"]["collectives"], whole["time_per_gpu"]["collectives"], strict=True):
            self.assertEqual(part["count"], all_["count"])
            self.assertAlmostEqual(part["sent_GB"], all_["sent_GB"], delta=1e-9 * all_["sent_GB"])
            self.assertAlmostEqual(part["busy_s"], all_["busy_s"], delta=0.005 * step)
            self.assertAlmostEqual(part["exposed_s"], all_["exposed_s"], delta=0.005 * step)
        for part, all_ in zip(folded["kernels"], whole["kernels"], strict=True):
            self.assertEqual((part["name"], part["count"]), (all_["name"], all_["count"]))
        self.assertEqual(folded["memory_per_gpu"]["peak_GiB"], whole["memory_per_gpu"]["peak_GiB"])
        for kind in ["hardware_flops", "model_flops"]:
            whole_flops = whole[kind]["counted"]["per_step_PFLOP"]
            self.assertAlmostEqual(folded[kind]["counted"]["per_step_PFLOP"], whole_flops, delta=1e-9 * whole_flops)
        for part, all_ in zip(folded["network"]["classes"], whole["network"]["classes"], strict=True):
            self.assertAlmostEqual(part["carried_GB"], all_["carried_GB"], delta=1e-9 * all_["carried_GB"])

    def test_the_report_says_what_was_folded(self):
        self.assertIn("of 16 micro-batches replayed", simulate(batch="128").stdout)
        self.assertNotIn("micro-batches replayed", simulate().stdout)

    def test_jitter_is_replayed_micro_batch_by_micro_batch(self):
        report = self.report("--jitter", "0.1")
        self.assertEqual(report["simulation"]["replayed_micro_batches"], 16)


class Disturbances(CliTest):
    def test_each_has_its_cost(self):
        result = simulate("--slow", "3:0.5", "--background", "nic-0:10", "--json", "-")
        self.assert_done(result)
        report = json.loads(result.stdout)
        disturbances = report["disturbances"]
        self.assertEqual([one["what"] for one in disturbances["each_alone"]],
                         ["rank 3 at 0.5 of its speed", "10 GB/s of another job on link nic-0"])
        self.assertGreater(disturbances["each_alone"][0]["cost_percent"], 0)
        self.assertGreater(report["step_time_s"], disturbances["undisturbed_step_time_s"])
        self.assertNotIn(3, [wait["rank"] for wait in disturbances["longest_waits"][:1]])

    def test_an_undisturbed_report_has_none(self):
        result = simulate("--json", "-")
        self.assertNotIn("disturbances", json.loads(result.stdout))


class UnwritableFiles(CliTest):
    def test_each_output(self):
        for flag in ["--json", "--csv", "--trace", "--dump-program"]:
            for path in [self.folder / "absent" / "file", self.folder, "/proc/fourfold", ""]:
                with self.subTest(flag=flag, path=path):
                    self.assert_refused(simulate(flag, path), flag)

    def test_two_outputs_in_one_file(self):
        path = self.folder / "r"
        self.assert_refused(simulate("--json", path, "--csv", path), "two outputs")
        self.assert_refused(simulate("--json", "-", "--trace", "-"), "two outputs")

    def test_csv_with_other_columns(self):
        path = self.write("other.csv", "a,b\n1,2\n")
        self.assert_refused(simulate("--csv", path), "other.csv", "columns")
        self.assertEqual(path.read_text(), "a,b\n1,2\n")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only_file(self):
        path = self.write("r.json", "old")
        path.chmod(0o444)
        self.assert_refused(simulate("--json", path), "r.json")
        self.assertEqual(path.read_text(), "old")


if __name__ == "__main__":
    unittest.main()
