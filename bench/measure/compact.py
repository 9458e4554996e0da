"""Of a long answer, the table that bench/results keeps."""
import re
import statistics

# Columns of bench/crossover's table: the measurement, and its values for the CPU, a
# GPU and auto.
WAYS = {'one thread': (2, 4, 6), 'four threads': (3, 5, 7),
        'cached': (8, 9, 10)}
FAR = 1.3


def row(cells):
    return f"| {' | '.join(cells)} |"


def table(header, rows):
    return [row(header), '|' + '---|' * len(header), *map(row, rows)]


def kernels(answer):
    """A row for each operation, of the us of ours and of CUB's by size."""
    version, header, *lines = answer.splitlines()
    names = header.split()
    labels = names.index('n')
    ratio = 'reads' if 'reads' in names else None
    rows, sizes, spreads, wrong = {}, [], [], 0
    for line in lines:
        cells = line.split()
        fields = dict(zip(names, cells))
        if fields['n'] not in sizes:
            sizes.append(fields['n'])
        found = rows.setdefault(tuple(cells[:labels]), {})
        found[fields['n'], fields['by']] = fields['us']
        if fields['by'] == 'ours':
            found[fields['n'], ratio] = fields.get(ratio, '')
            spreads.append(float(fields['spread']))
            wrong += fields['checked'] != 'yes'
    columns = [(size, by) for size in sizes
               for by in ('ours', 'cub', *filter(None, [ratio]))]
    heads = [f'2^{int(size).bit_length() - 1}' if by == 'ours'
             else by.replace('cub', 'CUB') for size, by in columns]
    return '\n'.join([
        f'{version}; us, ours and CUB\'s by the number of elements. '
        f'{f"Wrong results: {wrong}" if wrong else "All results were right"}.'
        f' The median spread of ours is {statistics.median(spreads):.3f}.', '',
        *table([*names[:labels], *heads],
               [[*label, *(found.get(column, '') for column in columns)]
                for label, found in rows.items()]), ''])


def medians(answer):
    """Of bench/run, a row for each contender, of its medians by section."""
    intro, *sections = answer.split('\n### ')
    rows, heads, said = {}, [], []
    for section in sections:
        head, _, *lines = section.splitlines()
        heads.append(re.sub(r', [\d,^]+ elements.*| bytes$', '', head))
        said += [f'{head}: {line}' for line in lines if line and line[0] != '|']
        for line in [line for line in lines if line.startswith('| `')]:
            what, engine, median = re.split(r' *(?<!\\)\| *', line)[1:4]
            rows.setdefault((what, engine), {})[heads[-1]] = median
    intro = re.sub(r'  ("of copy"|"as fast as"|GB/s) .*?\.(?=  |\n)', '', intro, flags=re.S)
    return '\n'.join([
        *intro.splitlines(), '', *(f'- {line}' for line in said), '',
        *table(['median', 'engine', *heads],
               [[*key, *(found.get(head, '') for head in heads)]
                for key, found in rows.items()]), '']).replace('\n\n\n', '\n\n')


def crossing(sizes, cpu, gpu):
    """From what size on a GPU is faster, and the times there and before."""
    slower = [i for i, size in enumerate(sizes) if gpu[size] >= cpu[size]]
    first = slower[-1] + 1 if slower else 0
    there, before = (f'{cpu[sizes[i]]}, {gpu[sizes[i]]}'
                     if 0 <= i < len(sizes) else '' for i in (first, first - 1))
    return [sizes[first] if first < len(sizes) else '-', there, before]


def crossover(answer):
    """A row for each call: around the size from which on a GPU is faster."""
    times, far = {}, []
    for line in answer.splitlines():
        cells = [cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]]
        if len(cells) < 2 or not cells[1].startswith('2^'):
            continue
        call, size = cells[:2]
        for way, (cpu, gpu, auto) in WAYS.items():
            us = [float(cells[column]) for column in (cpu, gpu, auto)]
            times.setdefault(call, {}).setdefault(way, {})[size] = us
            if us[2] > FAR * min(us[:2]):
                far.append([call, size, way, *map(str, us)])
    summary = answer[answer.index('| auto / the better engine'):].rstrip()
    heads = [head for way in WAYS for head in (
        f'{way}, from', 'CPU, GPU there', 'CPU, GPU before')]
    rows = []
    for call, ways in times.items():
        rows.append([call])
        for found in ways.values():
            rows[-1] += crossing([*found], {s: us[0] for s, us in found.items()},
                                 {s: us[1] for s, us in found.items()})
    return '\n'.join([
        'us; "from" is the size from which on a GPU is faster.', '',
        *table(['call', *heads], rows), '', summary, '',
        f'Where auto takes more than {FAR} times the time of the better engine:',
        '', *table(['call', 'elements', 'way', 'CPU', 'GPU', 'auto'], far), ''])
