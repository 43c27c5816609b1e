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

    def test_refusals(self):
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "16"), "--gpus")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "1"), "at least 2")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--op", "all_reduces"), "all_reduce")
        self.assert_refused(run("collective", "--machine", "a100x8", "--gpus", "8", "--bytes", "1Q"), "--bytes")


if __name__ == "__main__":
    unittest.main()
