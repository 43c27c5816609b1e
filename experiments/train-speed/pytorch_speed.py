"""Training speed of PyTorch on the model of tests/benchmarks/train_speed.cpp: one JSON line, the same keys.

    pytorch_speed.py THREADS STEPS [BATCH]
"""

import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

LAYERS, HIDDEN, HEADS, SEQUENCE, VOCABULARY = 6, 384, 6, 256, 256


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv, self.projection = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.expand, self.contract = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)
        self.register_buffer("future", torch.triu(torch.ones(SEQUENCE, SEQUENCE, dtype=torch.bool), 1))

    def attention(self, x):
        batch = x.shape[0]
        q, k, v = self.qkv(x).view(batch, SEQUENCE, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) * (HIDDEN // HEADS) ** -0.5
        probabilities = functional.softmax(scores.masked_fill(self.future, float("-inf")), dim=-1)
        return self.projection((probabilities @ v).transpose(1, 2).reshape(batch, SEQUENCE, HIDDEN))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.contract(functional.gelu(self.expand(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, HIDDEN)
        self.positions = nn.Embedding(SEQUENCE, HIDDEN)
        self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.final_norm = nn.LayerNorm(HIDDEN)

    def loss(self, tokens, targets):
        x = self.blocks(self.tokens(tokens) + self.positions.weight)
        logits = self.final_norm(x) @ self.tokens.weight.T  # tied head
        return functional.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1))


def main():
    threads, steps = int(sys.argv[1]), int(sys.argv[2])
    batch = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    torch.set_num_threads(threads)
    model = Gpt()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, foreach=True)
    tokens = (torch.arange(batch * SEQUENCE) * 7919 % VOCABULARY).view(batch, SEQUENCE)
    wall, cpu_start = [], 0.0
    for step in range(steps + 1):
        if step == 1:  # the first warms up
            cpu_start = time.process_time()
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=False)
        loss = model.loss(tokens, tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()
        if step > 0:
            wall.append(time.perf_counter() - start)
    cpu = (time.process_time() - cpu_start) / steps
    median = statistics.median(wall)
    print(json.dumps({
        "pytorch": torch.__version__, "threads": threads,
        "tokens_per_s": batch * SEQUENCE / median, "tokens_per_cpu_s": batch * SEQUENCE / cpu,
        "step_ms": median * 1e3, "step_cpu_ms": cpu * 1e3}))


if __name__ == "__main__":
    main()
