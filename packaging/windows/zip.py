#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""zip.py ARCHIVE FOLDER NAME: packs FOLDER as NAME/..., the same bytes from the same files.

SOURCE_DATE_EPOCH is the time of every file.
"""
import os
import pathlib
import sys
import time
import zipfile


def main(archive, folder, name):
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    date = max(time.gmtime(seconds)[:6], (1980, 1, 1, 0, 0, 0))
    root = pathlib.Path(folder)
    with zipfile.ZipFile(archive, "w") as out:
        for path in sorted(p for p in root.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(f"{name}/{path.relative_to(root).as_posix()}", date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            out.writestr(entry, path.read_bytes(), compresslevel=9)


main(*sys.argv[1:])
