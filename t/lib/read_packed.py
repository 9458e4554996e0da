"""Prints what examples/packed_reader.py, whose directory is an argument, reads of
packed arrays in hexadecimal, one a line; or "refused"."""

import json
import sys

sys.path.insert(0, sys.argv[1])
from packed_reader import read

for line in sys.stdin:
    try:
        print(json.dumps(read(bytes.fromhex(line))))
    except (ValueError, ArithmeticError):
        print("refused")
