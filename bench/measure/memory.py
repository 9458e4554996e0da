"""peaks of fresh sessions, from /proc"""
import pathlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

from .arrays import single_arrays
from .contenders import COPY, basic_calls
from .server import Session, say
from .text import count_text, paragraphs, table

SIZES = [2**26]
PASSES = 3


def status(pid):
    """A process's memory in bytes, as the kernel tells it to everyone."""
    text = pathlib.Path(f'/proc/{pid}/status').read_text()
    return {name: 1024 * int(kb)
            for name, kb in re.findall(r'^(\w+):\s+(\d+) kB$', text, re.M)}


def resident(pid):
    """A process's memory, without what it shares, such as shared buffers."""
    memory = status(pid)
    return memory['RssAnon'] + memory['RssFile']


def peak_during(work, pid):
    """The most memory that a process has while a function runs."""
    # The kernel's own peak (VmHWM) includes the shared buffers that a backend
    # reads.  So this looks again and again.  It may miss memory that is freed within
    # a millisecond, but in that time a process gets few fresh pages.
    peak = 0
    with ThreadPoolExecutor() as threads:
        done = threads.submit(work)
        while not done.done():
            peak = max(peak, resident(pid))
            time.sleep(0.0005)
        done.result()
    return peak


def measure_call(contender, elements):
    """A fresh session holds no memory of other calls."""
    engine = contender.engine or 'cpu'
    with Session() as session:
        pid = session.connection.info.backend_pid
        before = status(pid)['VmRSS']
        session.ms(engine, contender.sql, 'smallest')
        kept = status(pid)['VmRSS'] - before
        base = resident(pid)
        peak = peak_during(lambda: [session.ms(engine, contender.sql)
                                    for _ in range(PASSES)], pid)
        call = {'bytes_in': 4 * elements, 'bytes_out': 4 * elements}
        if contender.engine:
            call = session.last_call()
    return {'kept': kept, 'peak': peak - base, 'input': call['bytes_in'],
            'result': call['bytes_out']}


def measure(options, session):
    if not pathlib.Path(f'/proc/{session.connection.info.backend_pid}').exists():
        say('left out: memory, as the server runs elsewhere')
        return
    for form, elements in single_arrays(options, session, SIZES):
        # The copy, which holds an input and a result, tests the method.
        yield [{'storage': form, 'elements': elements, 'sql': c.sql,
                'engine': c.engine, **measure_call(c, elements)}
               for c in [COPY, *basic_calls(options)]]


def line(record):
    beyond = record['peak'] - record['input'] - record['result']
    sizes = [record[name] for name in ('kept', 'peak', 'input', 'result')]
    return [record['storage'], count_text(record['elements']),
            f"`{record['sql']}`", record['engine'],
            *(f'{size / 2**20:.1f}' for size in (*sizes, beyond))]


def report(records):
    yield from paragraphs(
        '## Memory',
        'MiB of a fresh session, from /proc, sampled twice a millisecond, '
        'without shared memory.  "kept" is what a first call on three elements '
        'leaves: libraries, and on the GPU the context and the pinned buffers '
        f'that the kernel counts.  "peak" is how much more {PASSES} calls take.  '
        '"beyond" is the peak less the input and the result; it is negative if '
        'the input was never in memory as a whole.  (A sort on the CPU takes '
        'scratch memory of the size of its input.)')
    yield from table(['storage', 'elements', 'what', 'engine', 'kept', 'peak',
                      'input', 'result', 'beyond'], map(line, records))
