"""Numbers and tables as Markdown."""
import statistics


def count_text(n):
    if n & (n - 1) == 0 and n >= 1024:
        return f'2^{n.bit_length() - 1}'
    return f'{n:,}'


def digits(x):
    """A number of three digits, and not 1e+03."""
    return f'{x:.3g}' if x < 999.5 else f'{x:,.0f}'


def time_text(ms):
    for unit, size in (('us', 0.001), ('ms', 1)):
        if ms < 999.5 * size:
            return f'{digits(ms / size)} {unit}'
    return f'{digits(ms / 1000)} s'


def time_cells(ms):
    """A median, the spread, and of how many times."""
    return [time_text(statistics.median(ms)),
            f'{time_text(min(ms))} .. {time_text(max(ms))}', len(ms)]


def table(header, rows):
    yield '| ' + ' | '.join(header) + ' |'
    yield '|' + '---|' * len(header)
    for row in rows:
        yield '| ' + ' | '.join(str(cell).replace('|', r'\|')
                                for cell in row) + ' |'
    yield ''


def paragraphs(*texts):
    for text in texts:
        yield from (text, '')


def grouped(records, *keys):
    """Records by what they have in common."""
    groups = {}
    for record in records:
        groups.setdefault(tuple(record[k] for k in keys), []).append(record)
    return groups.items()


def speedups(record, group):
    """How many times as fast as each of its peers it is."""
    ms = statistics.median(record['ms'])
    return [f"{digits(statistics.median(r['ms']) / ms)}x {r['label']}"
            for r in group if record['engine'] and not r['engine'] and
            r['function'] == record['function']]
