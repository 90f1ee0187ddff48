"""Publishes KV events and gives them again as vLLM does, with nothing but libzmq and msgpack.

vllm_engine.py PUB REPLAY BUFFER      ports, 0 = any free ones; number of batches that can be given again

Prints the two ports. Then reads orders, a line each, and prints one for each when it is done:

store|remove STYLE KIND HASH...       STYLE array, old or map; KIND int or bytes, the hash whole
clear STYLE
lose STYLE KIND HASH...               stored, but nobody gets it
unknown STYLE                         an event of a type that nobody knows, with the fields of a later engine
payload HEX                           a batch of these bytes
rank RANK                             the data-parallel rank of what follows
"""

import queue
import struct
import sys
import threading
import time
from collections import deque

import msgpack
import zmq

BLOCK = 4
TOPIC = b"kv@engine"
END = (-1).to_bytes(8, "big", signed=True)


class Engine:
    """As vLLM's ZmqEventPublisher: one thread publishes, and answers replays between two batches."""

    def __init__(self, pub_port, replay_port, buffer_steps):
        context = zmq.Context()
        self.pub = context.socket(zmq.PUB)
        self.pub.set_hwm(100000)
        self.pub_port = self.bind(self.pub, pub_port)
        self.replay = context.socket(zmq.ROUTER)
        self.replay_port = self.bind(self.replay, replay_port)
        self.buffer = deque(maxlen=buffer_steps)
        self.next = 0
        self.rank = None
        self.queue = queue.Queue()
        threading.Thread(target=self.run, daemon=True).start()

    @staticmethod
    def bind(socket, port):
        socket.setsockopt(zmq.LINGER, 0)
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.bind("tcp://127.0.0.1:%s" % (port or "*"))
                return int(socket.getsockopt(zmq.LAST_ENDPOINT).decode().strip("\0").rsplit(":", 1)[1])
            except zmq.ZMQError:
                if time.monotonic() > deadline:
                    raise

    def run(self):
        while True:
            if self.replay.poll(0):
                self.answer()
            try:
                order = self.queue.get(timeout=0.05)
            except queue.Empty:
                continue
            self.publish(*order)

    def answer(self):
        frames = self.replay.recv_multipart()
        if len(frames) != 3:
            print("bad replay request", frames, file=sys.stderr)
            return
        client, _, start = frames
        first = int.from_bytes(start, "big")
        for sequence, payload in self.buffer:
            if sequence >= first:
                self.replay.send_multipart((client, b"", sequence.to_bytes(8, "big"), payload))
        self.replay.send_multipart((client, b"", END, b""))

    def publish(self, payload, lost):
        sequence, self.next = self.next, self.next + 1
        self.buffer.append((sequence, payload))
        if not lost:
            self.pub.send_multipart((TOPIC, sequence.to_bytes(8, "big"), payload))

    def batch(self, *events):
        return msgpack.packb([time.time(), list(events), self.rank], use_bin_type=True)


def hashes(kind, numbers):
    whole = [int(number) % 2**64 for number in numbers]
    if kind == "int":
        return whole
    return [b"\7" * 24 + struct.pack(">Q", number) for number in whole]


def stored(style, blocks):
    fields = {
        "block_hashes": blocks,
        "parent_block_hash": None,
        "token_ids": list(range(BLOCK * len(blocks))),
        "block_size": BLOCK,
        "lora_id": None,
        "medium": "GPU",
        "lora_name": None,
    }
    if style == "map":
        return {"type": "BlockStored", **fields}
    if style == "old":
        return ["BlockStored", *list(fields.values())[:5]]
    return ["BlockStored", *fields.values(), None, 0, "full_attention", None]


def removed(style, blocks):
    if style == "map":
        return {"type": "BlockRemoved", "block_hashes": blocks, "medium": "GPU"}
    if style == "old":
        return ["BlockRemoved", blocks]
    return ["BlockRemoved", blocks, "GPU", 0]


def cleared(style):
    return {"type": "AllBlocksCleared"} if style == "map" else ["AllBlocksCleared"]


def unknown(style):
    if style == "map":
        return {"type": "BlockMoved", "block_hashes": [1], "from": {"GPU": 1}}
    return ["BlockMoved", [1], {"GPU": 1}]


def main():
    engine = Engine(*(int(argument) for argument in sys.argv[1:4]))
    print(engine.pub_port, engine.replay_port, flush=True)
    for line in sys.stdin:
        order, *rest = line.split()
        if order in ("store", "remove", "lose"):
            event = (removed if order == "remove" else stored)(rest[0], hashes(rest[1], rest[2:]))
            engine.queue.put((engine.batch(event), order == "lose"))
        elif order == "clear":
            engine.queue.put((engine.batch(cleared(rest[0])), False))
        elif order == "unknown":
            engine.queue.put((engine.batch(unknown(rest[0])), False))
        elif order == "payload":
            engine.queue.put((bytes.fromhex("".join(rest)), False))
        elif order == "rank":
            engine.rank = int(rest[0])
        print("done", flush=True)


main()
