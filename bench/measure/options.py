"""The command line."""
import argparse
import re

from . import memory, times, turns, utf8
from .arrays import FORMS, TYPES

# What can be measured.  A mode is a module: its measure(options, session) yields
# lists of records, table by table; its report(records) yields lines of Markdown.
MODES = {'times': times, 'memory': memory, 'utf8': utf8}

PRESETS = {
    'cpu': {'times': True, 'sizes': '10M', 'storage': 'external,zeros,rows',
            'engines': 'cpu', 'slow_rounds': 5},
    'families': {'times': True, 'suite': 'families', 'sizes': '10M',
                 'storage': 'narrow,narrow_rows', 'types': 'integer,bigint'},
    'statistics': {'times': True, 'suite': 'statistics', 'sizes': '10M',
                   'storage': 'centred,centred_rows', 'engines': 'cpu',
                   'types': 'integer,double precision'},
    'sets': {'times': True, 'suite': 'sets', 'sizes': '10M',
             'engines': 'cpu'},
    'windows': {'times': True, 'suite': 'windows', 'sizes': '10M',
                'engines': 'cpu'},
    'sorts': {'times': True, 'suite': 'sorts', 'sizes': '10M',
              'engines': 'cpu'},
    'utf8': {'utf8': True}}
ENGINES = ['cpu', 'cuda', 'auto']


def size(word):
    if word.startswith('2^'):
        return 2 ** int(word[2:])
    return int(word[:-1]) * 10**6 if word.endswith('M') else int(word)


def sizes(text):
    return [size(word) for word in text.split(',')]


def some_of(choices):
    """The type of an option that takes some of these, between commas."""
    def chosen(text):
        words = text.split(',')
        if not set(words) <= set(choices):
            raise argparse.ArgumentTypeError(
                f"{text!r} is not some of {','.join(choices)}")
        return words
    return chosen


def make_parser(description):
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option('--preset', choices=PRESETS)
    for name, mode in MODES.items():
        option(f'--{name}', action='store_true', help=mode.__doc__)
    option('--sizes', type=sizes,
           help='elements of an array, or bytes of a text, such as 2^20,10M '
           '(default: 2^10 to 2^26; 2^26 for --memory, 61000,64M for --utf8)')
    option('--storage', type=some_of(FORMS),
           help=f"of {','.join(FORMS)} (default: all of the suite for --times, "
           'external for others)')
    option('--types', type=some_of(TYPES), default=['integer'],
           help=f"of {','.join(TYPES)}, for --times (default: integer)")
    option('--engines', type=some_of(ENGINES),
           help=f"of {','.join(ENGINES)} (default: all that can run)")
    option('--only', type=re.compile, default='', metavar='PATTERN',
           help='contenders whose function, label and engine match, such as '
           '"sort .*cpu"')
    option('--rounds', type=int, default=5)
    option('--slow-rounds', type=int, default=3,
           help=f'for what takes over {turns.SLOW_MS // 1000} s (default: 3)')
    parser.set_defaults(suite='basic')
    return parser


def parse(description):
    parser = make_parser(description)
    options = parser.parse_args()
    if options.preset:
        parser.set_defaults(**PRESETS[options.preset])
        options = parser.parse_args()
    options.modes = [name for name in MODES
                     if getattr(options, name)] or list(MODES)
    return options
