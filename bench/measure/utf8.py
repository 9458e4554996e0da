"""times of functions on texts"""
import itertools
import os
import random
import shlex
import statistics
import subprocess
import time

from .contenders import SUITES, contenders
from .server import SCHEMA, say
from .text import (count_text, digits, grouped, paragraphs, speedups, table,
                   time_cells)
from .turns import in_turn, sample

SIZES = [61_000, 64_000_000]
LARGEST_FOR_LOOP = 100_000

# Texts by the code points that they are drawn from, and the suite that is
# measured on them.  Every thousandth character of "dirty" is a byte FF.
TEXTS = {
    'ascii': ([(0x20, 0x7E)], 'valid UTF-8'),
    'cyrillic': ([(0x20, 0x20), (0x410, 0x44F)], 'valid UTF-8'),
    'cjk': ([(0x4E00, 0x9FFF)], 'valid UTF-8'),
    'dirty': ([(0x20, 0x7E), (0xC0, 0xFF), (0x4E00, 0x4E0F)], 'invalid UTF-8')}


def draw_text(name, size):
    """A text of at most so many bytes, the same at each call."""
    ranges, _ = TEXTS[name]
    points = [point for least, most in ranges
              for point in range(least, most + 1)]
    drawn = random.Random(1).choices(points, k=2**18)
    if name == 'dirty':
        drawn[::1000] = [0xDCFF] * len(drawn[::1000])
    block = ''.join(map(chr, drawn)).encode(errors='surrogateescape')
    text = (block * (size // len(block) + 1))[:size]
    # No character is cut in two.
    text = text.rstrip(bytes(range(0x80, 0xC0)))
    return text.rstrip(bytes(range(0xC0, 0xF5)))


def make_table(session, text):
    """Makes the table "texts", of one text."""
    session.run(f'''
        DROP TABLE IF EXISTS {SCHEMA}.texts;
        CREATE UNLOGGED TABLE {SCHEMA}.texts (b bytea);
        ALTER TABLE {SCHEMA}.texts ALTER b SET STORAGE EXTERNAL''')
    session.run(f'INSERT INTO {SCHEMA}.texts VALUES (%b)', text)
    session.run(f'VACUUM (ANALYZE) {SCHEMA}.texts')


def program_ms(command, text):
    """The time of a program, from a file in memory to nowhere."""
    with open(os.memfd_create('text'), 'w+b') as file:
        file.write(text)
        file.seek(0)
        started = time.monotonic()
        subprocess.run(shlex.split(command), stdin=file,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return round((time.monotonic() - started) * 1000, 6)


def candidates(options, name, size):
    _, suite = TEXTS[name]
    return [c for c in contenders(SUITES[suite], options)
            if c.label != 'PL/pgSQL loop' or size <= LARGEST_FOR_LOOP]


def measure(options, session):
    session.open_engines(options.engines)
    for size, name in itertools.product(options.sizes or SIZES, TEXTS):
        say(f'{name}: {count_text(size)} bytes')
        text = draw_text(name, size)
        make_table(session, text)

        def take(contender, settle):
            if contender.label == 'iconv -c':
                return program_ms(contender.sql, text)
            return sample(session, contender, 'texts', settle)

        samples = in_turn(candidates(options, name, size), take, options.rounds)
        yield [{'text': name, 'bytes': len(text), **c._asdict(),
                'ms': taken}
               for c, taken in samples.items()]


def line(record, group):
    ms = record['ms']
    return [f"`{record['sql']}`", record['engine'], *time_cells(ms),
            digits(record['bytes'] / statistics.median(ms) / 1e6),
            ', '.join(speedups(record, group))]


def report(records):
    yield from paragraphs(
        '## UTF-8',
        'Times are for one text, STORAGE EXTERNAL, whose characters are drawn '
        'from a range of code points.  "dirty" has characters of one, two and '
        'three bytes, and every thousandth is a byte FF.  GB/s are the bytes of '
        'the text per second.  iconv runs outside of the server, from memory to '
        '/dev/null.')
    for (name, size), group in grouped(records, 'text', 'bytes'):
        yield from paragraphs(f'### {name}, {count_text(size)} bytes')
        yield from table(['what', 'engine', 'median', 'min .. max', 'n', 'GB/s',
                          'as fast as'], (line(r, group) for r in group))
