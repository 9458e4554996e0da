"""Sessions of the server that is measured."""
import pathlib
import sys
from contextlib import contextmanager

import psycopg
from psycopg.rows import dict_row

SCHEMA = 'gpucompact_bench'

# Extensions that are measured next to this one, where they can be had.
PEERS = ['intarray', 'aggs_for_arrays']

# Without parallel workers and JIT, one process is compared with one process;
# and plain SQL shall not lose for want of memory.
SETTINGS = {'max_parallel_workers_per_gather': '0', 'jit': 'off',
            'work_mem': '2GB'}


def say(text):
    print(f'== {text}', file=sys.stderr)


class Session:
    """A connection, and so a backend; the usual PG* variables name the server."""

    def __init__(self):
        # Statements are not prepared, so that several can go in one string.
        self.connection = psycopg.connect(autocommit=True, row_factory=dict_row,
                                          prepare_threshold=None)
        self.connection.add_notice_handler(
            lambda notice: say(f'{notice.severity}: {notice.message_primary}'))
        for name, value in SETTINGS.items():
            self.run(f"SET {name} = '{value}'")
        self.run('SET client_min_messages = warning')
        # The extensions may be in schemas that are not searched by default.
        self.run('''
            SELECT set_config('search_path', 'pg_catalog, ' ||
                string_agg(DISTINCT quote_ident(nspname), ', '), false)
            FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
            WHERE extname = ANY (%s)''', ['gpucompact', *PEERS])

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        if failed:
            self.connection.cancel()
        self.connection.close()

    def run(self, statements, *parameters):
        return self.connection.execute(statements, parameters or None)

    def rows(self, query, *parameters):
        return self.run(query, *parameters).fetchall()

    def value(self, expression, *parameters):
        [row] = self.rows(f'SELECT {expression} AS value', *parameters)
        return row['value']

    def ms(self, engine, expression, table='arrays', settle=0):
        """Milliseconds to compute an expression over a table."""
        return self.value(f'{SCHEMA}.ms(%s, %s, %s)', engine,
                          query(expression, table), settle)

    def last_call(self):
        [call] = self.rows('SELECT * FROM gpu_last_call()')
        return call

    def open_engines(self, engines):
        for engine in engines:
            self.ms(engine, 'gpu_compact(a)', 'smallest')


def query(expression, table='arrays'):
    """Computes each result and does nothing else with it."""
    return f'SELECT count({expression}) FROM {SCHEMA}.{table}'


@contextmanager
def schema():
    """Makes our schema, which goes away at the end."""
    with Session() as session:
        session.run(pathlib.Path(__file__).with_name('schema.sql').read_text())
    try:
        yield
    finally:
        with Session() as session:
            session.run(f'DROP SCHEMA {SCHEMA} CASCADE')
