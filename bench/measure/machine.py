"""Where something is measured."""
import os
import pathlib
import platform
import re
import subprocess

from .numpy_arrays import numpy
from .server import PEERS, SETTINGS, say
from .text import paragraphs, table

BENCH = pathlib.Path(__file__).resolve().parent.parent


def found_in(path, pattern):
    path = pathlib.Path(path)
    match = path.exists() and re.search(pattern, path.read_text(), re.M)
    return match[1].strip() if match else 'unknown'


def git(*arguments):
    return subprocess.check_output(['git', *arguments], cwd=BENCH, text=True,
                                   stderr=subprocess.DEVNULL).strip()


def commit():
    """What is measured; results that were just written are no change of it."""
    try:
        changed = git('status', '--porcelain', '--untracked-files=no', '--',
                      ':/', ':!results')
        return git('rev-parse', '--short', 'HEAD') + ('-dirty' if changed
                                                      else '')
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'


def settings(session):
    """Those that we set, and those of ours that are not the default."""
    rows = session.rows('''
        SELECT name, current_setting(name) AS setting FROM pg_settings
        WHERE name = ANY (%s) OR
              name LIKE 'gpucompact.%%' AND source <> 'default' AND
              name <> 'gpucompact.engine'
        ORDER BY name''', ['shared_buffers', *SETTINGS])
    return ', '.join(f"{row['name']} = {row['setting']}" for row in rows)


def peers(session):
    """The versions of what we are compared with, besides PostgreSQL's own."""
    versions = {row['extname']: row['extversion'] for row in session.rows(
        'SELECT extname, extversion FROM pg_extension WHERE extname = ANY (%s)',
        PEERS)}
    if numpy:
        versions['NumPy'] = numpy.__version__
    return ', '.join(map(' '.join, sorted(versions.items()))) or 'none'


def facts(session, devices):
    memory = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    return {
        'CPU': found_in('/proc/cpuinfo', '^model name.*:(.*)'),
        'cores': len(os.sched_getaffinity(0)),
        'memory': f'{memory / 2**30:.0f} GiB',
        'GPU': '; '.join(
            f"{d['name']}, {d['memory_total'] / 2**30:.0f} GiB, "
            f"driver for CUDA {d['driver_version']}"
            for d in devices) or 'none',
        'kernel': f'{platform.system()} {platform.release()}',
        'huge pages': found_in('/sys/kernel/mm/transparent_hugepage/enabled',
                               r'\[(\w+)\]'),
        'PostgreSQL': session.value("current_setting('server_version')"),
        'peers': peers(session),
        'settings': settings(session)}


def hardware_report():
    """The bandwidths that the parts of a call are compared with."""
    program = BENCH / 'hardware'
    if not program.exists():
        say('left out: what the hardware gives; "make bench/hardware" builds '
            'the program that measures it')
        return
    lines = subprocess.check_output([program], text=True).splitlines()
    yield from paragraphs('## What the hardware gives')
    yield from table(['', 'GB/s'], (line.split('\t') for line in lines))
