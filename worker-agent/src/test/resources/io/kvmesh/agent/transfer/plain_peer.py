"""A peer that uses nothing but libzmq's REQ and REP sockets and msgpack.

serve PAGE_BYTES TOKENS
    answers at an init and a lookup port; prints its init address, runs until its input ends.
ask INIT_ADDRESS PAGE_BYTES TOKENS HELD PUSHED
    asks another peer everything there is to ask; HELD and PUSHED are keys with commas between.
    Prints a line name=value for each answer.
"""

import hashlib
import sys
import threading

import msgpack
import zmq

EPOCH = 77
PATIENCE_MILLIS = 10_000

context = zmq.Context()


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


TABLE = crc32c_table()


def crc32c(body):
    crc = 0xFFFFFFFF
    for byte in body:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def body_of(key, size):
    fill = (int(key.split("@")[3], 16) * 31 + 7) & 0xFF
    text = key.encode()[:size]
    return text + bytes([fill]) * (size - len(text))


def message(kind, **fields):
    return msgpack.packb({"type": kind, **fields})


class Server:
    """Holds every chunk that it is asked for."""

    def __init__(self, page_bytes, tokens):
        self.page_bytes = page_bytes
        self.tokens = tokens
        self.init = context.socket(zmq.REP)
        self.lookup = context.socket(zmq.REP)
        self.init_address = "127.0.0.1:%d" % self.init.bind_to_random_port("tcp://127.0.0.1")
        self.lookup_address = "127.0.0.1:%d" % self.lookup.bind_to_random_port("tcp://127.0.0.1")

    def run(self):
        poller = zmq.Poller()
        poller.register(self.init, zmq.POLLIN)
        poller.register(self.lookup, zmq.POLLIN)
        while True:
            for socket, _ in poller.poll():
                request = msgpack.unpackb(socket.recv_multipart()[0])
                answer = self.greet if socket is self.init else self.get
                socket.send_multipart(answer(request))

    def greet(self, request):
        if request["type"] == "P2PInitSideMsg":
            return [message("P2PInitSideRetMsg", peer_lookup_url=self.lookup_address)]
        assert request["type"] == "KvmeshInitRequest" and "zmq" in request["channels"]
        return [
            message(
                "KvmeshInitResponse",
                format=1,
                epoch=EPOCH,
                page_bytes=self.page_bytes,
                channel="zmq",
                refusal=None,
            )
        ]

    def get(self, request):
        if request["type"] != "BatchedLookupAndGetMsg":
            return [message("P2PErrorMsg", error_code=2)]
        bodies = [body_of(key, self.page_bytes) for key in request["keys"]]
        reply = message(
            "BatchedLookupAndGetRetMsg",
            num_hit_chunks=len(bodies),
            epoch=EPOCH,
            lengths=[len(body) for body in bodies],
            tokens=[self.tokens] * len(bodies),
            checksums=[crc32c(body) for body in bodies],
        )
        return [reply, *bodies]


class Client:
    """A REQ socket: one request, then its answer."""

    def __init__(self, address):
        self.socket = context.socket(zmq.REQ)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MILLIS)
        self.socket.connect("tcp://" + address)

    def ask_raw(self, payload):
        self.socket.send(payload)
        reply, *bodies = self.socket.recv_multipart()
        return msgpack.unpackb(reply), bodies

    def ask(self, kind, **fields):
        return self.ask_raw(message(kind, **fields))


def told(name, value):
    print("%s=%s" % (name, value), flush=True)


def outcome(answer):
    reply, bodies = answer
    if reply["type"] == "P2PErrorMsg":
        return "error %d" % reply["error_code"]
    if reply["type"] == "BatchedLookupAndPutRetMsg":
        return "read %d of %d fields" % (reply["num_read_chunks"], len(reply) - 1)
    return "hit %d with %d bodies" % (reply["num_hit_chunks"], len(bodies))


def ask(init_address, page_bytes, tokens, held, pushed):
    server = Server(page_bytes, tokens)
    threading.Thread(target=server.run, daemon=True).start()
    me = server.init_address
    init = Client(init_address)
    side, _ = init.ask("P2PInitSideMsg")
    lookup = Client(side["peer_lookup_url"])

    def get(keys):
        return lookup.ask(
            "BatchedLookupAndGetMsg",
            lookup_id="l",
            receiver_id=me,
            keys=keys,
            mem_indexes=list(range(len(keys))),
        )

    def put(sender, keys):
        return lookup.ask(
            "BatchedLookupAndPutMsg",
            sender_id=sender,
            keys=keys,
            offsets=[tokens] * len(keys),
            mem_indexes=list(range(len(keys))),
        )

    def introduce(page, channels):
        reply, _ = init.ask(
            "KvmeshInitRequest",
            format=1,
            peer_init_url=me,
            instance_id="plain",
            worker_id=0,
            epoch=EPOCH,
            page_bytes=page,
            chunk_tokens=tokens,
            channels=channels,
        )
        return reply["channel"] or "refused"

    told("get_without_handshake", outcome(get(held)))
    told("put_without_handshake", outcome(put(me, pushed)))
    told("garbage", outcome(lookup.ask_raw(b"\xc1")))
    told("unknown_type", outcome(lookup.ask("NoSuchMsg")))
    told("a_reply", outcome(lookup.ask("BatchedLookupAndGetRetMsg", num_hit_chunks=1)))
    told("no_indexes", outcome(lookup.ask("BatchedLookupAndGetMsg", lookup_id="l")))
    told("foreign_handshake", outcome(init.ask("PySocketInitRequest", peer_init_url=me)))
    told("wrong_page", introduce(page_bytes * 2, ["zmq-copy"]))
    told("handshake", introduce(page_bytes, ["nixl", "zmq-copy"]))
    told("bad_key", outcome(get(["no key"])))
    told("get_nothing", outcome(get(pushed)))
    answer = get(held + pushed)
    told("get", outcome(answer))
    reply, bodies = answer
    told("lengths", reply["lengths"] == [len(body) for body in bodies])
    told("checksums", reply["checksums"] == [crc32c(body) for body in bodies])
    told("bodies", bodies == [body_of(key, page_bytes) for key in held])
    told("digest", hashlib.sha256(b"".join(bodies)).hexdigest())
    told("put", outcome(put(me, pushed)))
    told("put_again", outcome(put(me, pushed)))
    told("get_all", outcome(get(held + pushed)))


def main():
    mode, *args = sys.argv[1:]
    if mode == "serve":
        server = Server(int(args[0]), int(args[1]))
        threading.Thread(target=server.run, daemon=True).start()
        print(server.init_address, flush=True)
        sys.stdin.read()
    else:
        ask(args[0], int(args[1]), int(args[2]), args[3].split(","), args[4].split(","))


main()
