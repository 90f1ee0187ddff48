"""What LMCache's lm:// connector sends and expects, with sockets alone: lm_connector.py HOST PORT BODY_BYTES."""
import socket
import struct
import sys

PUT, GET, EXIST, LIST, HEALTH = 1, 2, 3, 4, 5
NO_SHAPE = (0, 0, 0, 0)


class Connector:
    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=30)

    def send(self, command, key, length=0, fmt=1, dtype=2, location=0, shape=NO_SHAPE, body=b""):
        text = key.encode()
        assert len(text) <= 150
        header = struct.pack("<9i", command, length, fmt, dtype, location, *shape) + text.ljust(150)
        self.socket.sendall(header)
        self.socket.sendall(body)

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            assert piece, "the connection ended"
            data += piece
        return data

    def reply(self):
        code, length, fmt, dtype, s0, s1, s2, s3, location = struct.unpack("<9i", self.read(36))
        return code, length, fmt, dtype, (s0, s1, s2, s3), location

    def put(self, key, body, shape):
        self.send(PUT, key, len(body), 1, 3, 1, shape, body)

    def get(self, key):
        self.send(GET, key)
        code, length, fmt, dtype, shape, location = self.reply()
        return (fmt, dtype, shape, location, self.read(length)) if code == 200 else None

    def exists(self, key):
        self.send(EXIST, key)
        return self.reply()[0] == 200


def main():
    host, port, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    shape = (2, 2, 16, size // 128)
    keys = ["m@2@%d@%x@bfloat16" % (rank, n) for rank in (0, 1) for n in (7, 2**63 + 5)]
    bodies = {key: bytes([n + 1]) * (size // 2) + key.encode().ljust(size // 2) for n, key in enumerate(keys)}
    one, other = Connector(host, port), Connector(host, port)
    one.send(HEALTH, "")
    print("health", one.reply() == (200, 0, 1, 2, NO_SHAPE, 0))
    print("absent", one.exists(keys[0]), one.get(keys[0]))
    one.send(GET, keys[0])
    print("absent_header", one.reply() == (400, 0, 1, 2, NO_SHAPE, 0))
    for key in keys:
        one.put(key, bodies[key], shape)
    print("exist", [one.exists(key) for key in keys])
    print("get", [one.get(key) == (1, 3, shape, 1, bodies[key]) for key in keys])
    print("other_connection", [other.get(key) == (1, 3, shape, 1, bodies[key]) for key in keys])
    one.put(keys[0], bodies[keys[1]], shape)
    print("replaced", one.get(keys[0])[4] == bodies[keys[1]])


main()
