"""An lru of keys: an OrderedDict under a lock, as caches in Python keep it.

Reads from stdin, big-endian: the number of keys and the keys that it begins with; then, until the
end, replays: number of keys, keys of a request, all keys to look up, all keys to store. Answers
each with two numbers: nanoseconds, and how many were found. Reading and answering isn't timed.
"""

import gc
import struct
import sys
import threading
import time
from array import array
from collections import OrderedDict


class Chunk:
    __slots__ = ("holds",)

    def __init__(self):
        self.holds = 0


class Cache:
    def __init__(self, keys):
        self.capacity = len(keys)
        self.lock = threading.Lock()
        self.chunks = OrderedDict((key, Chunk()) for key in keys)

    def hold_prefix(self, keys):
        held = []
        with self.lock:
            get = self.chunks.get
            for key in keys:
                chunk = get(key)
                if chunk is None:
                    break
                chunk.holds += 1
                held.append(chunk)
        return held

    def touch(self, keys, count):
        with self.lock:
            move = self.chunks.move_to_end
            for key in reversed(keys[:count]):
                move(key)

    def let_go(self, held):
        with self.lock:
            for chunk in held:
                chunk.holds -= 1

    def evict(self):
        chunks = self.chunks
        for key, chunk in chunks.items():
            if chunk.holds == 0:
                del chunks[key]
                return

    def store(self, keys):
        with self.lock:
            chunks = self.chunks
            for key in keys:
                if key not in chunks:
                    if len(chunks) >= self.capacity:
                        self.evict()
                    chunks[key] = Chunk()


def read_numbers(count):
    numbers = array("q")
    numbers.frombytes(sys.stdin.buffer.read(8 * count))
    numbers.byteswap()
    return numbers.tolist()


def answer(nanos, found):
    sys.stdout.buffer.write(struct.pack(">qq", nanos, found))
    sys.stdout.buffer.flush()


def split(keys, size):
    return [keys[i : i + size] for i in range(0, len(keys), size)]


def replay(cache, lookups, stores):
    found = 0
    begin = time.perf_counter_ns()
    for prompt, added in zip(lookups, stores):
        held = cache.hold_prefix(prompt)
        cache.touch(prompt, len(held))
        cache.let_go(held)
        found += len(held)
        cache.store(added)
    return time.perf_counter_ns() - begin, found


def main():
    (count,) = struct.unpack(">i", sys.stdin.buffer.read(4))
    cache = Cache(read_numbers(count))
    gc.freeze()
    gc.disable()
    answer(0, count)
    while header := sys.stdin.buffer.read(8):
        count, size = struct.unpack(">ii", header)
        lookups = split(read_numbers(count), size)
        stores = split(read_numbers(count), size)
        answer(*replay(cache, lookups, stores))


main()
