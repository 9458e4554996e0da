#!/usr/bin/env python3
"""Arrays between PostgreSQL and NumPy: statistics in the server, bytes to Python.

    python3 examples/numpy_arrays.py [--rows N] [--elements N] [--plot FILE]

Needs psycopg 3 and NumPy (Debian: python3-psycopg, python3-numpy), and a running
server with gpucompact, which the usual PG* variables name.  It works in a
temporary table.  With --plot and Matplotlib it also draws the histogram.
"""

import argparse
import statistics
import time

import numpy as np
import psycopg

LOW, HIGH, BUCKETS = -4.0, 4.0, 16
FRACTIONS = [0.01, 0.25, 0.5, 0.75, 0.99]
REPEATS = 5


class BytesOfArray(psycopg.adapt.Dumper):
    """Sends an array as the bytes that gpu_from_bytes takes."""
    oid = psycopg.adapters.types["bytea"].oid
    format = psycopg.pq.Format.BINARY

    def dump(self, array):
        return array.tobytes()


def make_runs(connection, rows, elements):
    """Stores rows of normal random numbers, sent as bytes; returns these."""
    samples = np.random.default_rng(1).normal(size=(rows, elements))
    connection.execute(
        "CREATE TEMPORARY TABLE runs (id integer, samples double precision[])")
    connection.execute(
        "ALTER TABLE runs ALTER samples SET STORAGE EXTERNAL")
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO runs VALUES"
            " (%s, gpu_from_bytes(%s, NULL::double precision[]))",
            [(i, row.astype("<f8")) for i, row in enumerate(samples)])
    return samples


def show_percentiles(connection, samples):
    """Percentiles of each row, which are those of NumPy."""
    print("percentiles of the first rows:",
          "  ".join(f"{fraction:7.0%}" for fraction in FRACTIONS))
    rows = connection.execute(
        "SELECT id, gpu_percentile_cont(samples, %s::double precision[])"
        " FROM runs ORDER BY id", [FRACTIONS]).fetchall()
    for number, percentiles in rows:
        assert np.allclose(percentiles, np.quantile(samples[number], FRACTIONS))
        if number < 3:
            print(f"{number:>29}:", "  ".join(f"{p:7.3f}" for p in percentiles))


def show_histogram(connection, samples, file):
    """How many samples of all rows are in each bucket, as text or drawn."""
    counts = connection.execute(
        "SELECT gpu_sum_agg(gpu_histogram(samples, %s, %s, %s)) FROM runs",
        [LOW, HIGH, BUCKETS]).fetchone()[0]
    edges = np.linspace(LOW, HIGH, BUCKETS + 1)
    assert sum(counts) == samples.size
    for count, edge in zip(counts[1:-1], edges):
        print(f"{edge:6.2f} {'#' * round(60 * count / max(counts))} {count}")
    print(f"{counts[0]} below, {counts[-1]} above")
    if file:
        draw(counts, edges, file)


def draw(counts, edges, file):
    try:
        from matplotlib import pyplot
    except ImportError:
        print("no Matplotlib here: the histogram is not drawn")
        return
    pyplot.stairs(counts[1:-1], edges, fill=True)
    pyplot.savefig(file)
    print("drawn:", file)


def milliseconds(function):
    begin = time.perf_counter()
    result = function()
    return 1000 * (time.perf_counter() - begin), result


def compare_loading(connection, samples):
    """The ways of the arrays to NumPy, in turn, by the median time."""

    def as_arrays(binary):
        cursor = connection.cursor(binary=binary)
        cursor.execute("SELECT samples FROM runs ORDER BY id")
        return np.array([row[0] for row in cursor])

    def as_bytes():
        cursor = connection.cursor(binary=True)
        cursor.execute("SELECT gpu_to_bytes(samples) FROM runs ORDER BY id")
        return np.array([np.frombuffer(row[0], "<f8") for row in cursor])

    ways = {
        "psycopg's arrays, as text": lambda: as_arrays(False),
        "psycopg's arrays, binary": lambda: as_arrays(True),
        "np.frombuffer(gpu_to_bytes(samples))": as_bytes,
    }
    times = {name: [] for name in ways}
    for _ in range(REPEATS):
        for name, way in ways.items():
            took, loaded = milliseconds(way)
            assert np.array_equal(loaded, samples)
            times[name].append(took)
    fastest = min(statistics.median(each) for each in times.values())
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:>37}: {median:8.1f} ms, {median / fastest:5.1f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--elements", type=int, default=10000)
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()

    with psycopg.connect() as connection:
        connection.adapters.register_dumper(np.ndarray, BytesOfArray)
        samples = make_runs(connection, options.rows, options.elements)
        show_percentiles(connection, samples)
        show_histogram(connection, samples, options.plot)
        compare_loading(connection, samples)


if __name__ == "__main__":
    main()
