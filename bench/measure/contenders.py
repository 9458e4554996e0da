"""The functions that are measured, and what they are compared with."""
from collections import namedtuple

from psycopg.errors import UndefinedFunction

from .server import SCHEMA, query, say

# The label of one of ours is the function; a peer has no engine.
Contender = namedtuple('Contender', 'function label engine sql')

# The cheapest way in which PostgreSQL itself reads an array and makes one.
COPY = Contender('copy', 'copy', '', 'a || ARRAY[0]')

# Functions, as names or as expressions over an array "a" or bytes "b", and their
# peers: the shortest SQL that gives the same answer on this data.  Some of it
# would need an ORDER BY to promise that, and is faster without.
NUMBERED = 'unnest(a) WITH ORDINALITY u (x, i)'
SORTS = {
    'intarray sort': 'sort(a)',
    'array_agg': '(SELECT array_agg(x ORDER BY x) FROM unnest(a) x)'}
SUITES = {
    'basic': {
        'gpu_radix_sort': SORTS,
        'gpu_prefix_sum': {
            'sum() OVER': 'ARRAY(SELECT sum(x) OVER (ROWS UNBOUNDED PRECEDING)'
                          ' FROM unnest(a) x)'},
        'gpu_compact': {
            'array_remove': 'array_remove(a, 0)',
            'SQL filter': 'ARRAY(SELECT x FROM unnest(a) x WHERE x <> 0)'}},
    'families': {
        "gpu_compact(a, '>', 500000)": {
            'SQL filter': 'ARRAY(SELECT x FROM unnest(a) x WHERE x > 500000)'},
        "gpu_positions(a, '>', 500000)": {
            'SQL filter': f'ARRAY(SELECT i FROM {NUMBERED} WHERE x > 500000)'},
        "gpu_scan(a, 'max')": {
            'max() OVER': 'ARRAY(SELECT max(x) OVER (ROWS UNBOUNDED PRECEDING)'
                          ' FROM unnest(a) x)'},
        "gpu_reduce(a, 'max')": {'max()': '(SELECT max(x) FROM unnest(a) x)'},
        'gpu_delta': {
            'x - lag(x)': 'ARRAY(SELECT x - lag(x) OVER () FROM unnest(a) x)'},
        'gpu_radix_sort': SORTS,
        'gpu_argsort': {
            'array_agg': f'(SELECT array_agg(i ORDER BY x) FROM {NUMBERED})'},
        'gpu_sort_by_key(a, a)': {
            'array_agg': '(SELECT array_agg(x ORDER BY y) FROM unnest(a, a)'
                         ' AS u (x, y))'},
        'gpu_distinct': {
            'SELECT DISTINCT': 'ARRAY(SELECT DISTINCT x FROM unnest(a) x)',
            'intarray uniq(sort())': 'uniq(sort(a))'},
        'gpu_distinct_counts': {
            'GROUP BY': '(SELECT array_agg(x ORDER BY x) FROM (SELECT x,'
                        ' count(*) FROM unnest(a) x GROUP BY x) AS g)'},
        'gpu_run_lengths': {
            'window functions':
                'ARRAY(SELECT count(*) FROM (SELECT count(*) FILTER (WHERE new)'
                ' OVER (ORDER BY i) AS run FROM (SELECT i, x IS DISTINCT FROM'
                f' lag(x) OVER (ORDER BY i) AS new FROM {NUMBERED}) AS n) AS r'
                ' GROUP BY run)'}},
    'valid UTF-8': {
        'gpu_utf8_is_valid(b)': {'convert_from': "convert_from(b, 'UTF8')"},
        "gpu_utf8_decode(b, 'replace')": {}},
    'invalid UTF-8': {
        'gpu_utf8_repair(b)': {'PL/pgSQL loop': f'{SCHEMA}.repair_loop(b)'},
        # a program
        "gpu_utf8_repair(b, 'skip')": {'iconv -c': 'iconv -c -f UTF-8 -t UTF-8'}}}


def ours(function, engine):
    sql = function if '(' in function else f'{function}(a)'
    return Contender(function, function, engine, sql)


def contenders(functions, options):
    """Each function on each engine, and its peers, if --only selects them."""
    for function, peers in functions.items():
        group = [ours(function, engine) for engine in options.engines]
        group += [Contender(function, label, '', sql)
                  for label, sql in peers.items()]
        yield from (c for c in group
                    if options.only.search(f'{c.function} {c.label} {c.engine}'))


def runnable(candidates, session):
    """Those whose functions the server has for the type of "arrays"."""
    for c in candidates:
        try:
            session.run(f'EXPLAIN {query(c.sql)}')
            yield c
        except UndefinedFunction as error:
            say(f'left out: {c.label}: {error.diag.message_primary}')


def basic_functions(options):
    return [f for f in SUITES['basic'] if options.only.search(f)]


def basic_calls(options):
    return [ours(function, engine) for function in basic_functions(options)
            for engine in options.engines if engine != 'auto']
