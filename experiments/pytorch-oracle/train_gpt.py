"""Repeats a run of fourfold-train in PyTorch and compares losses and gradient norms; exit code 1 if they differ.

    train_gpt.py MODEL.json WEIGHTS.safetensors METRICS.jsonl        metrics of a run with --metrics-tokens
"""

import json
import struct
import sys

import torch
from torch import nn
from torch.nn import functional

LOSS_TOLERANCE, NORM_TOLERANCE = 1e-4, 1e-3  # relative


def read_safetensors(path):
    """fp32 tensors by name (format: github.com/huggingface/safetensors)."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", f"{name} is {entry['dtype']}"
        begin, end = entry["data_offsets"]
        tensors[name] = torch.frombuffer(data[begin:end], dtype=torch.float32).view(entry["shape"])
    return tensors


class Linear(nn.Module):
    """GPT-2's: the weight is (inputs, outputs)."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.empty(outputs))

    def forward(self, x):
        return x @ self.weight + self.bias


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attn = nn.ModuleDict({"c_attn": Linear(hidden, 3 * hidden), "c_proj": Linear(hidden, hidden)})
        self.mlp = nn.ModuleDict({"c_fc": Linear(hidden, 4 * hidden), "c_proj": Linear(4 * hidden, hidden)})

    def attention(self, x):
        batch, length, hidden = x.shape
        q, k, v = self.attn["c_attn"](x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        future = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        scores = (q @ k.transpose(-2, -1) * (hidden // self.heads) ** -0.5).masked_fill(future, float("-inf"))
        mixed = scores.softmax(dim=-1) @ v
        return self.attn["c_proj"](mixed.transpose(1, 2).reshape(batch, length, hidden))

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp["c_proj"](functional.gelu(self.mlp["c_fc"](self.ln_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """With the output head tied to the token embedding."""

    def __init__(self, config):
        super().__init__()
        hidden = config["hidden"]
        self.wte = nn.Embedding(config["vocabulary"], hidden)
        self.wpe = nn.Embedding(config["sequence"], hidden)
        self.h = nn.ModuleList([Block(hidden, config["heads"]) for _ in range(config["layers"])])
        self.ln_f = nn.LayerNorm(hidden)

    def loss(self, tokens, targets):
        x = self.wte(tokens) + self.wpe.weight[: tokens.shape[1]]
        for block in self.h:
            x = block(x)
        logits = self.ln_f(x) @ self.wte.weight.T
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def adamw(model):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.95), eps=1e-8)


def train_step(model, optimizer, row, batch):
    """Loss and gradient norm of one step on the batch that fourfold-train read."""
    for group in optimizer.param_groups:
        group["lr"] = row["learning_rate"]
    optimizer.zero_grad()
    loss = model.loss(torch.tensor(row["input_ids"]).view(batch, -1), torch.tensor(row["labels"]).view(batch, -1))
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item(), norm.item()


def main():
    model_file, weights_file, metrics_file = sys.argv[1:]
    with open(model_file, encoding="utf-8") as file:
        model = Gpt(json.load(file))
    model.load_state_dict(read_safetensors(weights_file))
    optimizer = adamw(model)
    with open(metrics_file, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    worst_loss = worst_norm = 0.0
    for row in rows:
        loss, norm = train_step(model, optimizer, row, batch=8)
        worst_loss = max(worst_loss, abs(row["loss"] - loss) / loss)
        worst_norm = max(worst_norm, abs(row["gradient_norm"] - norm) / norm)
        print(f"step {row['step']:3}  loss {row['loss']:.7f}  PyTorch {loss:.7f}")
    print(f"largest relative difference over {len(rows)} steps: loss {worst_loss:.1e}, gradient norm {worst_norm:.1e}")
    return 0 if rows and worst_loss <= LOSS_TOLERANCE and worst_norm <= NORM_TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
