"""The same network in PyTorch on the same pairs: its distances against twinql's, and its speed.

Reads what `speed train` left in a folder (see scripts/speed.sh). Written to be fast: distinct strings
are encoded once a batch, messages run over one edge list for the whole batch after products per node,
attention is padded and masked, batches hold pairs of similar size and are prepared ahead of the clock.
"""

import json
import math
import os
import random
import struct
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

AGREEMENT_CODES = 16


def weights(path):
    """The tensors of a safetensors file, by name."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    out = {}
    for name, about in header.items():
        if name != "__metadata__":
            start, end = about["data_offsets"]
            array = np.frombuffer(body[start:end], dtype="<f4").reshape(about["shape"])
            out[name] = torch.from_numpy(array.copy()).requires_grad_()
    return out


def classes(text, limit):
    """A string as character classes; what is cut or not ASCII is marked by a hash."""
    data = text.encode()
    exact = len(data) <= limit and all(b < 128 for b in data)
    kept = len(data) if exact else min(len(data), limit - 8)
    codes = [min(b, 128) for b in data[:kept]]
    if not exact:
        value = 0xCBF29CE484222325
        for b in data:
            value = ((value ^ b) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
        codes += [b"0123456789abcdef"[(value >> (4 * i + 16)) & 15] for i in range(8)]
    return bytes(codes)


class Batch:
    """Index lists and masks of some pairs, as tensors."""

    def __init__(self, pairs, config):
        most = [max(len(p[side]["words"]) for p in pairs) for side in ("left", "right")]
        count = len(pairs)
        words, facts, text_of, positions = [], [], [], []
        targets, sources, kinds, graph_of, place_of = [], [], [], [], []
        places = [np.zeros((count, m), dtype=np.int64) for m in most]
        masks = [np.full((count, m), -1e9, dtype=np.float32) for m in most]
        known, base = {}, 0
        for i, pair in enumerate(pairs):
            for side, name in enumerate(("left", "right")):
                graph = pair[name]
                nodes = len(graph["words"])
                words += graph["words"]
                tags = graph["tags"] if config["use_tags"] else [0] * nodes
                codes = graph["agreement"] if config["use_agreement"] else [0] * nodes
                width = AGREEMENT_CODES if config["use_agreement"] else 1
                facts += [t * width + c for t, c in zip(tags, codes)]
                texts = [known.setdefault(classes(s, config["string_length"]), len(known)) for s in graph["strings"]]
                text_of += [-1 if c is None else texts[c] for c in graph["contents"]]
                positions += graph["positions"]
                for a, b, kind in graph["edges"]:
                    targets += [base + b, base + a]
                    sources += [base + a, base + b]
                    kinds += [kind, kind + 3]
                graph_of += [2 * i + side] * nodes
                places[side][i, :nodes] = np.arange(base, base + nodes)
                masks[side][i, :nodes] = 0.0
                offset = count * most[0] if side else 0
                place_of += range(offset + i * most[side], offset + i * most[side] + nodes)
                base += nodes
        self.pairs, self.nodes, self.most = count, base, most
        index = lambda values: torch.as_tensor(np.asarray(values), dtype=torch.long)
        self.words, self.facts = index(words), index(facts)
        self.text_of = index([len(known) if t < 0 else t for t in text_of])
        order = np.lexsort((kinds, sources, targets))
        self.targets, self.sources, self.kinds = (index(np.asarray(v)[order]) for v in (targets, sources, kinds))
        degree = np.bincount(np.asarray(targets, dtype=np.int64), minlength=base)
        self.inverse_degree = torch.from_numpy((1.0 / np.maximum(degree, 1)).astype(np.float32))[:, None]
        self.graph_of, self.place_of = index(graph_of), index(place_of)
        self.places = [index(p.reshape(-1)) for p in places]
        self.masks = [torch.from_numpy(m) for m in masks]
        self.positions = torch.tensor(positions, dtype=torch.float32).reshape(base, config["walk_steps"])
        length = max((len(t) for t in known), default=1) or 1
        chars = np.zeros((len(known), length), dtype=np.int64)
        lengths = np.zeros(len(known), dtype=np.float32)
        for row, text in enumerate(known):
            chars[row, : len(text)] = list(text)
            lengths[row] = len(text)
        self.chars = torch.from_numpy(chars)
        inside = np.arange(length)[None, :] < lengths[:, None]
        self.char_mask = torch.from_numpy(inside.astype(np.float32))[:, None, :]
        self.text_scale = torch.from_numpy(1.0 / np.maximum(lengths, 1.0))[:, None]
        labels = np.asarray([1.0 if p["label"] else -1.0 for p in pairs], dtype=np.float32)
        self.signs = torch.from_numpy(labels)


def convolution(weight):
    """The weight of a width-3 convolution from its matrix of windows, [3 c, c] to [c, c, 3]."""
    channels = weight.shape[1]
    return weight.reshape(3, channels, channels).permute(2, 1, 0)


def encode(w, config, b):
    """Encodings of the batch's strings, S × d."""
    x = F.embedding(b.chars, w["text.char"]) + w["text.place"][: b.chars.shape[1]]
    x = x.transpose(1, 2) * b.char_mask
    for block in range(config["char_blocks"]):
        layer = lambda name: (
            convolution(w[f"text.block{block}.{name}.weight"]),
            w[f"text.block{block}.{name}.bias"].reshape(-1),
        )
        first, second = layer("first"), layer("second")
        hidden = F.relu(F.conv1d(x, first[0], first[1], padding=1)) * b.char_mask
        x = F.relu(x + F.conv1d(hidden, second[0], second[1], padding=1)) * b.char_mask
    return x.amax(2) @ w["text.out.max"] + (x.sum(2) * b.text_scale) @ w["text.out.mean"]


def forward(w, config, b):
    """Squared distances of the batch's pairs."""
    d, n = config["node_dim"], b.nodes
    h = F.embedding(b.words, w["node.word"])
    if "node.facts" in w:
        h = h + F.embedding(b.facts, w["node.facts"])
    if len(b.chars):
        texts = torch.cat([encode(w, config, b), torch.zeros(1, d)])
        h = h + texts[b.text_of]
    edge_states = F.embedding(b.kinds, w["message.edge"])
    position = None
    if config["use_positions"]:
        position = b.positions @ w["position.input.weight"] + w["position.input.bias"]
    for step in range(config["propagation_steps"]):
        # One product for all that reads the states.
        joint = torch.cat([w["message.target"], w["message.source"], w["attention.state"], w["update.state"]], 1)
        m = config["message_dim"]
        target, source, attention, state = (h @ joint).split([m, m, d, 3 * d], 1)
        hidden = F.relu(target.index_select(0, b.targets) + source.index_select(0, b.sources) + edge_states)
        message = torch.zeros(n, m).index_add(0, b.targets, hidden)
        hidden = attention + w["attention.bias"]
        if position is not None:
            hidden = hidden + position @ w["attention.position"]
        r = F.relu(hidden) @ w["attention.out.weight"] + w["attention.out.bias"]
        left = r.index_select(0, b.places[0]).reshape(b.pairs, b.most[0], d)
        right = r.index_select(0, b.places[1]).reshape(b.pairs, b.most[1], d)
        scores = left @ right.transpose(1, 2) / math.sqrt(d)
        to_left = torch.softmax(scores + b.masks[1][:, None, :], 2) @ right
        to_right = torch.softmax(scores + b.masks[0][:, :, None], 1).transpose(1, 2) @ left
        attended = torch.cat([to_left.reshape(-1, d), to_right.reshape(-1, d)]).index_select(0, b.place_of)
        update = message @ w["update.message"] + (r - attended) @ w["update.cross"] + w["update.bias"]
        reset, keep, new = update.split(d, 1)
        state_reset, state_keep, state_new = state.split(d, 1)
        reset = torch.sigmoid(reset + state_reset)
        keep = torch.sigmoid(keep + state_keep)
        new = torch.tanh(new + reset * state_new)
        h = new + keep * (h - new)
        if position is not None and step + 1 < config["propagation_steps"]:
            near = torch.zeros_like(position).index_add(0, b.targets, position.index_select(0, b.sources))
            near = near * b.inverse_degree
            change = position @ w["position.own"] + near @ w["position.near"] + w["position.bias"]
            position = position + torch.tanh(change)
    gate = torch.sigmoid(h @ w["readout.gate.weight"] + w["readout.gate.bias"])
    value = h @ w["readout.value.weight"] + w["readout.value.bias"]
    sums = torch.zeros(2 * b.pairs, config["graph_dim"]).index_add(0, b.graph_of, gate * value)
    graphs = F.relu(sums @ w["graph.hidden.weight"] + w["graph.hidden.bias"]) @ w["graph.out"]
    left, right = graphs[0::2], graphs[1::2]
    return ((left - right) ** 2).sum(1)


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "batches.jsonl")) as file:
        about = json.loads(file.readline())
        pairs = [json.loads(line) for line in file]
    config = about["config"]
    torch.set_num_threads(about["threads"])
    w = weights(os.path.join(folder, "model.safetensors"))

    pairs.sort(key=lambda p: len(p["left"]["words"]) + len(p["right"]["words"]))
    size = about["batch_size"]
    chunks = [pairs[i : i + size] for i in range(0, len(pairs), size)]
    began = time.time()
    batches = [Batch(chunk, config) for chunk in chunks]
    print(f"batches prepared in {time.time() - began:.1f} s, not counted below")

    most = 0.0
    with torch.no_grad():
        for batch, chunk in zip(batches, chunks):
            expected = torch.tensor([p["distance"] for p in chunk])
            most = max(most, (forward(w, config, batch) - expected).abs().max().item())
    print(f"distances differ from twinql's by {most:.1e} at most")
    if most > 1e-3:
        sys.exit("the two networks are not the same")

    values = list(w.values())
    adam = torch.optim.Adam(values, lr=about["learning_rate"], weight_decay=about["weight_decay"])
    rates = []
    for epoch in range(4):
        random.Random(epoch).shuffle(batches)
        began = time.time()
        for batch in batches:
            adam.zero_grad(set_to_none=True)
            loss = F.relu(about["margin"] - batch.signs * (1.0 - forward(w, config, batch))).mean()
            loss.backward()
            torch.nn.utils.clip_grad_value_(values, about["clip_value"])
            adam.step()
        rates.append(len(pairs) / (time.time() - began))
    # The first epoch warms up.
    rate = sorted(rates[1:])[1]
    ours = about["pairs_per_second"]
    print(f"PyTorch {torch.__version__}: {rate:.0f} pairs/s; twinql {ours:.0f}; ratio {ours / rate:.2f}")


if __name__ == "__main__":
    main()
