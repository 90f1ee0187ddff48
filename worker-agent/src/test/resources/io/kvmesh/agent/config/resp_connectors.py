"""What LMCache's redis:// and resp:// connectors send and expect, with sockets alone: resp_connectors.py HOST PORT BODY_BYTES PASSWORD."""
import socket
import struct
import sys


class Redis:
    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=30)
        self.file = self.socket.makefile("rb")

    def send(self, *arguments):
        parts = [b"*%d\r\n" % len(arguments)]
        for argument in arguments:
            data = argument if isinstance(argument, bytes) else str(argument).encode()
            parts += [b"$%d\r\n" % len(data), data, b"\r\n"]
        self.socket.sendall(b"".join(parts))

    def reply(self):
        line = self.file.readline()
        assert line.endswith(b"\r\n"), "the connection ended"
        mark, rest = line[:1], line[1:-2]
        if mark == b"$":
            if rest == b"-1":
                return None
            data = self.file.read(int(rest) + 2)
            assert data.endswith(b"\r\n")
            return data[:-2]
        if mark == b"*":
            return [self.reply() for _ in range(int(rest))]
        return int(rest) if mark == b":" else (mark + rest).decode()

    def ask(self, *arguments):
        self.send(*arguments)
        return self.reply()

    def put_pair(self, key, body, shape):
        kv = self.ask("SET", key + "kv_bytes", body)
        return kv, self.ask("SET", key + "metadata", struct.pack("<7i", len(body), 1, 3, *shape))

    def get_pair(self, key):
        metadata = self.ask("GET", key + "metadata")
        return metadata and (struct.unpack("<7i", metadata), self.ask("GET", key + "kv_bytes"))


def main():
    host, port, size, password = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    shape = (2, 2, 16, size // 128)
    told = (size, 1, 3) + shape
    keys = ["m@2@%d@%x@bfloat16" % (rank, n) for rank in (0, 1) for n in (7, 2**63 + 5)]
    bodies = {key: bytes([n + 1]) * (size // 2) + key.encode().ljust(size // 2) for n, key in enumerate(keys)}
    one, other = Redis(host, port), Redis(host, port)
    print("stranger", one.ask("GET", keys[0]))
    print("auth", one.ask("AUTH", password), other.ask("AUTH", "default", password))
    print("library", one.ask("CLIENT", "SETINFO", "LIB-NAME", "x"), one.ask("SELECT", 0), one.ask("PING"))
    print("absent", one.ask("EXISTS", keys[0] + "metadata"), one.get_pair(keys[0]))
    print("put", [one.put_pair(key, bodies[key], shape) == ("+OK", "+OK") for key in keys])
    print("exist", [one.ask("EXISTS", key + "metadata") for key in keys])
    print("get", [other.get_pair(key) == (told, bodies[key]) for key in keys])
    print("single", [other.ask("GET", key) == bodies[key] for key in keys])
    print("replaced", one.ask("SET", keys[0], bodies[keys[1]]), other.ask("GET", keys[0]) == bodies[keys[1]])
    print("size", one.ask("DBSIZE"))
    for key in keys[1:]:
        one.send("GET", key)
    print("pipelined", [one.reply() == bodies[key] for key in keys[1:]])
    print("deleted", other.ask("DEL", keys[0] + "metadata"), other.ask("EXISTS", keys[0], keys[1]))


main()
