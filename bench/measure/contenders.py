"""The functions that are measured, and what they are compared with."""
from collections import namedtuple

from psycopg.errors import UndefinedFunction

from .server import SCHEMA, query, say

# The label of one of ours is the function; a peer has no engine.
Contender = namedtuple('Contender', 'function label engine sql')

# The cheapest way in which PostgreSQL itself reads an array and makes one.
COPY = Contender('copy', 'copy', '', 'a || ARRAY[0]')

# Functions, as names or as expressions over an array "a", positions in it "p" or
# bytes "b", and their peers: the shortest SQL that gives the same answer on this
# data.  Some of it would need an ORDER BY to promise that, and is faster without.
# Those of NumPy are Python, over arrays of the same names in memory; they need not
# look for NULLs, and some leave the answer's order open.
NUMBERED = 'unnest(a) WITH ORDINALITY u (x, i)'
SORTS = {
    'intarray sort': 'sort(a)',
    'array_sort of PostgreSQL 18': 'array_sort(a)',
    'array_agg': '(SELECT array_agg(x ORDER BY x) FROM unnest(a) x)'}
NUMPY = 'NumPy'
NINE = '0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9'
THRESHOLDS = '-200000,-150000,-100000,-50000,0,50000,100000,150000,200000'
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
            'x - lag(x)':
                'ARRAY(SELECT x - lag(x) OVER () FROM unnest(a) x)'},
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
    'statistics': {
        "gpu_reduce(a, '+')": {
            'sum()': '(SELECT sum(x) FROM unnest(a) x)',
            NUMPY: 'a.sum()'},
        'gpu_stats': {
            'aggregates': '(SELECT row(count(x), count(*) - count(x), sum(x),'
                          ' min(x), max(x), avg(x), variance(x), stddev(x))'
                          ' FROM unnest(a) x)',
            NUMPY: 'a.sum(), a.min(), a.max(), a.mean(), a.var(), a.std()'},
        'gpu_histogram(a, -250000, 250000, 100)': {
            'width_bucket':
                'ARRAY(SELECT count(*) FROM unnest(a) x'
                ' GROUP BY width_bucket(x, -250000, 250000, 100))',
            'aggs_for_arrays':
                "array_to_hist(a, '-250000', '5000', 100)",
            NUMPY: 'numpy.histogram(a, 100, (-250000, 250000))'},
        f"gpu_histogram(a, '{{{THRESHOLDS}}}')": {
            'width_bucket':
                'ARRAY(SELECT count(*) FROM unnest(a) x'
                f" GROUP BY width_bucket(x, '{{{THRESHOLDS}}}'))",
            NUMPY: f'numpy.histogram(a, [{THRESHOLDS}])'},
        f"gpu_bucket(a, '{{{THRESHOLDS}}}')": {
            'width_bucket': f"ARRAY(SELECT width_bucket(x, '{{{THRESHOLDS}}}')"
                            ' FROM unnest(a) x)',
            NUMPY: f'numpy.digitize(a, [{THRESHOLDS}])'},
        # Each a[i] of a stored array would read all of it.
        'gpu_take(a, p)': {
            'a[i]': '(SELECT ARRAY(SELECT b[i] FROM unnest(p) i)'
                    " FROM (SELECT a || '{}' AS b OFFSET 0) AS s)",
            NUMPY: 'numpy.take(a, p - 1)'},
        'gpu_percentile_cont(a, 0.5)': {
            'percentile_cont': '(SELECT percentile_cont(0.5) WITHIN GROUP'
                               ' (ORDER BY x) FROM unnest(a) x)',
            'aggs_for_arrays': 'array_to_percentile(a, 0.5)',
            NUMPY: 'numpy.quantile(a, 0.5)'},
        f"gpu_percentile_cont(a, '{{{NINE}}}'::float8[])": {
            'percentile_cont': f"(SELECT percentile_cont('{{{NINE}}}'::float8[])"
                               ' WITHIN GROUP (ORDER BY x) FROM unnest(a) x)',
            'aggs_for_arrays': f"array_to_percentiles(a, '{{{NINE}}}')",
            NUMPY: f'numpy.quantile(a, [{NINE}])'},
        'gpu_percentile_disc(a, 0.5)': {
            'percentile_disc': '(SELECT percentile_disc(0.5) WITHIN GROUP'
                               ' (ORDER BY x) FROM unnest(a) x)',
            NUMPY: "numpy.quantile(a, 0.5, method='inverted_cdf')"},
        'gpu_top_k(a, 10)': {
            'ORDER BY LIMIT': 'ARRAY(SELECT (x, i) FROM (SELECT x, i FROM'
                              f' {NUMBERED} ORDER BY x DESC, i LIMIT 10) AS t)',
            NUMPY: 'numpy.argpartition(a, -10)[-10:]'},
        'gpu_mode': {
            'mode()': '(SELECT mode() WITHIN GROUP (ORDER BY x)'
                      ' FROM unnest(a) x)',
            'aggs_for_arrays': 'array_to_mode(a)',
            NUMPY: 'numpy.unique(a, return_counts=True)'},
        'gpu_rank': {
            'dense_rank': 'ARRAY(SELECT r FROM (SELECT i, dense_rank() OVER'
                          f' (ORDER BY x) AS r FROM {NUMBERED}) AS s'
                          ' ORDER BY i)',
            NUMPY: 'numpy.unique(a, return_inverse=True)'},
        "gpu_rank(a, 'first')": {
            'row_number': 'ARRAY(SELECT r FROM (SELECT i, row_number() OVER'
                          f' (ORDER BY x, i) AS r FROM {NUMBERED}) AS s'
                          ' ORDER BY i)'}},
    'sets': {
        'gpu_union(a, b)': {
            'intarray |': 'a | b',
            'UNION': 'ARRAY(SELECT unnest(a) UNION SELECT unnest(b)'
                     ' ORDER BY 1)'},
        'gpu_intersect(a, b)': {
            'intarray &': 'a & b',
            'INTERSECT': 'ARRAY(SELECT unnest(a) INTERSECT SELECT unnest(b)'
                         ' ORDER BY 1)'},
        'gpu_except(a, b)': {
            'intarray -': 'a - b',
            'EXCEPT': 'ARRAY(SELECT unnest(a) EXCEPT SELECT unnest(b)'
                      ' ORDER BY 1)'},
        'gpu_intersect_count(a, b)': {
            'intarray icount(&)': 'icount(a & b)',
            'INTERSECT': '(SELECT count(*) FROM (SELECT unnest(a)'
                         ' INTERSECT SELECT unnest(b)) AS s)'},
        'gpu_compact_in(a, b)': {
            'IN': 'ARRAY(SELECT x FROM unnest(a) x'
                  ' WHERE x IN (SELECT unnest(b)))'}},
    'windows': {
        "gpu_window(a, '+', 9)": {},
        "gpu_window(a, '+', 99)": {
            'sum() OVER': 'ARRAY(SELECT sum(x) OVER (ROWS 99 PRECEDING)'
                          ' FROM unnest(a) x)'},
        "gpu_window(a, '+', 99999)": {},
        "gpu_window(a, 'max', 9)": {},
        "gpu_window(a, 'max', 99)": {
            'max() OVER': 'ARRAY(SELECT max(x) OVER (ROWS 99 PRECEDING)'
                          ' FROM unnest(a) x)'},
        "gpu_window(a, 'max', 99999)": {},
        'gpu_window_avg(a, 99)': {
            'avg() OVER': 'ARRAY(SELECT avg(x) OVER (ROWS 99 PRECEDING)'
                          ' FROM unnest(a) x)'},
        "gpu_group(a, p, 'max')": {
            'GROUP BY': '(SELECT array_agg(m ORDER BY k) FROM (SELECT k, max(x)'
                        ' AS m FROM unnest(a, p) AS u (k, x) GROUP BY k) AS g)'},
        'gpu_distinct(a, true)': {
            'GROUP BY': 'ARRAY(SELECT x FROM (SELECT x, min(i) AS first FROM'
                        f' {NUMBERED} GROUP BY x) AS g ORDER BY first)'},
        'gpu_delta(a, 2)': {
            'x - lag(x, 2)':
                'ARRAY(SELECT x - lag(x, 2) OVER () FROM unnest(a) x)'},
        'gpu_downsample(a, 1000)': {},
        'gpu_to_bytes(a)': {'array_send': 'array_send(a)'}},
    'sorts': {
        'gpu_radix_sort': {**SORTS, NUMPY: 'numpy.sort(a)'},
        'gpu_distinct': {
            'SELECT DISTINCT': 'ARRAY(SELECT DISTINCT x FROM unnest(a) x)',
            NUMPY: 'numpy.unique(a)'},
        'gpu_percentile_cont(a, 0.5)': {
            'percentile_cont': '(SELECT percentile_cont(0.5) WITHIN GROUP'
                               ' (ORDER BY x) FROM unnest(a) x)',
            NUMPY: 'numpy.median(a)'}},
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
            if c.label != NUMPY:
                session.run(f'EXPLAIN {query(c.sql)}')
            yield c
        except UndefinedFunction as error:
            say(f'left out: {c.label}: {error.diag.message_primary}')


def basic_calls(options):
    return [ours(function, engine) for function in SUITES['basic']
            if options.only.search(function)
            for engine in options.engines if engine != 'auto']
