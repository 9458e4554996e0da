"""Where something is measured."""
import importlib.metadata
import os
import pathlib
import platform
import re
import subprocess

from . import cpu

# What is measured with gpucompact: extensions, and packages of PyPI.
EXTENSIONS = ['intarray', 'aggs_for_arrays', 'quantile', 'count_distinct',
              'pg_duckdb']
PACKAGES = ['numpy', 'polars', 'duckdb', 'chdb', 'tsdownsample', 'pcodec', 'pyarrow']

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
    """The server's that matter, and those of ours that are not the default."""
    rows = session.rows('''
        SELECT name, current_setting(name) AS setting FROM pg_settings
        WHERE name = 'shared_buffers' OR
              name LIKE 'gpucompact.%' AND source <> 'default'
        ORDER BY name''')
    return ', '.join(f"{row['name']} = {row['setting']}" for row in rows)


def version(package):
    """Of one of Python's, which may not be installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def peers(session):
    """The versions of what can be compared here, besides PostgreSQL's own."""
    versions = {row['name']: row['default_version'] for row in session.rows(
        'SELECT name, default_version FROM pg_available_extensions'
        ' WHERE name = ANY (%s)', EXTENSIONS)}
    versions.update((package, version(package)) for package in PACKAGES)
    return ', '.join(f'{name} {number}' for name, number in versions.items()
                     if number) or 'none'


def facts(session, devices):
    memory = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    return {
        'CPU': f"{cpu('model name')}, family {cpu('cpu family')}, "
               f"model {cpu('model')}",
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
        'NumPy without': os.environ.get('NPY_DISABLE_CPU_FEATURES', '-'),
        'settings': settings(session)}
