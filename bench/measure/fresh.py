"""sessions of one call each"""
import statistics

from .arrays import SIZES, single_arrays
from .contenders import basic_functions, ours
from .server import Session
from .text import count_text, paragraphs, table, time_cells
from .turns import in_turn, sample

NOISY = 2**22       # a first call on fewer elements is short, and noisy
ENGINES = ['cpu', 'auto']


def first_call(contender, _):
    with Session() as session:
        return sample(session, contender)


def measure(options, session):
    for form, elements in single_arrays(options, session, SIZES):
        rounds = options.rounds * (4 if elements < NOISY else 1)
        records = []
        for function in basic_functions(options):
            samples = in_turn([ours(function, engine) for engine in ENGINES],
                              first_call, rounds)
            records.append({
                'storage': form, 'elements': elements, 'function': function,
                'chosen': samples[ours(function, 'auto')][-1].call['engine'],
                'ms': {c.engine: [s.ms for s in taken]
                       for c, taken in samples.items()}})
        yield records


def line(record):
    ms = record['ms']
    cpu, auto = (statistics.median(ms[engine]) for engine in ENGINES)
    return [record['storage'], count_text(record['elements']),
            record['function'], *time_cells(ms['cpu'])[:2],
            *time_cells(ms['auto']), f'{auto / cpu:.2f}', record['chosen']]


def report(records):
    yield from paragraphs(
        '## Fresh sessions',
        'The only call of a new session.  It loads the library, and opens the '
        'GPU if it chooses so.')
    yield from table(
        ['storage', 'elements', 'function', 'cpu', 'min .. max', 'auto',
         'min .. max', 'n', 'auto / cpu', 'auto chose'], map(line, records))
