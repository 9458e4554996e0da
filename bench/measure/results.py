"""Results as JSON, and as Markdown for people."""
import json
import shlex

from .options import MODES
from .text import paragraphs, table


def report(run):
    yield from paragraphs(f"# Benchmark: {run['name']}, {run['date']}",
                          f"`{shlex.join(['bench/run', *run['options']])}`")
    yield from table(['', ''], [('commit', run['commit']),
                                *run['where'].items()])
    for name, mode in MODES.items():
        if run.get(name):
            yield from mode.report(run[name])
    if run.get('hardware'):
        yield from paragraphs('## What the hardware gives')
        yield from table(['', 'GB/s'], run['hardware'].items())


def json_text(run):
    """A line for each record."""
    for key, value in run.items():
        text = json.dumps(value)
        if key in MODES:
            text = '[\n' + ',\n'.join(map(json.dumps, value)) + ']'
        yield f'{json.dumps(key)}: {text}'


def write(run, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix('.json').write_text(
        '{' + ',\n'.join(json_text(run)) + '}\n')
    path.with_suffix('.md').write_text('\n'.join(report(run)).rstrip() + '\n')
