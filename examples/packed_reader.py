#!/usr/bin/env python3
"""Reads packed arrays without gpucompact: hexadecimal lines in, JSON lines out.

    psql -Atc 'SELECT gpucompact_packed_send(packed) FROM runs' |
        python3 examples/packed_reader.py

read() takes the bytes of a value, such as a field of COPY (FORMAT binary).  Dates are
days since 2000-01-01, timestamps microseconds.  src/packed/README.md has the format.
"""

import io
import json
import struct
import sys
from itertools import accumulate

KINDS = {0x01: "B", 0x04: "I", 0x12: "h", 0x14: "i", 0x18: "q", 0x24: "f", 0x28: "d"}
UNSIGNED, SIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}, {1: "b", 2: "h", 4: "i", 8: "q"}

def need(condition, what):
    if not condition:
        raise ValueError("damaged packed array: " + what)

def checksum(data, seed):
    def mix(state):
        state = state * 0x9E3779B1 % 2**32
        return state ^ state >> 15
    states = [mix((seed + lane) % 2**32) for lane in range(32)]
    for i, (word,) in enumerate(struct.iter_unpack("<I", data)):
        states[i % 32] = mix(states[i % 32] ^ word)
    for half in (16, 8, 4, 2, 1):
        states = [mix(states[i] * 0x85EBCA77 + states[i + half]) for i in range(half)]
    return mix(states[0] ^ len(data))

class Part(io.BytesIO):
    def take(self, length):
        data = self.read(length)
        need(len(data) == length, "bytes are missing")
        return data

    def numbers(self, code, count=""):
        code = f"<{count}{code}"
        return struct.unpack(code, self.take(struct.calcsize(code)))

    def part(self, length, seed):
        part = Part(self.take(-(-length // 8) * 8))
        need(part.numbers("I")[0] == checksum(part.getvalue()[4:], seed), "checksum")
        return part

def words(part, count, bits):
    lanes = 8 if count <= 256 else 32
    each = part.numbers("I", lanes * -(-(-(-count // lanes) * bits) // 32))
    streams = [sum(word << 32 * i for i, word in enumerate(each[lane::lanes]))
               for lane in range(lanes)]
    return [streams[i % lanes] >> i // lanes * bits & 2**bits - 1 for i in range(count)]

def frame(part, count, width):
    *sections, bits, size, has_step, zero = part.numbers("8B")
    many = sum(sections)
    need(bits <= width and has_step < 2 and zero == 0 and many <= count and
         size in (SIGNED if many else [0]), "head of a frame")
    base, step = part.numbers("QQ" if has_step else "Q") + (() if has_step else (1,))
    lower, upper = words(part, count, min(bits, 32)), words(part, count, max(bits - 32, 0))
    packed = [low + (up << 32) for low, up in zip(lower, upper)]
    exceptions = part.numbers(SIGNED.get(size, "b"), many)
    starts = [256 * i for i, number in enumerate(sections) for _ in range(number)]
    for place, exception in zip(map(sum, zip(starts, part.take(many))), exceptions):
        need(place < count, "position of an exception")
        packed[place] += exception << bits
    part.take(-part.tell() % 8)
    return [(base + step * integer) % 2**width for integer in packed], bits

def unpack(part, scheme, count, width):
    if scheme == 0:  # raw
        return part.numbers(UNSIGNED[width // 8], count), None
    if scheme == 1:  # constant
        return [part.numbers("Q")[0] % 2**width] * count, None
    if scheme == 2:  # frame
        return frame(part, count, width)
    if scheme == 3:  # delta
        before, (differences, bits) = part.numbers("Q"), frame(part, count, width)
        return [i % 2**width for i in accumulate([*before, *differences])][1:], bits
    many = part.numbers("H6x")[0]
    need(0 < many <= count, "number of values")
    values, bits = frame(part, many, width)
    if scheme == 4:  # dictionary
        numbers, bits = frame(part, count, 32)
        need(max(numbers) < many, "a value that is not there")
        return [values[i] for i in numbers], bits
    lengths, _ = frame(part, many, 32)
    need(sum(lengths) == count, "lengths of runs")
    return [value for value, length in zip(values, lengths) for _ in range(length)], bits

def elements_of(part, scheme, mapping, entry_bits, count, code):
    need(scheme < 6 and mapping < (4 if code in "fd" else 1), "scheme or mapping")
    width, exceptions = 8 * struct.calcsize(code), {}
    if mapping >= 2:
        width, (number, many) = 64, part.numbers("dH6x")
        exceptions = part.numbers(code, many)
        exceptions = dict(zip(part.numbers("H", many), exceptions))
        part.take(-part.tell() % 8)
    integers, bits = unpack(part, scheme, count, width)
    part.take(-part.tell() % 8)
    need(part.read() == b"" and bits in (None, entry_bits) and
         all(place < count for place in exceptions), "length, bits or exceptions of a block")
    if mapping == 1:  # rotated
        integers = [(i >> 1) + (i % 2 << width - 1) for i in integers]
    if mapping >= 2:  # divided, multiplied
        floats = (float(i - (i >> 63 << 64)) for i in integers)
        floats = (i / number if mapping == 2 else i * number for i in floats)
        floats = [exceptions.get(place, i) for place, i in enumerate(floats)]
        return Part(struct.pack(f"<{count}{code}", *floats)).numbers(code, count)
    return Part(struct.pack(f"<{count}{UNSIGNED[width // 8]}", *integers)).numbers(code, count)

def read(data):
    rest = Part(data)
    magic, version, kind, zeros, _, _, count, nulls, units, own = rest.numbers("3sBB3sIiIIII")
    need(magic == b"GPK" and version == 1 and own == checksum(data[:28], 0), "head or version")
    need(kind in KINDS and zeros == bytes(3) and nulls <= count and 8 * units == len(data), "head")
    code, bitmap, entries, elements = KINDS[kind], "", [], []
    for group in range(-(-count // 65536) if nulls else 0):
        here = min(count - 65536 * group, 65536)
        part = rest.part(8 + -(-here // 8), own + group)
        bits = int.from_bytes(part.getvalue()[8:], "little")
        need(part.numbers("I")[0] == bitmap.count("1") and bits >> here == 0, "NULLs")
        bitmap += f"{bits:0{here}b}"[::-1]
    size, present = struct.calcsize(code), count - nulls
    for page in range(-(-present // 65536)):
        here = min(64, -(-present // 1024) - 64 * page)
        part = rest.part(8 + here * (8 + 2 * size), own + page)
        first = part.numbers("I")[0]
        entries += [(None if i else 8 * first, *part.numbers("HBBI"), part.take(2 * size))
                    for i in range(here)]
    for start, units, scheme, bits, own, extremes in entries:
        here = min(1024, present - len(elements))
        need(start in (None, rest.tell()) and 0 < units <= -(-here * size // 8), "place of a block")
        part = Part(rest.take(8 * units))
        need(own == checksum(part.getvalue(), 0), "checksum of a block")
        block = elements_of(part, scheme % 16, scheme // 16, bits, here, code)
        ends = (end(block, key=lambda i: (i != i, i)) for end in (min, max))
        ends = [float("nan") if i != i else i + 0 for i in ends]
        need(extremes == struct.pack("<2" + code, *ends), "minimum or maximum")
        elements += block
    need(rest.read() == b"" and bitmap.count("0") == nulls, "bytes in all, or NULLs")
    values = iter(elements)
    return [next(values) if bit == "1" else None for bit in bitmap or "1" * count]

if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(read(bytes.fromhex(line.strip().removeprefix("\\x")))))
