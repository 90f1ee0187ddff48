"""A worker as LMCache's: registers, pushes admits, answers commands on a REP socket.

Prints one JSON line when it is registered, and one for each command. Ends with its input.
"""

import json
import sys
import threading

import msgpack
import zmq


def reply_to(message, tokens_held):
    kind = message["type"]
    if kind == "ClearWorkerMsg":
        return {"type": "ClearWorkerRetMsg", "num_tokens": tokens_held}
    if kind == "PinWorkerMsg":
        return {"type": "PinWorkerRetMsg", "num_tokens": len(message["tokens"])}
    if kind == "MoveWorkerMsg":
        return {"type": "MoveWorkerRetMsg", "num_tokens": len(message["tokens"])}
    if kind == "HealthWorkerMsg":
        return {"type": "HealthWorkerRetMsg", "error_code": 0}
    return {"type": "ErrorMsg", "error": "Worker error: " + kind}


def register(context, reply, instance, rank, port):
    request = context.socket(zmq.REQ)
    request.connect("tcp://" + reply)
    request.send(
        msgpack.packb(
            {
                "type": "RegisterMsg",
                "instance_id": instance,
                "worker_id": rank,
                "ip": "127.0.0.1",
                "port": port,
                "peer_init_url": "peer-%s:%d" % (instance, rank),
            }
        )
    )
    return msgpack.unpackb(request.recv())["type"]


def push(context, pull, instance, rank, hashes):
    socket = context.socket(zmq.PUSH)
    socket.connect("tcp://" + pull)
    operations = [
        {"op_type": "admit", "key": key, "seq_num": number} for number, key in enumerate(hashes)
    ]
    socket.send(
        msgpack.packb(
            {
                "type": "BatchedKVOperationMsg",
                "instance_id": instance,
                "worker_id": rank,
                "location": "LocalCPUBackend",
                "operations": operations,
            }
        )
    )


def told(what):
    print(json.dumps(what), flush=True)


def serve(reply, pull, instance, rank, hashes):
    context = zmq.Context()
    commands = context.socket(zmq.REP)
    port = commands.bind_to_random_port("tcp://127.0.0.1")
    told({"type": register(context, reply, instance, rank, port)})
    push(context, pull, instance, rank, hashes)
    while True:
        message = msgpack.unpackb(commands.recv())
        told(message)
        commands.send(msgpack.packb(reply_to(message, 4 * len(hashes))))


def main():
    reply, pull, instance, rank, hashes = sys.argv[1:]
    arguments = (reply, pull, instance, int(rank), [int(key) for key in hashes.split(",")])
    threading.Thread(target=serve, args=arguments, daemon=True).start()
    sys.stdin.read()


main()
