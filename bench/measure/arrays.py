"""Tables of arrays of random numbers."""
from collections import namedtuple

from psycopg.errors import FeatureNotSupported

from .server import SCHEMA, say
from .text import count_text

# The element types, with SQL that draws a value from all that the type has, or
# from the values of any size.
BITS = '(floor(random() * 2^32)::bigint << 32 | floor(random() * 2^32)::bigint)'
TYPES = {'integer': f'({BITS} >> 32)', 'bigint': BITS,
         'double precision': '(random() - 0.5) * exp(40 * random())'}

# SQL that draws a value of the normal distribution.
NORMAL = '(sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))'

# How arrays are stored, and SQL that draws an element at the position i.  "suite" holds
# the functions that are measured on them, or "only" is the one that is.  "rows" is how
# many arrays there are of how many elements, and "type" the type of these, where this
# is not an option.  With "positions", each array has one of random positions in it next
# to it; if "increasing", each array is in order, and has another one next to it.
Form = namedtuple(
    'Form',
    'description element storage compression suite only rows positions'
    ' increasing type',
    defaults=['EXTERNAL', 'pglz', 'basic', None, None, False, False, None])
SMALL_ROWS = (100_000, 100)
FORMS = {
    'external': Form('STORAGE EXTERNAL, random over the whole range', '{any}'),
    # Random numbers are hardly ever 0, and array_remove then makes no array.
    'zeros': Form('STORAGE EXTERNAL, half of the elements 0',
                  'CASE WHEN random() < 0.5 THEN 0 ELSE {any} END',
                  only='gpu_compact'),
    # Only small numbers compress.
    'pglz': Form('compressed by pglz, random from 0 to 99',
                 'floor(random() * 100)', 'EXTENDED'),
    'lz4': Form('compressed by lz4, random from 0 to 99',
                'floor(random() * 100)', 'EXTENDED', 'lz4'),
    'rows': Form('in the row itself, random over the whole range', '{any}',
                 rows=SMALL_ROWS),
    'narrow': Form('STORAGE EXTERNAL, random from 0 to 2^20 - 1',
                   'floor(random() * 2^20)', suite='families'),
    'narrow_rows': Form('in the row itself, random from 0 to 2^20 - 1',
                        'floor(random() * 2^20)', suite='families',
                        rows=SMALL_ROWS),
    'centred': Form('STORAGE EXTERNAL, random from -250000 to 250000',
                    '(random() - 0.5) * 500000', suite='statistics',
                    positions=True),
    'centred_rows': Form('in the row itself, random from -250000 to 250000',
                         '(random() - 0.5) * 500000', suite='statistics',
                         rows=SMALL_ROWS, positions=True),
    'increasing': Form('STORAGE EXTERNAL, increasing by 1 to 3; "b" is another'
                       ' such array', '', suite='sets', increasing=True),
    'digits': Form('STORAGE EXTERNAL, random from 0 to 999',
                   'floor(random() * 1000)', suite='windows',
                   positions=True),
    'normal': Form('around zero, with a deviation of 1000', f'1000 * {NORMAL}',
                   suite='sorts'),
    'lognormal': Form('lognormal, with a median of 403', f'exp(6 + {NORMAL})',
                      suite='sorts'),
    'zipf': Form('as Zipf has them, up to 1,000,000',
                 'least(floor((1 - random()) ^ -2), 1000000)', suite='sorts'),
    'jitter': Form('a clock with jitter: nearly in order',
                   f'100 * i + 300 * {NORMAL}', suite='sorts'),
    'kinds': Form('of 20 kinds', 'floor(random() * 20) * 50000000',
                  suite='sorts'),
    'decimals': Form('temperatures with two decimals',
                     f'round(2000 + 300 * {NORMAL}) / 100', suite='sorts',
                     type='double precision'),
    'fractions': Form('between 0 and 1', 'random()', suite='sorts',
                      type='double precision')}

SIZES = [2**10, 2**14, 2**17, 2**20, 2**24, 2**26]

# A table of small arrays has so many that a pass over it takes a while.
LEAST_ELEMENTS = 2**21


def shapes(form, sizes):
    """The tables to make: how many rows of how many elements."""
    if FORMS[form].rows:
        return [FORMS[form].rows]
    return [(max(1, LEAST_ELEMENTS // n), n) for n in sizes]


def random_array(element, element_type, elements):
    """SQL that makes an array of random elements, another for each row."""
    # ARRAY() makes no more than 2^26 elements.  It names "row" to run again for
    # each row.
    half = elements // 2
    return ' || '.join(f'''
        ARRAY(SELECT ({element})::{element_type}
              FROM generate_series({first}, {last} + 0 * row) AS i)'''
                       for first, last in ((1, half), (half + 1, elements)))


def increasing_array(element_type, elements):
    return f'''
        ARRAY(SELECT (2 * i + floor(random() * 2) + 0 * row)::{element_type}
              FROM generate_series(1, {elements}) AS i)'''


def make_table(session, form, rows, elements, element_type='integer'):
    """Makes the table "arrays", the same at each call, if the server can."""
    say(f'{form}: {count_text(elements)} elements of type {element_type}, '
        f'{rows:,} rows')
    storage, compression = FORMS[form].storage, FORMS[form].compression
    element = FORMS[form].element.format(any=TYPES[element_type])
    arrays = {'a': random_array(element, element_type, elements)}
    if FORMS[form].positions:
        arrays['p'] = random_array(f'ceil(random() * {elements})', 'integer',
                                   elements)
    if FORMS[form].increasing:
        arrays = {name: increasing_array(element_type, elements)
                  for name in 'ab'}
    # No checkpoint writes an unlogged table during a measurement.
    try:
        session.run(f'''
            DROP TABLE IF EXISTS {SCHEMA}.arrays;
            CREATE UNLOGGED TABLE {SCHEMA}.arrays
                (a {element_type}[] COMPRESSION {compression},
                 b {element_type}[] COMPRESSION {compression},
                 p integer[] COMPRESSION {compression})
                WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off);
            ALTER TABLE {SCHEMA}.arrays ALTER a SET STORAGE {storage},
                                        ALTER b SET STORAGE {storage},
                                        ALTER p SET STORAGE {storage};
            SELECT setseed(0);
            INSERT INTO {SCHEMA}.arrays ({', '.join(arrays)})
            SELECT {', '.join(arrays.values())}
            FROM generate_series(1, {rows}) AS row''')
    except FeatureNotSupported as error:    # LZ4
        say(f'left out: {error}')
        return False
    session.run(f'VACUUM (ANALYZE) {SCHEMA}.arrays')
    return True


def single_arrays(options, session, sizes):
    """Makes tables of one array each, and names them."""
    for form in options.storage or ['external']:
        for elements in options.sizes or sizes:
            if not FORMS[form].rows and make_table(session, form, 1, elements):
                yield form, elements
