"""What LMCache's workers do at a controller's sockets, with nothing but libzmq and msgpack.

lmcache_worker.py tour PULL REPLY     one call after the other; prints name=value lines
lmcache_worker.py control             answers health questions; prints its port
lmcache_worker.py hold PULL REPLY INSTANCE PORT FIRST COUNT BEATS
                                      holds keys, prints "held" when they are found, and stays
"""

import json
import signal
import sys
import threading
import time

import msgpack
import zmq

HOST = "127.0.0.1"
CPU = "LocalCPUBackend"
WAIT_S = 20
context = zmq.Context()


def pack(message):
    return msgpack.packb(message, use_bin_type=True)


def say(name, value):
    print("%s=%s" % (name, value), flush=True)


class Requests:
    """A DEALER with LMCache's delimiter, or without; answers are the last frame."""

    def __init__(self, address, kind=zmq.DEALER, delimiter=True):
        self.socket = context.socket(kind)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RCVTIMEO, WAIT_S * 1000)
        self.socket.connect("tcp://" + address)
        self.front = [b""] if kind == zmq.DEALER and delimiter else []

    def raw(self, payload):
        self.socket.send_multipart(self.front + [payload])
        frames = self.socket.recv_multipart()
        assert len(frames) == len(self.front) + 1, frames
        return msgpack.unpackb(frames[-1], raw=False)

    def ask(self, message):
        return self.raw(pack(message))


def register(instance, rank, port, url):
    return {
        "type": "RegisterMsg",
        "instance_id": instance,
        "worker_id": rank,
        "ip": HOST,
        "port": port,
        "peer_init_url": url,
    }


def heartbeat(instance, rank, port, url):
    return dict(register(instance, rank, port, url), type="HeartbeatMsg")


def operations(instance, rank, first, keys, kind="admit"):
    return {
        "type": "BatchedKVOperationMsg",
        "instance_id": instance,
        "worker_id": rank,
        "location": CPU,
        "operations": [
            {"op_type": kind, "key": key, "seq_num": first + i}
            for i, key in enumerate(keys)
        ],
    }


def lookup(instance, rank, keys):
    return {
        "type": "BatchedP2PLookupMsg",
        "hashes": keys,
        "instance_id": instance,
        "worker_id": rank,
    }


def until(read, wanted):
    """What is read, once it is as wanted, or what it was at the end of patience."""
    deadline = time.monotonic() + WAIT_S
    value = read()
    while not wanted(value) and time.monotonic() < deadline:
        time.sleep(0.02)
        value = read()
    return value


def reason(answer):
    commands = answer.get("commands", [])
    return commands[0]["command_type"] + " " + commands[0]["reason"] if commands else "none"


class Tour:

    def __init__(self, pull, reply):
        self.push = context.socket(zmq.PUSH)
        self.push.setsockopt(zmq.LINGER, 2000)
        self.push.connect("tcp://%s:%s" % (HOST, pull))
        self.address = "%s:%s" % (HOST, reply)
        self.requests = Requests(self.address)
        self.heartbeat_url = None
        self.heartbeats = None

    def found(self, instance, rank, keys, wanted):
        def read():
            return self.requests.ask(lookup(instance, rank, keys))["layout_info"][0]

        return until(read, wanted)

    def hits(self, instance, rank, keys, n):
        return self.found(instance, rank, keys, lambda layout: layout[2] == n)

    def registrations(self):
        answer = Requests(self.address, zmq.REQ).ask(register("A", 0, 7000, "A:1"))
        say("register_req", answer["type"])
        self.heartbeat_url = answer["extra_config"]["heartbeat_url"]
        self.heartbeats = Requests(self.heartbeat_url)
        answer = self.requests.raw(json.dumps(register("B", 0, 7001, "B:1")).encode())
        say("register_json", answer["type"])
        bare = Requests(self.address, delimiter=False)
        say("register_two_frames", bare.ask(register("A", 1, 7002, "A:2"))["type"])
        say("register_nil_url", self.requests.ask(register("C", 0, 7003, None))["type"])

    def pushes(self):
        frames = [pack(operations("A", 0, i, [i + 1])) for i in range(49)]
        frames.insert(20, b"\xc1 no message")
        frames.append(json.dumps(operations("A", 0, 49, [2**64 - 1])).encode())
        self.push.send_multipart(frames)
        self.push.send(pack(operations("A", 1, 7, [1, 2, 3])))
        self.push.send(pack(operations("C", 0, 0, [7000])))
        keys = list(range(1, 50)) + [2**64 - 1]
        say("lookup", self.hits("B", 0, keys, 50))
        say("lookup_part", self.hits("B", 0, [48, 49, 50, 51], 2))
        say("lookup_own", self.hits("A", 0, keys, 0))
        say("lookup_rank", self.hits("B", 1, keys, 3))
        say("lookup_other_rank", self.hits("B", 2, keys, 0))
        say("lookup_nil_url", self.hits("B", 0, [7000], 0))
        say("lookup_empty", self.hits("B", 0, [], 0))
        say("lookup_stranger", self.hits("nobody", 0, keys, 50))

    def beats(self):
        beat = heartbeat("A", 0, 7000, "A:1")
        say("heartbeat", reason(self.heartbeats.ask(beat)))
        say("heartbeat_json", reason(self.heartbeats.raw(json.dumps(beat).encode())))
        say("heartbeat_on_reply", reason(self.requests.ask(beat)))
        say("register_on_heartbeat", self.heartbeats.ask(register("A", 0, 1, None))["error"])
        unknown = heartbeat("F", 0, 7009, "F:1")
        say("heartbeat_unknown", reason(self.heartbeats.ask(unknown)))
        self.push.send(pack(operations("A", 0, 60, [61])))
        gap = until(lambda: reason(self.heartbeats.ask(beat)), lambda r: r != "none")
        say("heartbeat_after_a_gap", gap)

    def start(self, sync_id, keys, batches):
        return self.requests.ask(
            {
                "type": "FullSyncStartMsg",
                "instance_id": "A",
                "worker_id": 0,
                "location": CPU,
                "sync_id": sync_id,
                "total_keys": keys,
                "batch_count": batches,
            }
        )

    def batch(self, sync_id, number, keys):
        return pack(
            {
                "type": "FullSyncBatchMsg",
                "instance_id": "A",
                "worker_id": 0,
                "location": CPU,
                "sync_id": sync_id,
                "batch_id": number,
                "keys": keys,
            }
        )

    def end(self, sync_id, keys):
        return pack(
            {
                "type": "FullSyncEndMsg",
                "instance_id": "A",
                "worker_id": 0,
                "location": CPU,
                "sync_id": sync_id,
                "actual_total_keys": keys,
            }
        )

    def status(self, sync_id):
        return self.requests.ask(
            {
                "type": "FullSyncStatusMsg",
                "instance_id": "A",
                "worker_id": 0,
                "sync_id": sync_id,
            }
        )

    def sync(self):
        say("sync_start", self.start("A_0_1", 6, 3)["accepted"])
        refused = lambda: self.start("A_0_2", 6, 3)
        say("sync_other_id", until(refused, lambda r: not r["accepted"])["error_msg"])
        self.push.send(self.batch("A_0_1", 2, [5, 100]))
        self.push.send(self.batch("A_0_1", 0, [1, 2]))
        self.push.send(self.batch("A_0_1", 0, [1, 2]))
        self.push.send(self.end("A_0_1", 6))
        first = until(
            lambda: self.status("A_0_1"), lambda s: s["missing_batches"] == [1]
        )
        say("sync_missing", first["missing_batches"])
        say("sync_incomplete", "%s %s" % (first["is_complete"], first["can_exit_freeze"]))
        say("sync_nothing_dropped", self.hits("B", 0, [48, 49], 2))
        say("sync_heartbeat", reason(self.heartbeats.ask(heartbeat("A", 0, 7000, "A:1"))))
        self.push.send(self.batch("A_0_1", 1, [3, 4]))
        self.push.send(self.end("A_0_1", 6))
        last = until(lambda: self.status("A_0_1"), lambda s: s["is_complete"])
        say("sync_complete", "%s %s" % (last["is_complete"], last["missing_batches"]))
        say("sync_progress_is_float", type(last["global_progress"]).__name__)
        say("sync_dropped", self.hits("B", 0, [48, 49], 0))
        say("sync_listed", self.hits("B", 0, [1, 2, 3, 4, 5, 100], 6))
        beat = heartbeat("A", 0, 7000, "A:1")
        say("heartbeat_after_the_sync", reason(self.heartbeats.ask(beat)))
        say("sync_unknown_can_go_on", self.status("never")["can_exit_freeze"])

    def garbage(self):
        say("garbage_reply", self.requests.raw(b"\xc1\xc1")["type"])
        say("garbage_json", self.requests.raw(b'{"type":"RegisterMsg"}')["type"])
        say("garbage_heartbeat", self.heartbeats.raw(b"\x00")["type"])
        answer = self.requests.ask({"type": "LookupMsg", "event_id": "e", "tokens": [1]})
        say("not_served", answer["error"])
        self.push.send(b"")
        self.push.send(b"\xc1")
        self.push.send(pack({"type": "NoSuchMsg"}))
        self.push.send(pack(operations("A", 0, 61, [101])))
        say("after_garbage", self.hits("B", 0, [101], 1))

    def clashes(self):
        stop = threading.Event()

        def live():
            own = Requests(self.heartbeat_url)
            while not stop.is_set():
                own.ask(heartbeat("A", 0, 7000, "A:1"))
                stop.wait(0.2)

        thread = threading.Thread(target=live)
        thread.start()
        answer = self.requests.ask(register("D", 0, 7000, "D:1"))
        say("clash_with_a_live_one", answer.get("error", "").split(" is that of ")[-1])
        answer = self.requests.ask(register("D", 0, 7010, "A:1"))
        say("clash_of_peer_address", answer["type"])
        stop.set()
        thread.join()
        answer = self.requests.ask(register("E", 0, 7003, "E:1"))
        say("back_under_another_name", answer["type"])

    def moves(self):
        self.push.send(pack(operations("B", 0, 0, [9000])))
        say("before_the_move", self.hits("A", 0, [9000], 1))
        self.requests.ask(register("B", 0, 7020, "B:2"))
        say("after_the_move", self.hits("A", 0, [9000], 0))
        self.push.send(pack(operations("B", 0, 0, [9001])))
        say("at_the_new_address", self.hits("A", 0, [9001], 1))
        beat = heartbeat("B", 0, 7020, "B:2")
        say("heartbeat_after_the_move", reason(self.heartbeats.ask(beat)))

    def goodbyes(self):
        def goodbye(port):
            return pack(
                {
                    "type": "DeRegisterMsg",
                    "instance_id": "A",
                    "worker_id": 1,
                    "ip": HOST,
                    "port": port,
                }
            )

        self.push.send(goodbye(1))
        self.push.send(pack(operations("A", 1, 10, [4])))
        say("goodbye_of_another_process", self.hits("B", 1, [1, 2, 3, 4], 4))
        self.push.send(goodbye(7002))
        say("goodbye", self.hits("B", 1, [1, 2, 3, 4], 0))


def tour(pull, reply):
    there = Tour(pull, reply)
    there.registrations()
    there.pushes()
    there.beats()
    there.sync()
    there.garbage()
    there.clashes()
    there.moves()
    there.goodbyes()
    say("done", True)


def control():
    socket = context.socket(zmq.REP)
    print(socket.bind_to_random_port("tcp://" + HOST), flush=True)
    while True:
        question = msgpack.unpackb(socket.recv(), raw=False)
        assert question["type"] == "HealthWorkerMsg", question
        socket.send(pack({"type": "HealthWorkerRetMsg", "error_code": 0}))
        print("asked", flush=True)


def hold(pull, reply, instance, port, first, count, beats):
    there = Tour(pull, reply)
    port, keys = int(port), list(range(int(first), int(first) + int(count)))
    url = "%s:%d" % (instance, port)
    answer = there.requests.ask(register(instance, 0, port, url))
    assert answer["type"] == "RegisterRetMsg", answer
    there.push.send(pack(operations(instance, 0, 0, keys)))
    if beats == "true":
        beating = Requests(answer["extra_config"]["heartbeat_url"])
        assert reason(beating.ask(heartbeat(instance, 0, port, url))) == "none"
    assert there.hits("nobody", 0, keys, len(keys))[0] == instance
    print("held", flush=True)
    signal.pause()


if __name__ == "__main__":
    {"tour": tour, "control": control, "hold": hold}[sys.argv[1]](*sys.argv[2:])
