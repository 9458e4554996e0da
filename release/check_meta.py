#!/usr/bin/env python3
"""Compares META.json with PGXN's Meta Spec 1.0, https://pgxn.org/spec/.

    release/check_meta.py TREE

Prints what is wrong with it, also files that the tree lacks, and fails if anything
is.
"""

import json
import pathlib
import re
import sys

TERM = r"[^\s/\\\x00-\x1f]{2,}"
VERSION = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[A-Za-z][-0-9A-Za-z]*)?"
LINE = r"\S.*"
TAG = r"[^/\\\x00-\x1f]{1,256}"
URL = r"https?://[^\s/]+(/\S*)?"
LICENSE = ("agpl_3|apache_[12]_[01]|artistic_[12]|bsd|freebsd|gfdl_1_[23]|gpl_[123]|"
           "lgpl_(2_1|3_0)|mit|mozilla_1_[01]|openssl|perl_5|postgresql|qpl_1_0|ssleay|"
           "sun|zlib|open_source|restricted|unrestricted|unknown")
PREREQUISITES = {"*requires|recommends|suggests|conflicts": {"*" + TERM: VERSION}}

# A pattern for a text, a list of one for a list or a single text, a dictionary for
# an object: its keys are optional with "?", and any number of one with "*".
# PGXN asks for all but resources and tags, which a release needs, too.
SPEC = {
    "name": TERM,
    "version": VERSION,
    "abstract": LINE,
    "maintainer": [r"\S.* <\S+@\S+\.\S+>"],
    "license": [LICENSE],
    "provides": {
        "*" + TERM: {"file": LINE, "version": VERSION, "abstract": LINE, "docfile": LINE}
    },
    "meta-spec": {"version": r"1\.0\.0", "?url": r"https?://pgxn\.org/meta/spec\.txt"},
    "resources": {
        "homepage": URL,
        "bugtracker": {"web": URL, "?mailto": r"\S+@\S+"},
        "repository": {"url": URL, "web": URL, "type": "git"},
    },
    "tags": [TAG],
    "?description": LINE,
    "?generated_by": LINE,
    "?release_status": "stable|testing|unstable",
    "?prereqs": {"*configure|build|test|runtime|develop": PREREQUISITES},
}


def faults_of(value, spec, place):
    """What is wrong with a part of the file, as lines of text."""
    if isinstance(spec, dict):
        if not isinstance(value, dict):
            yield f"{place} is no object"
            return
        named = {key.lstrip("?"): part for key, part in spec.items() if key[0] != "*"}
        others = [(key[1:], part) for key, part in spec.items() if key[0] == "*"]
        for key in spec:
            if key[0] not in "?*" and key not in value:
                yield f"{place}.{key} is missing"
        if others and not value:
            yield f"{place} is empty"
        for key, part in value.items():
            parts = [named[key]] if key in named else [
                other for pattern, other in others if re.fullmatch(pattern, key)]
            if parts:
                yield from faults_of(part, parts[0], f"{place}.{key}")
            elif not key.lower().startswith("x_"):
                yield f"{place}.{key} is unknown"
    elif isinstance(spec, list):
        parts = value if isinstance(value, list) else [value]
        if not parts:
            yield f"{place} is empty"
        for number, part in enumerate(parts):
            yield from faults_of(part, spec[0], f"{place}[{number}]")
    elif not isinstance(value, str) or not re.fullmatch(spec, value):
        yield f"{place} may not be {value!r}"


def main(tree):
    meta = json.loads((tree / "META.json").read_text(encoding="utf-8"))
    faults = list(faults_of(meta, SPEC, "META.json"))
    for name, provided in meta.get("provides", {}).items():
        for key in ("file", "docfile"):
            if not (tree / provided.get(key, "")).is_file():
                faults.append(f"META.json.provides.{name}.{key}: there is no such file")
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
