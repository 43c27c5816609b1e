"""Reads the example of safetensors_test.cpp as a stranger would: with the format's description, and with the
safetensors package where it is installed. Exits with an error unless the values are right."""

import json
import struct
import sys

EXPECTED = {"a": ([2, 2], [1.0, 2.0, 3.0, 4.0]), "b": ([3], [0.5, -1.0, 1e300])}
LETTERS = {"F32": "f", "F64": "d"}


def read(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        letter = LETTERS[entry["dtype"]]
        count = (end - begin) // struct.calcsize(letter)
        tensors[name] = (entry["shape"], list(struct.unpack(f"<{count}{letter}", data[begin:end])))
    return tensors


def read_with_package(path):
    from safetensors.numpy import load_file

    return {name: (list(array.shape), array.flatten().tolist()) for name, array in load_file(path).items()}


assert read(sys.argv[1]) == EXPECTED
try:
    found = read_with_package(sys.argv[1])
except ImportError:
    print("the package safetensors is not installed: read without it only")
else:
    assert found == EXPECTED
