"""The same pull between two processes in Python: pyzmq over libzmq, copy=False on both sides.

Arguments: chunks, bytes of a chunk. Each line on stdin is a pull, answered by a line when all
frames are there. Frames are neither checked nor copied out of the socket's own memory.
"""

import os
import sys

import zmq


def serve(socket, body, chunks):
    frames = [body] * chunks
    while True:
        socket.recv()
        socket.send_multipart([b"reply", *frames], copy=False)


def pull(socket, chunks, chunk_bytes):
    for _ in sys.stdin:
        socket.send(b"get")
        frames = socket.recv_multipart(copy=False)
        if len(frames) != chunks + 1 or any(len(f.buffer) != chunk_bytes for f in frames[1:]):
            raise SystemExit("not what was asked for")
        del frames
        print("done", flush=True)


def main():
    chunks, chunk_bytes = int(sys.argv[1]), int(sys.argv[2])
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        server = zmq.Context().socket(zmq.REP)
        port = server.bind_to_random_port("tcp://127.0.0.1")
        os.write(writer, str(port).encode())
        os.close(writer)
        serve(server, os.urandom(chunk_bytes), chunks)
    os.close(writer)
    client = zmq.Context().socket(zmq.REQ)
    client.connect("tcp://127.0.0.1:" + os.read(reader, 16).decode())
    print("ready", flush=True)
    try:
        pull(client, chunks, chunk_bytes)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


main()
