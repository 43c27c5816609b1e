"""Flags: unknown, repeated, missing, with senseless values, or at odds with each other."""

import json
import unittest

from support import CliTest, run, simulate


class Usage(CliTest):
    def test_help_is_on_standard_output(self):
        for words in [["--help"], ["simulate", "--help"], ["models", "--help"], ["machines", "--help"]]:
            result = run(*words)
            self.assert_done(result)
            self.assertIn("Usage", result.stdout)

    def test_help_of_simulate_has_examples(self):
        self.assertIn("--model gpt-80b --machine perlmutter", run("simulate", "--help").stdout)

    def test_no_command_shows_usage(self):
        self.assert_refused(run(), "no command", "fourfold-sim simulate")

    def test_unknown_command_names_the_nearest(self):
        self.assert_refused(run("simulat"), 'did you mean "simulate"?')


class Flags(CliTest):
    def test_unknown_flag_names_the_nearest(self):
        self.assert_refused(simulate("--micro-bach", "2"), "--micro-bach", 'did you mean "--micro-batch"?')

    def test_flags_are_not_abbreviated(self):
        self.assert_refused(simulate("--recomp", "full"), "--recomp", "--recompute")

    def test_flag_given_twice(self):
        self.assert_refused(simulate("--gpus", "8"), "--gpus", "more than once")

    def test_flag_without_value(self):
        self.assert_refused(simulate("--json"), "--json", "missing")

    def test_flag_in_place_of_a_value(self):
        self.assert_refused(simulate("--json", "--quiet"), "--json needs a value")

    def test_stray_word(self):
        self.assert_refused(simulate("perlmutter"), "unexpected word")

    def test_required_flags(self):
        for flag in ["model", "machine", "grid", "batch"]:
            with self.subTest(flag):
                self.assert_refused(simulate(**{flag: None}), f"--{flag} is missing")

    def test_gpus_may_be_left_to_the_grid(self):
        self.assert_done(simulate(gpus=None))


class Numbers(CliTest):
    def test_senseless_numbers(self):
        for flag in ["gpus", "batch", "seq", "micro-batch"]:
            for value in ["-4", "0", "nan", "inf", "1e3", "2.5", "many", "99999999999999999999999", ""]:
                with self.subTest(flag=flag, value=value):
                    self.assert_refused(simulate(**{flag: value}), f"--{flag}")

    def test_senseless_grids(self):
        for grid in ["2x2x2", "2x1x2x2x1", "2,1,2,2", "0x1x2x2", "-2x1x2x2", "nanx1x2x2", "2x1x2x2 ", ""]:
            with self.subTest(grid):
                self.assert_refused(simulate(grid=grid), "grid")

    def test_overflowing_grids(self):
        for grid in ["99999999999x1x1x1", "65536x65536x1x1", "2147483647x2147483647x2147483647x2147483647"]:
            with self.subTest(grid):
                self.assert_refused(simulate(grid=grid, gpus=None), "grid")

    def test_overflowing_batch(self):
        self.assert_refused(simulate(batch=str(2**62)), "batch")

    def test_more_micro_batches_than_can_be_simulated_one_by_one(self):
        run_of_many = dict(batch=str(2**40), micro_batch="1")
        self.assert_refused(simulate("--fold-time", "off", **run_of_many), "micro-batches", "--batch")
        self.assert_done(simulate(**run_of_many))

    def test_traced_ranks_are_in_the_grid(self):
        for ranks in ["8", "-1", "zero", "0,,1"]:
            with self.subTest(ranks):
                self.assert_refused(simulate("--trace-ranks", ranks), "--trace-ranks")


class Disturbances(CliTest):
    def test_malformed_or_out_of_range(self):
        for flag, value, fragment in [
            ("slow", "8:0.5", "from 0 to 7"),
            ("slow", "-1:0.5", "--slow"),
            ("slow", "0.5", "colon"),
            ("slow", "1:fast", "not a number"),
            ("slow", "1:0", "up to 1"),
            ("slow", "1:nan", "--slow"),
            ("slow", "1:0.5,1:0.6", "twice"),
            ("jitter", "-0.1", "jitter"),
            ("jitter", "2", "from 0 to 1"),
            ("seed", "-1", "--seed"),
            ("degrade", "nic-0:0", "--fail"),
            ("degrade", "nic-0:1.1", "up to 1"),
            ("degrade", "nik-0:0.5", 'did you mean "nic-0'),
            ("background", "nic-0:1000", "leaves nothing"),
            ("background", "nic-0:-1", "more than 0"),
            ("fail", "nik-0", 'did you mean "nic-0'),
            ("fail", "nic-0,nic-1,nic-2,nic-3", "ranks 0, 4"),
        ]:
            with self.subTest(flag=flag, value=value):
                self.assert_refused(simulate(f"--{flag}", value), fragment)

    def test_each_is_reported_with_its_cost_and_the_ranks_that_wait(self):
        for flag, value, name in [
            ("slow", "1:0.5", "rank 1 at 0.5 of its speed"),
            ("jitter", "0.1", "jitter of sigma 0.1, seed 1"),
            ("degrade", "nic-0:0.5", "link nic-0 at 0.5 of its bandwidth"),
            ("background", "nic-0:10", "10 GB/s of another job on link nic-0"),
            ("fail", "nic-0", "link nic-0 failed"),
        ]:
            with self.subTest(flag):
                report = self.report(f"--{flag}", value)
                self.assertEqual([each["what"] for each in report["each_alone"]], [name])
                self.assertGreater(report["cost_percent"], 0)
                self.assertEqual(report["cost_percent"], report["each_alone"][0]["cost_percent"])
                self.assertGreater(report["longest_waits"][0]["waiting_s"], 0)

    def test_together_they_cost_what_the_report_says(self):
        report = self.report("--slow", "1:0.5", "--degrade", "nic-0:0.5", "--background", "nic-1:10",
                             "--fail", "nic-2", "--jitter", "0.1")
        alone = [each["cost_percent"] for each in report["each_alone"]]
        self.assertEqual(len(alone), 5)
        self.assertGreater(report["cost_percent"], max(alone))
        self.assertNotIn(1, [wait["rank"] for wait in report["longest_waits"]])  # the others wait for it

    def report(self, *flags):
        """Of a step whose groups cross nodes, so that NICs matter."""
        self.assert_done(simulate(*flags, "--json", self.folder / "r.json", grid="1x1x8x1", batch="8", micro_batch="1"))
        return json.loads((self.folder / "r.json").read_text())["disturbances"]

    def test_flags_that_may_be_repeated(self):
        result = simulate("--slow", "1:0.5", "--slow", "2:0.5,3:0.9", "--degrade", "nic-0:0.5")
        self.assert_done(result)
        for name in ["rank 1 at 0.5", "rank 2 at 0.5", "rank 3 at 0.9", "link nic-0 at 0.5", "all of it"]:
            self.assertIn(name, result.stdout)


class Memory(CliTest):
    def test_a_replay_beyond_the_limit_is_refused(self):
        limit = ("--memory-limit", "1e-5GB")
        self.assert_refused(simulate("--fold", "off", *limit), "8 ranks", "0.01 MB", "--memory-limit")
        self.assert_done(simulate("--fold", "off", "--memory-limit", "none"))

    def test_malformed_limits(self):
        for limit in ["much", "-1", "24MB", "nan"]:
            with self.subTest(limit):
                self.assert_refused(simulate("--memory-limit", limit), "--memory-limit")


class Choices(CliTest):
    def test_unknown_words(self):
        cases = {
            "overlap": "papr",
            "recompute": "ful",
            "attention": "flsh",
            "dtype": "bf61",
            "order": "xyz",
            "ring-mode": "macroflow",
            "fold-time": "of",
        }
        for flag, value in cases.items():
            with self.subTest(flag):
                self.assert_refused(simulate(f"--{flag}", value), value)

    def test_known_words(self):
        cases = {
            "overlap": ["none", "paper", "all", "oar,oag"],
            "recompute": ["none", "full"],
            "attention": ["flash", "unfused"],
            "dtype": ["bf16", "fp32"],
            "order": ["xyzd", "yxzd", "dzyx"],
            "micro-batch": ["auto", "1", "4"],
            "ring-mode": ["macro-flow", "step-by-step"],
            "fold-time": ["auto", "off"],
        }
        for flag, values in cases.items():
            for value in values:
                with self.subTest(flag=flag, value=value):
                    self.assert_done(simulate(**{flag: value}))


class Consistency(CliTest):
    def test_grid_product_unlike_gpu_count(self):
        self.assert_refused(simulate(gpus="16"), "2x1x2x2", "8", "16")

    def test_more_gpus_than_the_machine_has(self):
        # Perlmutter's partition has 1,536 nodes x 4 = 6,144 GPUs.
        result = simulate(grid="1x1x1x8192", gpus="8192", batch="8192", micro_batch="1")
        self.assert_refused(result, "8192", "6144")

    def test_indivisible_sizes(self):
        # gpt-nano: 8 heads, hidden 128, vocabulary 256, sequence 128.
        cases = [
            ("heads", dict(grid="3x1x1x1", gpus="3", batch="3", micro_batch="1")),
            ("hidden", dict(grid="1x3x1x1", gpus="3", batch="3", micro_batch="1")),
            ("batch", dict(batch="15")),
            ("micro", dict(micro_batch="3")),
        ]
        for name, changes in cases:
            with self.subTest(name):
                self.assert_refused(simulate(**changes), name, "divisible", "choose")

    def test_sequence_longer_than_the_positions_of_the_model(self):
        self.assert_refused(simulate("--seq", "129"), "129", "128")


if __name__ == "__main__":
    unittest.main()
