"""parts of a call, by gpu_last_call()"""
import statistics

from .arrays import single_arrays
from .contenders import basic_calls
from .text import (count_text, digits, grouped, paragraphs, table, time_cells,
                   time_text)
from .turns import in_turn, sample

SIZES = [2**24]

# The parts, and the bytes that go through each of them.
PARTS = {'detoast': ['bytes_in'], 'upload': ['bytes_in'],
         'kernel': ['bytes_in', 'bytes_out'], 'download': ['bytes_out'],
         'result': ['bytes_out']}


def measure(options, session):
    session.open_engines(options.engines)
    for form, elements in single_arrays(options, session, SIZES):
        samples = in_turn(basic_calls(options),
                          lambda c, _: sample(session, c), options.rounds)
        yield [{'storage': form, 'elements': elements, 'function': c.function,
                'engine': c.engine, 'calls': [s.call for s in taken]}
               for c, taken in samples.items()]


def part_cells(record):
    """What each part of a call took, and its bandwidth."""
    for part, names in PARTS.items():
        ms = statistics.median(c[f'{part}_ms'] or 0 for c in record['calls'])
        moved = sum(record['calls'][0][name] for name in names)
        cell = time_text(ms) if ms else ''
        # On the CPU, it is the kernel that writes the result.
        if ms and (part, record['engine']) != ('result', 'cpu'):
            cell += f", {digits(moved / ms / 1e6)} GB/s"
        yield cell


def line(record):
    call = record['calls'][0]
    median, spread, n = time_cells([c['total_ms'] or 0 for c in record['calls']])
    return [record['function'], record['engine'], call['source'],
            *(f'{call[b] / 2**20:.1f} MiB' for b in ('bytes_in', 'bytes_out')),
            f'{median} ({spread})', *part_cells(record), n]


def report(records):
    yield from paragraphs(
        '## Parts of a call',
        'Medians of what gpu_last_call() tells, and the bytes of the input or '
        'of the result per second; for the kernel, the bytes of both, however '
        'often it reads and writes them.  Calls on less than 4 kB are not timed. '
        'On the GPU the parts overlap, and "result" is a sum over threads, so '
        'they need not add up.')
    for (form, elements), group in grouped(records, 'storage', 'elements'):
        yield from paragraphs(f'### {form}, {count_text(elements)} elements')
        yield from table(['function', 'engine', 'source', 'in', 'out', 'total',
                          *PARTS, 'n'], map(line, group))
