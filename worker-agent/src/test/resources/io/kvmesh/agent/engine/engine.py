"""An engine on the agent's host: engine.py ADDRESS PAGE_BYTES TOKENS. Does what it reads, a line each, and says what came of it."""
import mmap
import socket
import struct
import sys

import msgpack
import zmq

ANSWER_MILLIS = 5000


class Engine:
    def __init__(self, address, page_bytes, tokens):
        self.address = address
        self.page_bytes = page_bytes
        self.tokens = tokens
        self.context = zmq.Context()
        self.door = self.connect()
        self.session = self.ask("OpenSessionMsg", format=1, client="python")["session_id"]
        self.claim_id = 0
        self.lease = None
        self.prefetch_id = 0

    def connect(self):
        door = self.context.socket(zmq.REQ)
        door.linger = 0
        door.rcvtimeo = ANSWER_MILLIS
        door.connect(self.address)
        return door

    def ask(self, kind, **fields):
        request = msgpack.packb({"type": kind, **fields})
        self.door.send(request)
        try:
            answer = self.door.recv()
        except zmq.Again:  # the connection was lost: the session goes on over another one
            self.door = self.connect()
            self.door.send(request)
            answer = self.door.recv()
        return msgpack.unpackb(answer)

    def of_session(self, kind, **fields):
        return self.ask(kind, session_id=self.session, **fields)

    def map(self):
        """Maps the memory, and holds the session; the answer is its share."""
        self.memory = self.of_session("EngineHandOverMsg")
        self.lifeline = socket.socket(socket.AF_UNIX)
        self.lifeline.connect(self.memory["socket"])
        self.lifeline.sendall(struct.pack(">q", self.session))
        if self.lifeline.recv(1) != b"\1":
            return "refused"
        with open(self.memory["arena"], "r+b") as file:
            self.arena = mmap.mmap(file.fileno(), 0)
        return self.memory["max_chunks"]

    def plain(self):
        """Another session, which depends on the connection alone."""
        return self.ask("OpenSessionMsg", format=1, client="plain")["type"]

    def claim(self, first, count):
        """Claims chunks and writes them."""
        keys = keys_of(first, count)
        answer = self.of_session(
            "EngineClaimMsg", keys=keys, lengths=[self.page_bytes] * count, tokens=[self.tokens] * count
        )
        if "code" in answer:
            return answer["code"]
        self.claim_id = answer["claim_id"]
        for number, offset in enumerate(answer["offsets"]):
            if offset >= 0:
                self.arena[offset : offset + self.page_bytes] = self.body(first + number)
        return ",".join(answer["outcomes"])

    def commit(self):
        answer = self.of_session("EngineCommitMsg", claim_id=self.claim_id, lease_id=0, hold=False)
        return answer.get("code") or ",".join(answer["outcomes"])

    def hold(self, first, count):
        """Leases the longest prefix; the answer is its length."""
        answer = self.of_session("EngineLeaseMsg", lease_id=0, keys=keys_of(first, count), deadline_millis=0)
        if "code" in answer:
            return answer["code"]
        self.lease = answer
        self.first = first
        return len(answer["offsets"])

    def read(self):
        """Reads in place what is leased; the answer is how many bodies are right, and still were after that."""
        right = same = 0
        for number, offset in enumerate(self.lease["offsets"]):
            body = self.arena[offset : offset + self.lease["lengths"][number]]
            right += body == self.body(self.first + number)
            same += self.generation(offset) == self.lease["generations"][number]
        return right, same

    def generation(self, offset):
        at = self.memory["generations_offset"] + 4 * (offset // 4096)
        return struct.unpack_from("=i", self.arena, at)[0]

    def release(self):
        return self.of_session("EngineReleaseMsg", lease_id=self.lease["lease_id"])["released_chunks"]

    def prefetch(self, first, count):
        """Has the agent bring a prefix."""
        answer = self.of_session("EnginePrefetchMsg", keys=keys_of(first, count), deadline_millis=0)
        if "code" in answer:
            return answer["code"]
        self.prefetch_id = answer["prefetch_id"]
        return "begun"

    def progress(self):
        """How far it is: its state, and how many chunks were there, came, are nobody's, failed."""
        return self.told("EnginePrefetchProgressMsg")

    def cancel(self):
        return self.told("EnginePrefetchCancelMsg")

    def told(self, kind):
        answer = self.of_session(kind, prefetch_id=self.prefetch_id)
        if "code" in answer:
            return answer["code"]
        return tuple(answer[name] for name in ("state", "resident", "brought", "missing", "failed"))

    def leave(self):
        """Lets go of the session, and knows nothing of it."""
        self.lifeline.close()
        return "left"

    def body(self, number):
        text = keys_of(number, 1)[0].encode()
        return text + bytes([(number * 31 + 7) % 256]) * (self.page_bytes - len(text))


def keys_of(first, count):
    return ["m@1@0@%x@bfloat16" % (first + i) for i in range(count)]


engine = Engine(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
for line in sys.stdin:
    command, *numbers = line.split()
    answer = getattr(engine, command)(*map(int, numbers))
    print(*(answer if isinstance(answer, tuple) else (answer,)), flush=True)
