"""The table's arrays in memory, and NumPy's functions on them."""
import time

from .server import SCHEMA, say

try:
    import numpy
except ImportError:
    numpy = None

# The elements that array_send() writes, by the type of the array.
DTYPES = {'integer[]': '>i4', 'bigint[]': '>i8', 'double precision[]': '>f8'}

# What array_send() writes before the elements of a list without NULLs.
HEADER_BYTES = 20


def load_rows(session):
    """The arrays of each row, by name; no rows without NumPy."""
    if numpy is None:
        say('left out: NumPy, as this Python does not have it')
        return []
    cursor = session.connection.cursor(binary=True)
    cursor.execute(f'''
        SELECT pg_typeof(a)::text AS type, array_send(a) AS a, array_send(p) AS p
        FROM {SCHEMA}.arrays''')
    return [{'a': from_bytes(row['a'], row['type']),
             'p': row['p'] and from_bytes(row['p'], 'integer[]')}
            for row in cursor]


def from_bytes(sent, array_type):
    """An array from what array_send() makes of one without NULLs."""
    element = numpy.dtype([('length', '>i4'), ('value', DTYPES[array_type])])
    values = numpy.frombuffer(sent, element, offset=HEADER_BYTES)['value']
    return values.astype(values.dtype.newbyteorder('='))


def numpy_ms(expression, rows):
    """Milliseconds to evaluate an expression over the arrays of each row."""
    code = compile(expression, expression, 'eval')
    started = time.monotonic()
    for arrays in rows:
        eval(code, {'numpy': numpy, **arrays})
    return round((time.monotonic() - started) * 1000, 6)
