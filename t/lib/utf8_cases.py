"""Bytes, and what Python's decoder makes of them, as rows for COPY.

  utf8_cases.py SEED            cases of all kinds
  utf8_cases.py SEED COUNT      COUNT cases, at random

Columns: what the bytes are; the bytes; the offset at which 'strict' fails, or
NULL; the code points with 'replace', or NULL where they would be many; what
'replace' and 'ignore' leave, as bytes; and where the errors are, and how long.
"""
import codecs
import itertools
import random
import sys

# The bytes at which table 3-7 of Unicode 15 changes, their neighbours, and a letter.
BOUNDARY = bytes.fromhex('00417f808f909fa0bfc0c1c2dfe0e1ecedeeeff0f1f3f4f5ff')
MANY = 1000

random.seed(int(sys.argv[1]))


def boundary(length):
    return map(bytes, itertools.product(BOUNDARY, repeat=length))


def text(size, widths, noise):
    """Code points of these widths, and other bytes at this rate."""
    ranges = {1: (0, 0x80), 2: (0x80, 0x800), 3: (0x800, 0x10000),
              4: (0x10000, 0x110000)}
    chosen = [ranges[width] for width in widths]
    number = random.random  # of all ways to choose, the fastest
    parts = []
    while size > 0:
        if number() < noise:
            part = bytes([int(number() * 256)])
        else:
            begin, end = chosen[int(number() * len(chosen))]
            point = begin + int(number() * (end - begin))
            if 0xD800 <= point <= 0xDFFF:
                continue
            part = chr(point).encode()
        parts.append(part)
        size -= len(part)
    return b''.join(parts)


def cases():
    for length in 1, 2:
        for sequence in boundary(length):
            yield 'sequence ' + sequence.hex(), sequence
    for length in 3, 4:
        yield (f'all sequences of {length} bytes',
               b'a'.join(boundary(length)))
    for widths in (1,), (2,), (3,), (4,), (1, 1, 1, 2), (1, 2, 3, 4):
        for noise in 0, 0.001, 0.1, 0.9:
            name = f'widths {widths}, noise {noise}'
            for size in (1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100,
                         1000, 2000, 40000):
                yield f'{name}, {size} bytes', text(size, widths, noise)
    for size in 262144, 300000, 1048576, 2500000, 5000000:
        yield f'mixture of {size} bytes', text(size, (1, 2, 3, 4), 0.01)
    yield 'nothing but a NUL', b'\0'
    yield 'a text cut at its end', text(5000, (4,), 0)[:-1]


def random_cases(count):
    """Mostly short ones; the others end near where a piece may end."""
    for _ in range(count):
        size = random.choice((0, 20, 300) * 6 + (1996, 4096, 31936) * 2 +
                             (65536, 262144, 1048576))
        size = random.choice((size + random.randint(-2, 2),
                              random.randint(0, size)))
        widths = random.choices((1, 2, 3, 4), k=random.randint(1, 4))
        noise = random.choice((0, 0, 0.001, 0.1, 0.9))
        data = text(max(size, 0), widths, noise)
        data = data[random.randint(0, 3):]
        yield (f'widths {widths}, noise {noise}, {len(data)} bytes',
               data[:len(data) - random.randint(0, 3)])


def array(numbers):
    return '{' + ','.join(map(str, numbers)) + '}'


def hexed(string):
    return r'\\x' + string.encode().hex()


if len(sys.argv) > 2:
    chosen = random_cases(int(sys.argv[2]))
else:
    chosen = cases()
for label, data in chosen:
    errors = []

    def note(error):
        errors.append((error.start, error.end - error.start))
        return '\ufffd', error.end

    codecs.register_error('note', note)
    data.decode('utf-8', 'note')
    try:
        data.decode('utf-8', 'strict')
        strict = r'\N'
    except UnicodeDecodeError as error:
        strict = error.start
    replaced = data.decode('utf-8', 'replace')
    points = array(map(ord, replaced)) if len(replaced) < MANY else r'\N'
    print(label, r'\\x' + data.hex(), strict, points, hexed(replaced),
          hexed(data.decode('utf-8', 'ignore')),
          array(start for start, _ in errors),
          array(length for _, length in errors), sep='\t')
