"""Models and machines by name and by file: unknown, missing, malformed, truncated, incomplete."""

import json
import unittest

from support import SOURCE, CliTest, run, simulate

MODEL = {"layers": 2, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128}
PERLMUTTER = SOURCE / "platforms" / "perlmutter.xml"


class Names(CliTest):
    def test_models_lists_the_presets(self):
        result = run("models")
        self.assert_done(result)
        self.assertIn("gpt-80b", result.stdout)

    def test_one_model(self):
        result = run("models", "gpt-80b")
        self.assert_done(result)
        self.assertIn("12,288", result.stdout)

    def test_machines_lists_perlmutter(self):
        result = run("machines")
        self.assert_done(result)
        self.assertIn("perlmutter", result.stdout)

    def test_one_machine(self):
        result = run("machines", "perlmutter")
        self.assert_done(result)
        self.assertIn("6", result.stdout)

    def test_unknown_model_names_the_nearest(self):
        for result in [run("models", "gpt-80"), simulate(model="gpt-80")]:
            self.assert_refused(result, '"gpt-80"', 'did you mean "gpt-80b"?')

    def test_unknown_machine_names_the_nearest(self):
        for result in [run("machines", "perlmuter"), simulate(machine="perlmuter")]:
            self.assert_refused(result, '"perlmuter"', 'did you mean "perlmutter"?')


class ModelFiles(CliTest):
    def simulate_model(self, content):
        text = content if isinstance(content, str) else json.dumps(content)
        return simulate(model=self.write("mine.json", text), batch="16")

    def test_own_model(self):
        self.assert_done(self.simulate_model(MODEL))

    def test_missing_file(self):
        self.assert_refused(simulate(model=self.folder / "absent.json"), "absent.json")

    def test_directory_instead_of_a_file(self):
        self.assert_refused(simulate(model=f"{self.folder}/"), str(self.folder))

    def test_malformed(self):
        for text in ["", "{", "[]", "null", '{"layers": }', "\0\1\2", json.dumps(MODEL) + "x"]:
            with self.subTest(text):
                self.assert_refused(self.simulate_model(text), "mine.json")

    def test_every_truncation(self):
        text = json.dumps(MODEL)
        for length in range(0, len(text), 7):
            with self.subTest(length):
                self.assert_refused(self.simulate_model(text[:length]), "mine.json")

    def test_unknown_key_names_the_nearest(self):
        self.assert_refused(self.simulate_model(MODEL | {"fnn": 256}), "fnn", "ffn")

    def test_missing_key(self):
        for key in MODEL:
            with self.subTest(key):
                rest = {name: value for name, value in MODEL.items() if name != key}
                self.assert_refused(self.simulate_model(rest), "mine.json", key)

    def test_senseless_values(self):
        for value in ["0", "-1", "1.5", "1e300", "1e999", "99999999999999999999", "NaN", '"2"', "null", "[2]", "true"]:
            text = json.dumps(MODEL).replace('"layers": 2', f'"layers": {value}')
            with self.subTest(value):
                self.assert_refused(self.simulate_model(text), "mine.json")

    def test_repeated_key(self):
        text = json.dumps(MODEL).replace('"layers": 2', '"layers": 2, "layers": 3')
        self.assert_refused(self.simulate_model(text), "mine.json", "layers")

    def test_indivisible_vocabulary(self):
        self.assert_refused(self.simulate_model(MODEL | {"vocabulary": 127}), "vocabulary", "127")

    def test_heads_that_do_not_divide_hidden(self):
        self.assert_refused(self.simulate_model(MODEL | {"heads": 3}), "mine.json", "heads")


class MachineFiles(CliTest):
    def simulate_machine(self, text):
        return simulate(machine=self.write("mine.xml", text))

    def test_missing_file(self):
        self.assert_refused(simulate(machine=self.folder / "absent.xml"), "absent.xml")

    def test_directory_instead_of_a_file(self):
        self.assert_refused(simulate(machine=f"{self.folder}/"), str(self.folder))

    def test_malformed(self):
        for text in ["", "hello", "<platform", "<platform></zone>", "<html></html>", "\0\1\2"]:
            with self.subTest(text):
                self.assert_refused(self.simulate_machine(text), "mine.xml")

    def test_truncated(self):
        text = PERLMUTTER.read_text()
        for part in [0.01, 0.3, 0.9, 0.999]:
            with self.subTest(part):
                self.assert_refused(self.simulate_machine(text[: int(part * len(text))]), "mine.xml")

    def test_missing_properties(self):
        lines = PERLMUTTER.read_text().splitlines()
        for name in ["gpus_per_node", "nics_per_node", "gpu", "library"]:
            with self.subTest(name):
                rest = "\n".join(line for line in lines if f'<prop id="{name}"' not in line)
                self.assert_refused(self.simulate_machine(rest), "mine.xml", name)

    def test_senseless_properties(self):
        text = PERLMUTTER.read_text()
        for value in ["0", "-4", "four", "nan", "1e99", "99999999999999999999", ""]:
            with self.subTest(value):
                changed = text.replace('"gpus_per_node" value="4"', f'"gpus_per_node" value="{value}"')
                self.assert_refused(self.simulate_machine(changed), "mine.xml", "gpus_per_node")

    def test_unknown_gpu_and_library(self):
        text = PERLMUTTER.read_text()
        for known, unknown in [("a100-sxm4-40", "a100-sxm4-41"), ("nccl-slingshot", "nccl-slingshop")]:
            with self.subTest(unknown):
                self.assert_refused(self.simulate_machine(text.replace(f'"{known}"', f'"{unknown}"')), unknown, known)


if __name__ == "__main__":
    unittest.main()
