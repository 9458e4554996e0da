"""The table's arrays in memory, and NumPy's functions on them."""
import time

from .server import SCHEMA, say

try:
    import numpy
except ImportError:
    numpy = None

# By the type of the array, what gpu_to_bytes() makes.
DTYPES = {'integer[]': '<i4', 'bigint[]': '<i8', 'double precision[]': '<f8'}


def load_rows(session):
    """The arrays of each row, by name; no rows without NumPy."""
    if numpy is None:
        say('left out: NumPy, as this Python does not have it')
        return []
    return [{'a': numpy.frombuffer(row['a'], DTYPES[row['type']]),
             'p': row['p'] and numpy.frombuffer(row['p'], '<i4')}
            for row in session.rows(f'''
                SELECT pg_typeof(a)::text AS type, gpu_to_bytes(a) AS a,
                       gpu_to_bytes(p) AS p
                FROM {SCHEMA}.arrays''')]


def numpy_ms(expression, rows):
    """Milliseconds to evaluate an expression over the arrays of each row."""
    code = compile(expression, expression, 'eval')
    started = time.monotonic()
    for arrays in rows:
        eval(code, {'numpy': numpy, **arrays})
    return round((time.monotonic() - started) * 1000, 6)
