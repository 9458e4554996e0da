#!/usr/bin/env python3
"""Writes the bill of materials of a release, as SPDX 2.3 has it in JSON.

    release/spdx.py TREE DIRECTORY SECONDS [CCCL CUDA_RUNTIME]

The directory has all that is released.  SECONDS since 1970 are the time of the
release, and then come the versions of NVIDIA's libraries in the GPU program.
"""

import datetime
import hashlib
import json
import pathlib
import re
import sys

OUR_LICENSE = "PostgreSQL"
CUDA_LICENSE = "LicenseRef-NVIDIA-CUDA"
CCCL_LICENSE = "BSD-3-Clause AND Apache-2.0 WITH LLVM-exception"
OUR_COPYRIGHT = "Copyright (c) 2026, the gpucompact developers"
NVIDIA_COPYRIGHT = "Copyright (c) NVIDIA Corporation"


def digest(path, algorithm):
    return hashlib.new(algorithm, path.read_bytes()).hexdigest()


def checksums(path):
    return [{"algorithm": name, "checksumValue": digest(path, name)}
            for name in ("SHA1", "SHA256")]


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def relation(element, kind, other):
    return {"spdxElementId": element, "relationshipType": kind,
            "relatedSpdxElement": other}


def source_files(tree):
    """The files of the source archive, in order."""
    return [{
        "fileName": "./" + path.relative_to(tree).as_posix(),
        "SPDXID": f"SPDXRef-File-{number}",
        "checksums": checksums(path),
        "licenseConcluded": OUR_LICENSE,
        "licenseInfoInFiles": [OUR_LICENSE],
        "copyrightText": OUR_COPYRIGHT,
    } for number, path in enumerate(sorted(p for p in tree.rglob("*") if p.is_file()))]


def verification_code(files):
    sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def library(name, version, license_name):
    """One of NVIDIA's, which is in the GPU program."""
    return {
        "name": name,
        "SPDXID": identifier("Library", name),
        "versionInfo": version,
        "supplier": "Organization: NVIDIA Corporation",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_name,
        "licenseDeclared": license_name,
        "copyrightText": NVIDIA_COPYRIGHT,
    }


def artifact(path, meta, has_program):
    """A file that is released."""
    licenses = [OUR_LICENSE, CCCL_LICENSE, CUDA_LICENSE] if has_program else [OUR_LICENSE]
    return {
        "name": path.name,
        "SPDXID": identifier("Package", path.name),
        "packageFileName": path.name,
        "versionInfo": meta["version"],
        "supplier": "Person: " + re.sub(r" <(.*)>", r" (\1)", meta["maintainer"]),
        "downloadLocation": meta["resources"]["repository"]["url"],
        "homepage": meta["resources"]["homepage"],
        "filesAnalyzed": False,
        "checksums": checksums(path),
        "licenseConcluded": " AND ".join(licenses),
        "licenseDeclared": OUR_LICENSE,
        "copyrightText": OUR_COPYRIGHT,
    }


def bill(tree, directory, created, versions):
    meta = json.loads((tree / "META.json").read_text(encoding="utf-8"))
    name = f"{meta['name']}-{meta['version']}"
    libraries = [library("CUDA Core Compute Libraries", versions[0], CCCL_LICENSE),
                 library("CUDA Runtime", versions[1], CUDA_LICENSE)] if versions else []
    files = source_files(tree)
    packages, relations = [], []

    for path in sorted(directory.iterdir()):
        package = artifact(path, meta, "-cuda" in path.name)
        packages.append(package)
        relations.append(relation("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"]))
        if path.name == f"{name}.tar.gz":
            source = package
        elif "-cuda" in path.name:
            relations += [relation(package["SPDXID"], "CONTAINS", each["SPDXID"])
                          for each in libraries]
    relations += [relation(each["SPDXID"], "GENERATED_FROM", source["SPDXID"])
                  for each in packages if each is not source]
    source["filesAnalyzed"] = True
    source["packageVerificationCode"] = {
        "packageVerificationCodeValue": verification_code(files)}
    source["licenseInfoFromFiles"] = [OUR_LICENSE]
    source["hasFiles"] = [file["SPDXID"] for file in files]

    return name, {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"{meta['resources']['repository']['url']}/spdx/{name}-"
                             + digest(directory / f"{name}.tar.gz", "sha256"),
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(
                created, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [source["supplier"], "Tool: gpucompact-script/release"],
        },
        "hasExtractedLicensingInfos": [{
            "licenseId": CUDA_LICENSE,
            "name": "NVIDIA CUDA Toolkit End User License Agreement",
            "extractedText": "https://docs.nvidia.com/cuda/eula/",
        }] if libraries else [],
        "packages": packages + libraries,
        "files": files,
        "relationships": relations,
    }


def main(tree, directory, created, *versions):
    name, document = bill(pathlib.Path(tree), pathlib.Path(directory), int(created), versions)
    path = pathlib.Path(directory) / f"{name}.spdx.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
