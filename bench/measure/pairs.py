"""Queries that say the same, in turn in one session."""
import argparse
import glob
import importlib
import statistics
import time

import psycopg


def parse(description, **defaults):
    """The command line: --NAME of the type of each default.  What is not an option
    goes to a default that is a list; a tuple is an option that may be repeated."""
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(default, list):
            parser.add_argument(name, nargs='*', default=default)
        elif isinstance(default, tuple):
            parser.add_argument(option, action='append', default=[])
        else:
            parser.add_argument(option, type=type(default), default=default)
    return parser.parse_args()


def optional(name):
    """A module, if it is installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def timed(function, clock=time.perf_counter):
    """Milliseconds."""
    begun = clock()
    function()
    return (clock() - begun) * 1000


def processor_clock(*sessions, own=True):
    """A clock of what the processors do here and in sessions on this machine,
    which other work on them hardly changes."""
    tasks = [f'/proc/{session.info.backend_pid}/task/*/schedstat'
             for session in sessions]

    def read():
        ns = 0
        for path in (path for pattern in tasks for path in glob.glob(pattern)):
            with open(path, encoding='ascii') as task:
                ns += int(task.read().split()[0])
        return ns / 1e9 + own * time.process_time()
    return read


# Milliseconds of a query in the server, run by run, each after another statement.
SERVER_MS = '''
    CREATE FUNCTION pg_temp.ms(query text, runs integer, before text)
    RETURNS SETOF float8 LANGUAGE plpgsql AS $$
    DECLARE
        start timestamptz;
    BEGIN
        FOR i IN 1 .. runs LOOP
            EXECUTE before;
            start := clock_timestamp();
            EXECUTE query;
            RETURN NEXT 1000 * extract(epoch FROM clock_timestamp() - start);
        END LOOP;
    END $$'''


def open_session(conninfo='', **settings):
    session = psycopg.connect(conninfo, autocommit=True, prepare_threshold=None)
    session.execute('SET client_min_messages = warning; SET jit = off')
    for name, value in settings.items():
        session.execute('SELECT set_config(%s, %s, false)', [name, str(value)])
    session.execute(SERVER_MS)
    return session


def set_cache(session, size):
    """Sets gpucompact.gpu_cache_size; or resets it."""
    session.execute("LOAD 'gpucompact'")
    session.execute(f'ALTER SYSTEM SET gpucompact.gpu_cache_size = {size}')
    session.execute('SELECT pg_reload_conf()')
    time.sleep(1)


def server_ms(session, query, runs=1, before='SELECT 1'):
    """Of each run, by the server's clock."""
    return [ms for [ms] in session.execute('SELECT pg_temp.ms(%s, %s, %s)',
                                           [query, runs, before])]


def warm_ms(engine, query, runs, before='SELECT 1'):
    """The median of the runs after the first one, in a session of their own."""
    with open_session(**{'gpucompact.engine': engine}) as session:
        return statistics.median(server_ms(session, query, runs + 1, before)[1:])


def in_rounds(ways, rounds, take=timed):
    """What take() returns of each way; they take turns, after a round that warms
    up."""
    taken = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            figure = take(way)
            if number > 0:
                taken[name].append(figure)
    return taken


def spread(values, digits=1):
    """A median, with the least and the greatest."""
    return (f'{statistics.median(values):,.{digits}f} '
            f'({min(values):,.{digits}f} to {max(values):,.{digits}f})')


def ratio(upper, lower):
    """The median of the rounds' ratios, with the least and the greatest."""
    return spread([a / b for a, b in zip(upper, lower)], 2)


def header(*cells):
    print('| ' + ' | '.join(cells) + ' |')
    print('|' + '---|' * len(cells), flush=True)


def row(*cells):
    print('| ' + ' | '.join(cells) + ' |', flush=True)
