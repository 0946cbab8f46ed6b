"""Writes and reads Hadoop's typed bytes: typed.py lines | map | reduce | text."""
import struct
import sys

BYTES, INT, LONG, TEXT = 0, 3, 4, 7


def read(stream):
    code = stream.read(1)
    if not code:
        return None
    if code[0] == INT:
        return struct.unpack(">i", stream.read(4))[0]
    if code[0] == LONG:
        return struct.unpack(">q", stream.read(8))[0]
    if code[0] in (BYTES, TEXT):
        return stream.read(struct.unpack(">i", stream.read(4))[0]).decode()
    raise ValueError("type %d" % code[0])


def write(stream, value):
    if isinstance(value, int):
        stream.write(struct.pack(">Bq", LONG, value))
    else:
        data = value.encode()
        stream.write(struct.pack(">Bi", TEXT, len(data)) + data)


def pairs(stream):
    key = read(stream)
    while key is not None:
        yield key, read(stream)
        key = read(stream)


def main(what):
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    if what == "lines":
        for number, line in enumerate(source):
            write(sink, number)
            write(sink, line.decode().strip())
    elif what == "map":
        for _, line in pairs(source):
            for word in line.split():
                write(sink, word)
                write(sink, 1)
    elif what == "reduce":
        last, count = None, 0
        for word, ones in pairs(source):
            if word != last and last is not None:
                write(sink, last)
                write(sink, count)
                count = 0
            last, count = word, count + ones
        if last is not None:
            write(sink, last)
            write(sink, count)
    else:
        for key, value in pairs(source):
            sink.write(("%s\t%s\n" % (key, value)).encode())
    sink.flush()


main(sys.argv[1])
