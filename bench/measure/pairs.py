"""Queries that say the same, in turn in one session."""
import glob
import statistics
import time

import psycopg


def timed(function, clock=time.perf_counter):
    """Milliseconds."""
    begun = clock()
    function()
    return (clock() - begun) * 1000


def processor_clock(session):
    """A clock of what the processors do here and in a session on this machine,
    which other work on them hardly changes."""
    tasks = f'/proc/{session.info.backend_pid}/task/*/schedstat'

    def read():
        ns = 0
        for path in glob.glob(tasks):
            with open(path, encoding='ascii') as task:
                ns += int(task.read().split()[0])
        return ns / 1e9 + time.process_time()
    return read


def open_session(**settings):
    session = psycopg.connect(autocommit=True, prepare_threshold=None)
    session.execute('SET client_min_messages = warning; SET jit = off')
    for name, value in settings.items():
        session.execute('SELECT set_config(%s, %s, false)',
                        [name, str(value)])
    return session


def in_rounds(ways, rounds, clock=time.perf_counter):
    """The times of each way, which take turns, after a round that warms up."""
    times = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            ms = timed(way, clock)
            if number > 0:
                times[name].append(ms)
    return times


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
