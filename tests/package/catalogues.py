#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catalogues.py: what packaging/windows/catalogues writes is about the installer that it is given, and it refuses the rest."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../packaging/windows/catalogues")
NAMESPACE = "{http://schemas.microsoft.com/packaging/2015/06/nuspec.xsd}"
URL = "https://example.org/pteris/12.3.4"
NAME = "Pteris-12.3.4-x64-setup.exe"


def run(folder, url=URL, name=NAME):
    result = subprocess.run([sys.executable, SCRIPT, url, f"{folder}/{name}", f"{folder}/out"], capture_output=True, text=True)
    return result.returncode, result.stderr


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def check(good, what):
    if not good:
        sys.exit(f"catalogues.py: {what}")


def check_files(folder, checksum):
    winget = [read(folder, "out/winget", name) for name in sorted(os.listdir(f"{folder}/out/winget"))]
    check(len(winget) == 4, "there are not four files for winget")
    for text in winget:
        check('PackageVersion: "12.3.4"' in text, "a manifest has another version")
    installer = read(folder, "out/winget/Pteris.Pteris.installer.yaml")
    check(re.findall(r'InstallerSha256: "(.*)"', installer) == [checksum.upper()] * 2, "winget has another checksum")
    check(re.findall(r'InstallerUrl: "(.*)"', installer) == [f"{URL}/{NAME}"] * 2, "winget has another address")
    metadata = xml.fromstring(read(folder, "out/chocolatey/pteris.nuspec")).find(f"{NAMESPACE}metadata")
    check(metadata.find(f"{NAMESPACE}version").text == "12.3.4", "the recipe has another version")
    script = read(folder, "out/chocolatey/tools/chocolateyinstall.ps1")
    check(f"checksum64     = '{checksum}'" in script, "the recipe has another checksum")
    for name in ("chocolateyinstall.ps1", "chocolateyuninstall.ps1"):
        check(read(folder, "out/chocolatey/tools", name).isascii(), f"{name} is not ASCII")


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = b"an installer"
        with open(f"{folder}/{NAME}", "wb") as file:
            file.write(data)
        check(run(folder) == (0, ""), "it did not succeed")
        check_files(folder, hashlib.sha256(data).hexdigest())
        for url in ("http://example.org/x", "https://example.org/a?b=c", "https://example.org/a'b", "https:///x", ""):
            status, complaint = run(folder, url)
            check(status == 1 and "address" in complaint, f"it took the address “{url}”")
        check(run(folder, name="setup.exe")[0] == 1, "it took a name without a version")
        check(run(folder, name="Pteris-1.2.3-x64-setup.exe")[0] == 1, "it took an installer that is not there")


main()
