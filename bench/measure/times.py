"""times of functions on arrays, in a warm session"""
import itertools
import statistics

from .arrays import FORMS, SIZES, make_table, shapes
from .contenders import COPY, NUMPY, SUITES, contenders, runnable
from .numpy_arrays import load_rows, numpy_ms
from .text import (count_text, grouped, paragraphs, speedups, table,
                   time_cells)
from .turns import in_turn, sample

LARGEST_FOR_PEERS = 2**25


def candidates(options, form, elements):
    functions = {function: peers
                 for function, peers in SUITES[options.suite].items()
                 if FORMS[form].only in (None, function)}
    return [c for c in contenders(functions, options)
            if c.engine or elements <= LARGEST_FOR_PEERS and
            not (c.label == NUMPY and FORMS[form].rows)]


def measure(options, session):
    session.open_engines(options.engines)
    forms = options.storage or [name for name, form in FORMS.items()
                                if form.suite == options.suite]
    for form in forms:
        for (rows, elements), element_type in itertools.product(
                shapes(form, options.sizes or SIZES),
                [FORMS[form].type] if FORMS[form].type else options.types):
            found = candidates(options, form, elements)
            if not found or not make_table(session, form, rows, elements,
                                           element_type):
                continue
            in_memory = []
            if any(c.label == NUMPY for c in found):
                in_memory = load_rows(session)
                found = [c for c in found if in_memory or c.label != NUMPY]

            def take(contender, settle):
                if contender.label == NUMPY:
                    return numpy_ms(contender.sql, in_memory)
                return sample(session, contender, settle=settle)

            samples = in_turn([COPY, *runnable(found, session)], take,
                              options.rounds, options.slow_rounds)
            yield [{'storage': form, 'elements': elements, 'rows': rows,
                    'type': element_type, **c._asdict(),
                    'ms': taken}
                   for c, taken in samples.items()]


def auto_text(group, function):
    """What part of the faster engine's time auto takes."""
    ms = {r['engine']: statistics.median(r['ms']) for r in group
          if r['function'] == function and r['engine']}
    auto = ms.pop('auto', None)
    if not ms or not auto:
        return ''
    best = min(ms, key=ms.get)
    return f'{auto / ms[best]:.2f} of {best}'


def line(record, group, arrays):
    ms = [t / arrays for t in record['ms']]
    copy_ms = statistics.median(group[0]['ms']) / arrays
    compared = speedups(record, group)
    if record['engine'] == 'auto':
        compared += filter(None, [auto_text(group, record['function'])])
    return [f"`{record['sql']}`", record['engine'], *time_cells(ms),
            f'{statistics.median(ms) / copy_ms:.3g}', ', '.join(compared)]


def auto_lines(records, functions):
    for what, group in grouped(records, 'storage', 'type', 'elements'):
        *kind, elements = what
        cells = [auto_text(group, f) for f in functions]
        if any(cells):
            yield [*kind, count_text(elements), *cells]


def report(records):
    yield from paragraphs(
        '## Times',
        'Times are for one array, and for all rows of "rows".  "of copy" is the '
        f'median divided by that of `{COPY.sql}`.  "as fast as" is how many times as '
        'fast as each peer a function is, and what part of the time of the '
        'better engine auto takes.  NumPy runs outside of the server, on arrays '
        'in memory.')
    for (form, elements, rows, element_type), group in grouped(
            records, 'storage', 'elements', 'rows', 'type'):
        yield from paragraphs(
            f'### {form}, {count_text(elements)} elements of {element_type}',
            f'{FORMS[form].description}; {rows:,} rows in the table.')
        arrays = 1 if FORMS[form].rows else rows
        yield from table(['what', 'engine', 'median', 'min .. max', 'n',
                          'of copy', 'as fast as'],
                         (line(r, group, arrays) for r in group))

    functions = list(dict.fromkeys(r['function'] for r in records
                                   if r['engine']))
    lines = list(auto_lines(records, functions))
    if lines:
        yield from paragraphs('### auto and the better engine')
        yield from table(['storage', 'type', 'elements', *functions], lines)
