"""--kernel-profile: measured times are used, and what is wrong with the file is said."""

import json
import unittest

from support import CliTest, run, simulate

HEADER = "kernel,layout,dtype,m,n,k,batch,time_us\n"


class KernelProfileTest(CliTest):
    def attention_time(self, *more):
        path = self.folder / "report.json"
        self.assert_done(simulate("--json", path, "--quiet", *more))
        kernels = {kernel["name"]: kernel for kernel in json.loads(path.read_text())["kernels"]}
        return kernels["attention_forward"]

    def test_measured_attention_is_taken(self):
        report = self.folder / "setup.json"
        self.assert_done(simulate("--json", report, "--quiet"))
        setup = json.loads(report.read_text())["setup"]
        heads = setup["micro_batch"] * setup["heads"] // setup["grid"]["x"]
        width = setup["hidden"] // setup["heads"]
        row = f"attention_forward,,bf16,{setup['sequence']},{setup['sequence']},{width},{heads},{{}}\n"
        profile = self.write("profile.csv", HEADER + row.format(5) + row.format(1000))  # the newer line counts
        measured = self.attention_time("--kernel-profile", profile)
        # Of 1 ms a call, more where the machine's GPUs are slower than the measured one; modelled calls are far shorter.
        self.assertGreaterEqual(measured["busy_s"], measured["count"] * 1e-3)
        self.assertLess(measured["busy_s"], measured["count"] * 1.5e-3)
        self.assertLess(self.attention_time()["busy_s"], measured["count"] * 0.5e-3)

    def test_plan_takes_it_too(self):
        profile = self.write("profile.csv", HEADER + "gemm,TN,bf16,512,512,512,1,10\n")
        self.assert_done(run("plan", "--model", "gpt-nano", "--machine", "perlmutter", "--gpus", "8", "--batch", "16",
                             "--kernel-profile", profile))

    def test_what_is_wrong_is_said_with_its_place(self):
        for row, fragments in [
                ("gem,TN,bf16,1,1,1,1,1", ["line 2", "kernel", '"gemm"']),
                ("gemm,TT,bf16,1,1,1,1,1", ["line 2", "layout", '"TN"']),
                ("gemm,TN,bf17,1,1,1,1,1", ["line 2", "dtype", '"bf16"']),
                ("gemm,TN,bf16,0,1,1,1,1", ["line 2", "m"]),
                ("gemm,TN,bf16,1,1,1,1,-3", ["line 2", "time_us"]),
                ("attention_forward,,bf16,8,9,1,1,1", ["line 2", "n: 9", "sequence length"]),
                ("gemm,TN,bf16,1,1,1,1", ["line 2", "7 cells"])]:
            profile = self.write("profile.csv", HEADER + row + "\n")
            self.assert_refused(simulate("--kernel-profile", profile), "profile.csv", *fragments)
        missing = self.write("missing.csv", "kernel,layout,dtype,m,n,k,batch,time\ngemm,TN,bf16,1,1,1,1,1\n")
        self.assert_refused(simulate("--kernel-profile", missing), "time_us")
        self.assert_refused(simulate("--kernel-profile", self.folder / "none.csv"), "cannot read")
        self.assert_refused(run("validate", "--set", "gemm", "--kernel-profile", missing), "steps or megatron")


if __name__ == "__main__":
    unittest.main()
