"""How many bits TimescaleDB's codecs take, by their descriptions.

Floats are compressed as by Gorilla (Pelkonen et al., VLDB 2015, section 4.1.2).
Integers are the differences of differences, zigzagged, in words of Simple-8b with
runs (TimescaleDB, tsl/src/compression/README.md).
"""
import numpy as np

# Of each selector of Simple-8b with runs: the bits of a value.  A word of 64 bits
# holds as many as fit, and a selector takes 4 bits.
WIDTHS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 21, 32, 64]
RUN_VALUE_BITS = 36
LONGEST_RUN = 2**28 - 1


def bits(series):
    """The bits of all elements; None if it is neither."""
    if series.dtype.kind == 'f':
        return gorilla_bits(series)
    return simple8b_bits(series) if series.dtype.itemsize > 1 else None


def gorilla_bits(series):
    width = series.dtype.itemsize * 8
    words = series.view(f'u{series.dtype.itemsize}').tolist()
    total = width
    leading, trailing = width, 0    # of the block of bits before
    for before, word in zip(words, words[1:]):
        xor = before ^ word
        if xor == 0:
            total += 1
            continue
        zeros = min(width - xor.bit_length(), 31)
        low = (xor & -xor).bit_length() - 1
        if zeros >= leading and low >= trailing:
            total += 2 + width - leading - trailing
        else:
            leading, trailing = zeros, low
            total += 2 + 5 + 6 + width - zeros - low
    return total


def run_lengths(values):
    """For each value, how many from it on are equal."""
    ends = np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1)
    return (np.repeat(ends, np.diff(ends, prepend=-1)) + 1
            - np.arange(len(values)))


def simple8b_bits(series):
    series = series.astype(np.int64)
    deltas = np.diff(np.diff(series, prepend=0), prepend=0)
    values = ((deltas << 1) ^ (deltas >> 63)).view(np.uint64)
    runs = run_lengths(values).tolist()
    widths = [int(value).bit_length() for value in values.tolist()]
    words = at = 0
    while at < len(widths):
        words += 1
        for width in WIDTHS:
            count = min(64 // width, len(widths) - at)
            if max(widths[at:at + count]) <= width:
                break
        run = min(runs[at], LONGEST_RUN)
        at += run if run > count and widths[at] <= RUN_VALUE_BITS else count
    return words * (64 + 4)
