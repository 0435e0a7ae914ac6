# SPDX-License-Identifier: MIT
"""What torch takes for the work of bench/programs/layers.pto: reads names from stdin, a line each, and answers with ms of processor time of one thread, as often as it is asked."""
import math
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import torch  # noqa: E402 - it reads these variables

N, D, WIDE, HEADS = 1021, 768, 3072, 12


def random(*shape):
    return torch.randn(*shape) / (shape[0] ** 0.5 if len(shape) == 2 and shape[0] in (D, WIDE) else 1)


def block(x, norms, w_in, w_out, w_up, w_down, b, mask):
    f = torch.nn.functional
    qkv = torch.addmm(b[:3 * D], f.layer_norm(x, (D,), norms[0], norms[1]), w_in)
    q, k, v = qkv.view(N, 3, HEADS, D // HEADS).permute(1, 2, 0, 3)
    a = torch.softmax(q @ k.transpose(1, 2) * 0.125 + mask, -1) @ v
    h = x + torch.addmm(b[3 * D:4 * D], a.transpose(0, 1).reshape(N, D), w_out)
    up = f.gelu(torch.addmm(b[4 * D:4 * D + WIDE], f.layer_norm(h, (D,), norms[2], norms[3]), w_up))
    return h + torch.addmm(b[4 * D + WIDE:], up, w_down)


def work(name):
    x = random(2048, 2048)
    if name == "gelu":
        return lambda: torch.nn.functional.gelu(x)
    if name.startswith("softmax"):
        x = x.bfloat16() if name.endswith("bf16") else x
        return lambda: torch.softmax(x, 1)
    inputs = [random(N, D), random(4, D), random(D, 3 * D), random(D, D), random(D, WIDE), random(WIDE, D), random(5 * D + WIDE), torch.full((N, N), -math.inf).triu(1)]
    return lambda: block(*inputs)


torch.set_num_threads(1)
torch.manual_seed(1)
known = {}
print("torch", torch.__version__, flush=True)
with torch.no_grad():
    for line in sys.stdin:
        if line not in known:
            known[line] = work(line.strip())
        began = time.process_time()
        known[line]()
        print((time.process_time() - began) * 1e3, flush=True)
