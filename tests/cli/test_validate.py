"""validate and collective: what they print, what they refuse."""

import json
import unittest

from support import CliTest, run

GEMM_HEADER = "gpu,library,dtype,transA,transB,m,n,k,batch,time_us,tflops,source\n"


class ValidateTest(CliTest):
    def test_attention_prints_errors_and_reasons(self):
        result = run("validate", "--set", "attention")
        self.assert_done(result)
        for fragment in ("median", "one efficiency", "worst rows", "left out"):
            self.assertIn(fragment, result.stdout)

    def test_shipped_gemms_are_within_the_documented_error(self):
        result = run("validate", "--set", "gemm", "--json", "-")
        self.assert_done(result)
        parts = {part["part"]: part for part in json.loads(result.stdout)[0]["parts"]}
        self.assertLess(parts["all"]["error"]["median"], 0.05)
        self.assertLess(parts["all"]["error"]["p90"], 0.15)
        self.assertLess(parts["all"]["error"]["median"], parts["all"]["baseline_error"]["median"])

    def test_published_formulas_of_memory_are_met(self):
        result = run("validate", "--set", "memory", "--json", "-")
        self.assert_done(result)
        parts = {part["part"]: part for part in json.loads(result.stdout)[0]["parts"]}
        self.assertLess(parts["Megatron-LM, Fig. 1: formula"]["error"]["worst"], 1e-6)
        self.assertLess(parts["Megatron-Core, B200 release v1.2: formula"]["error"]["worst"], 0.03)

    def test_memory_is_written_in_gibibytes(self):
        result = run("validate", "--set", "memory", "--csv", "-")
        self.assert_done(result)
        header, row = result.stdout.splitlines()[:2]
        self.assertTrue(header.endswith("error,measured_GiB,predicted_GiB"))
        self.assertTrue(row.endswith(",45.5625,45.5625"), row)  # 22B of Korthikanti et al., Fig. 1

    def test_host_time_bounds_megatron_steps_from_below(self):
        header = ("machine,framework,gpus,layers,hidden,heads,seq,vocab,global_batch,micro_batch,tp,dp,weights,recompute,"
                  "attention,iter_time_s\n")
        row = "vTrain node,Megatron,2,16,1024,16,1024,51200,8,1,1,2,replicated,full,unfused,0.2\n"
        rows = self.write("rows.csv", header + row)
        result = run("validate", "--set", "megatron", "--data", rows, "--host-us-per-layer", "5000", "--csv", "-")
        self.assert_done(result)
        self.assertIn(",0.2,0.32,", result.stdout)  # 4 micro-batches x 16 layers x 5 ms
        wrong = self.write("wrong.csv", header + row.replace("replicated", "zero2"))
        result = run("validate", "--set", "megatron", "--data", wrong)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("zero3", result.stderr)

    def test_own_rows(self):
        rows = self.write("rows.csv", GEMM_HEADER + "H100-SXM5-80GB,cuBLAS,bf16,T,N,4096,4096,4096,1,180,,mine\n"
                          + "Abacus,cuBLAS,bf16,T,N,4096,4096,4096,1,180,,mine\n")
        result = run("validate", "--set", "gemm", "--data", rows)
        self.assert_done(result)
        self.assertIn("H100-SXM5-80GB, mine", result.stdout)
        self.assertIn("no constants of GPU Abacus", result.stdout)

    def test_refusals(self):
        self.assert_refused(run("validate", "--set", "gem"), "gemm")
        self.assert_refused(run("validate", "--data", "rows.csv"), "--set")
        broken = self.write("rows.csv", "gpu,transA\nA100,T\n")
        self.assert_refused(run("validate", "--set", "gemm", "--data", broken), "line 2", "transB")


class CollectiveTest(CliTest):
    def test_prints_a_table(self):
        result = run("collective", "--machine", "a100x8", "--gpus", "8", "--op", "all_gather", "--bytes", "1M")
        self.assert_done(result)
        self.assertIn("busbw", result.stdout)
        self.assertIn("1,048,576", result.stdout)

    def test_takes_a_range_of_sizes(self):
        result = run("collective", "--machine", "a100x8", "--gpus", "8", "--bytes", "1M:64M:x8")
        self.assert_done(result)
        sizes = [line.split()[0] for line in result.stdout.splitlines()[4:]]
        self.assertEqual(sizes, ["1,048,576", "8,388,608", "67,108,864"])

    def test_knows_algorithms_and_exchanges(self):
        result = run("collective", "--machine", "h100x8", "--gpus", "8", "--bytes", "1G:1G")
        self.assert_done(result)
        self.assertIn("nvls", result.stdout)
        for flags in (("--op", "all_reduce", "--algorithm", "tree"), ("--op", "all_gather", "--algorithm", "hierarchical"),
                      ("--op", "send_recv"), ("--op", "all_to_all"), ("--op", "broadcast")):
            self.assert_done(run("collective", "--machine", "leonardo", "--gpus", "8", "--bytes", "1M:1M", *flags))

    def test_refusals(self):
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "16"), "--gpus")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "1"), "at least 2")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--op", "all_reduces"), "all_reduce")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--bytes", "1Q"), "--bytes")
        for sizes in ("2M:1M", "1M:2M:2", "1M:2M:x1"):
            self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--bytes", sizes), "--bytes")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--algorithm", "rings"), "ring")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--algorithm", "nvls"), "no constants")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--algorithm", "hierarchical"), "two nodes")


if __name__ == "__main__":
    unittest.main()
