#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""update.py PTERIS CLIENT SIGN: pteris update, against a server of signed lists, in TAP. SIGN is packaging/sign-versions;
without openssl, which it calls, all is skipped."""

import gzip
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import server  # noqa: E402
from get import make_certificate  # noqa: E402
from hub_case import PATIENCE_S, RUNNER  # noqa: E402

MAX_LIST = 64 * 1024
# They send signals, or replace a library.
NOT_UNDER_WINE = ["interrupt", "no_library", "tls"]


class Handler(server.Handler):
    where = "versions"

    def do_GET(self):
        self.note()
        kind, *rest = self.hub.answer
        if kind == "list":
            self.answer(200, [("Content-Type", "text/plain")], rest[0])
        elif kind == "status":
            self.answer(rest[0], rest[1:], b"no")
        elif kind == "zip":
            self.answer(200, [("Content-Encoding", "gzip")], gzip.compress(rest[0]))
        elif kind == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(rest[0])))
            self.end_headers()
            self.wfile.write(rest[0][:len(rest[0]) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        else:
            self.send_slowly(rest)

    def send_slowly(self, pieces):
        """Bytes now and then, until the client has had enough; without pieces nothing at all."""
        self.close_connection = True
        if pieces:
            self.send_response(200)
            self.end_headers()
        while not self.hub.stop_slow.wait(0.05):
            if pieces:
                self.wfile.write(pieces[0])


class Lists(server.Hub):
    """A server that has the same answer for every address."""

    def serve(self, handler):
        return super().serve(Handler)

    def clear(self):
        super().clear()
        self.stop_slow = threading.Event()
        self.answer = ("status", 404)


class Case:
    client = sign = None

    def __init__(self, pteris, lists):
        self.pteris, self.lists = pteris, lists
        self.home = tempfile.mkdtemp(prefix="pteris-update-")
        lists.clear()
        self.private, self.public = self.make_key("versions")

    def path(self, name):
        return os.path.join(self.home, name)

    def make_key(self, name):
        pair = self.path(name + ".private"), self.path(name + ".pem")
        subprocess.run([self.sign, "key", *pair], check=True, capture_output=True, stdin=subprocess.DEVNULL)
        return pair

    def signed(self, text, key=None):
        path = self.path("list")
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else json.dumps(text).encode())
        return subprocess.run([self.sign, "sign", key or self.private, path], check=True, capture_output=True).stdout

    def give(self, text):
        self.lists.answer = ("list", self.signed(text))

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        own = {"HOME": self.home, "XDG_DATA_HOME": self.home, "LC_ALL": "C.UTF-8",
               "PTERIS_UPDATE_URL": self.lists.address + "/pteris/versions", "PTERIS_UPDATE_KEY": self.public}
        if RUNNER:
            own["HOME"] = os.environ["HOME"]
            for name in ("XDG_DATA_HOME", "PTERIS_UPDATE_KEY"):
                own[name] = "Z:" + own[name].replace("/", "\\")
        return {**kept, **own, **more}

    def run(self, *arguments, status=0, environment=None, program=None):
        # The limit is for a program that hangs, on however busy a computer.
        result = subprocess.run([*RUNNER, program or self.pteris, *arguments], capture_output=True, stdin=subprocess.DEVNULL,
                                timeout=PATIENCE_S, env=self.environment(**(environment or {})))
        self.out, self.err = result.stdout.decode(), result.stderr.decode()
        assert result.returncode == status, (result.returncode, self.out, self.err)
        assert "CRITICAL" not in self.err and "\x1b" not in self.err + self.out, self.err
        return self.out

    def look(self, **options):
        return json.loads(self.run("update", "--check", "--json", **options))

    def refused(self, *words, **options):
        self.run("update", "--check", status=1, **options)
        for word in words:
            assert word in self.err, (word, self.err)

    def own_version(self):
        return self.run("--version").split()[1]


def list_of(*versions, issued="2027-01-15T10:00:00Z", page="https://pteris.example/download", files=()):
    return {"program": "pteris", "issued": issued,
            "versions": [{"version": version, "date": "2027-01-15", "page": page, "files": list(files)} for version in versions]}


# ---- what is found

def test_newer(case):
    file = {"name": "Pteris-9.1.0-x64-setup.exe", "bytes": 14454884, "sha256": "ab" * 32}
    case.give(list_of("9.0.0", "9.1.0", "0.1.0", files=[file]))
    own = case.own_version()
    found = case.look()
    assert found == {"current": own, "newest": "9.1.0", "newer": True, "date": "2027-01-15",
                     "page": "https://pteris.example/download", "files": [file]}, found
    text = case.run("update", "--check")
    for word in ("9.1.0", "2027-01-15", own, "https://pteris.example/download", file["name"], file["sha256"]):
        assert word in text, (word, text)


def test_request(case):
    """One request, which says nothing of who asks."""
    case.give(list_of("9.0.0"))
    case.look()
    assert len(case.lists.log) == 1, case.lists.log
    _, method, path, headers = case.lists.log[0]
    assert (method, path) == ("GET", "/pteris/versions")
    assert headers == {"Host": case.lists.address.split("//")[1], "User-Agent": "pteris", "Accept": "*/*",
                       "Accept-Encoding": "identity"}, headers
    # What comes with the answer is not sent with the next one.
    case.lists.answer = ("status", 503, ("Set-Cookie", "id=1"), ("ETag", '"1"'))
    case.refused("503")
    case.give(list_of("9.0.0"))
    case.look()
    assert len(case.lists.log) == 3, case.lists.log
    assert case.lists.log[2][3] == headers


def test_not_newer(case):
    own = case.own_version()
    for version in (own, "0.0.1"):
        case.give(list_of(version))
        assert case.look()["newer"] is False
        assert case.run("update", "--check").strip() == f"Pteris {own} is the newest version."


def test_usage(case):
    case.run("update", status=2)
    assert "--check" in case.err
    case.run("update", "--check", "more", status=2)
    assert not case.lists.log


def test_turned_off(case):
    """A build without a list, and a person who wants none."""
    for environment in ({"PTERIS_UPDATE_URL": ""}, {"PTERIS_UPDATE_URL": "", "PTERIS_UPDATE_KEY": ""}):
        case.refused("does not check for updates", "package manager", environment=environment)
    assert not case.lists.log


# ---- hostile lists

def test_signatures(case):
    right = case.signed(list_of("9.0.0"))
    other, _ = case.make_key("other")
    wrong = [case.signed(list_of("9.0.0"), other), right.replace(b"9.0.0", b"9.0.1"), right + b"\n", right[:-1]]
    head, digits = right.split(b"\n")[:2]
    rest = right.split(b"\n", 2)[2]
    wrong += [b"\n".join([head, change, rest]) for change in (b"0" * 128, b"f" * 128, digits[64:] + digits[:64])]
    for text in wrong:
        case.lists.answer = ("list", text)
        case.refused("signature", "not used")
    for text in (rest, head + b"\n" + rest, b"", b"\n", b"<html>Sign in</html>", head + b"\n" + digits[:-1] + b"\n" + rest,
                 b"pteris-versions 2\n" + digits + b"\n" + rest, right.replace(b"\n", b"\r\n"), b"\0" * 500, b"\x1b[31m" * 60):
        case.lists.answer = ("list", text)
        case.refused("no list of versions")


def test_wrong_lists(case):
    """Signed, and not right."""
    for text in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 30000, b'{"a":' * 9000, b'{"program": "pteris"}',
                 list_of(), list_of("9.0"), list_of("9.0.0-rc1"), list_of("9.0.0", "../../x"), list_of("9.0.0", ""),
                 list_of("9.0.0", "9.0.0\x1b[31m"), list_of("9.0.0", "99999999999.0.0"), list_of("9.0.0", 9),
                 list_of("9.0.0", issued="soon"), list_of("9.0.0", issued="1969-01-01T00:00:00Z"), list_of("9.0.0", issued=7),
                 list_of(*["9.0.0"] * 101), list_of("9.0.0", page="http://pteris.example/"), list_of("9.0.0", page="file:///etc/passwd"),
                 list_of("9.0.0", page="https://user@pteris.example/"), list_of("9.0.0", page="javascript:alert(1)"),
                 list_of("9.0.0", page="https://"), list_of("9.0.0", page="https://a b/"), list_of("9.0.0", page="https://a/\x1b]8"),
                 dict(list_of("9.0.0"), program="fern"),
                 list_of("9.0.0", files=[{"name": "../x", "bytes": 1, "sha256": "ab" * 32}]),
                 list_of("9.0.0", files=[{"name": "x", "bytes": 2 ** 62, "sha256": "ab" * 32}]),
                 list_of("9.0.0", files=[{"name": "x", "bytes": 1, "sha256": "AB" * 32}]),
                 list_of("9.0.0", files=[7])):
        case.give(text)
        case.refused("pteris:")
    assert not os.path.exists(case.path("pteris/versions")) or b"9.0.0" not in open(case.path("pteris/versions"), "rb").read()


def test_rollback(case):
    """A list that was signed before the one that was seen is refused, however often; one as old is not."""
    newer = list_of("9.1.0", issued="2027-02-01T00:00:00Z")
    case.give(list_of("9.0.0"))
    assert case.look()["newest"] == "9.0.0"
    case.give(newer)
    assert case.look()["newest"] == "9.1.0"
    case.give(list_of("9.0.0"))
    for _ in range(2):
        case.refused("older than one that was seen", "2027-02-01")
    case.give(newer)
    assert case.look()["newest"] == "9.1.0"
    # A version that is taken back is no rollback when the list is new.
    case.give(list_of("9.0.0", issued="2027-03-01T00:00:00Z"))
    assert case.look()["newest"] == "9.0.0"


def test_long(case):
    text = json.dumps(list_of("9.0.0")).encode()
    head = len(case.signed(text)) - len(text)
    full = text + b" " * (MAX_LIST - len(text) - head)
    # The script refuses to sign so much, so this is signed as it does.
    case.lists.answer = ("list", sign_long(case, full))
    assert case.look()["newest"] == "9.0.0"
    case.lists.answer = ("list", sign_long(case, full + b" "))
    case.refused("longer than 64 KB")
    case.lists.answer = ("zip", b" " * (64 << 20))
    case.refused("longer than 64 KB")
    case.lists.answer = ("slow", b"x" * (1 << 20))
    case.refused("longer than 64 KB")


def sign_long(case, text):
    """Signs @text of any length: what is signed is a hash, so that openssl makes the signature and asn1parse takes it apart."""
    path = case.path("long")
    with open(path, "wb") as file:
        file.write(text)
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", case.private, path], check=True, capture_output=True).stdout
    numbers, at = [], 2
    while at < len(der):
        length = der[at + 1]
        numbers.append(int.from_bytes(der[at + 2:at + 2 + length], "big"))
        at += 2 + length
    return b"pteris-versions 1\n%064x%064x\n" % tuple(numbers) + text


# ---- what a network does

def test_statuses(case):
    """Not repeated, whatever it is."""
    for status, *headers in ((404,), (500,), (503, ("Retry-After", "0")), (429, ("Retry-After", "0")), (204,), (304,), (403,)):
        case.lists.log.clear()
        case.lists.answer = ("status", status, *headers)
        case.refused(str(status))
        assert len(case.lists.log) == 1, (status, case.lists.log)


def test_redirects(case):
    for target in ("http://example.invalid/x", "file:///etc/passwd", "ftp://127.0.0.1/x", "http://127.0.0.1.example.invalid/",
                   "http://user@127.0.0.1/"):
        case.lists.answer = ("status", 302, ("Location", target))
        case.refused("not secure")
    case.lists.answer = ("status", 302, ("Location", "/again"))
    case.refused("without an end")
    case.lists.answer = ("status", 302)
    case.refused("leads to nowhere")


def test_cut(case):
    case.lists.answer = ("cut", case.signed(list_of("9.0.0")))
    case.refused("failed")


def test_slow(case):
    """A server that says nothing, and one that never ends."""
    case.lists.answer = ("slow",)
    case.run("update", "60", status=1, program=case.client)
    assert case.err.startswith("network") and "does not answer" in case.err, case.err
    case.lists.answer = ("slow", b"x" * 20)
    case.run("update", "2", status=1, program=case.client)
    assert case.err.startswith("network") and "longer than 2 seconds" in case.err, case.err
    case.lists.stop_slow.set()


def test_unreachable(case):
    case.refused("cannot be reached", "network", environment={"PTERIS_UPDATE_URL": "http://127.0.0.1:1/versions"})
    case.refused("cannot be found", environment={"PTERIS_UPDATE_URL": "https://versions.invalid/"})
    for address in ("http://pteris.example/versions", "ftp://127.0.0.1/", "https://user:word@pteris.example/", "file:///etc", "x"):
        case.refused("is not the address of a list of versions", environment={"PTERIS_UPDATE_URL": address})


def test_tls(case):
    paths = make_certificate(case.home)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(paths[1], paths[0])
    secure = Lists(context)
    secure.answer = ("list", case.signed(list_of("9.0.0")))
    there = {"PTERIS_UPDATE_URL": secure.address + "/versions"}
    case.refused("is not secure", "SSL_CERT_FILE", environment=there)
    assert secure.log == []
    trusting = dict(there, SSL_CERT_FILE=paths[1])
    assert case.look(environment=trusting)["newest"] == "9.0.0"
    # Never from https to anything else, also not on this computer.
    secure.answer = ("status", 302, ("Location", case.lists.address + "/versions"))
    case.refused("not secure", environment=trusting)
    assert case.lists.log == []
    secure.stop()


# ---- this computer

def test_wrong_key(case):
    for text in ("", "x", open(case.private, encoding="utf-8").read()):
        path = case.path("wrong.pem")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        case.refused("P-256", environment={"PTERIS_UPDATE_KEY": ("Z:" if RUNNER else "") + path})
    case.refused("none.pem", environment={"PTERIS_UPDATE_KEY": case.path("none.pem")})
    assert not case.lists.log


def test_no_place(case):
    """Where the time cannot be kept, nothing is asked."""
    with open(case.path("pteris"), "wb"):
        pass
    case.give(list_of("9.0.0"))
    case.refused("cannot be written")
    assert not case.lists.log


def test_time(case):
    """The time of the request is kept, also of one that fails."""
    case.refused("404")
    with open(case.path("pteris/versions"), encoding="utf-8") as file:
        word, seconds = file.read().split()
    assert word == "asked" and abs(int(seconds) - time.time()) < 3600, seconds


def test_no_library(case):
    with open(case.path("libgnutls.so.30"), "wb"):
        pass
    case.give(list_of("9.0.0"))
    case.run("update", "--check", status=1, environment={"LD_LIBRARY_PATH": case.home})
    assert "GnuTLS" in case.err or "libcurl" in case.err, case.err


def test_interrupt(case):
    case.lists.answer = ("slow",)
    process = subprocess.Popen([case.pteris, "update", "--check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, env=case.environment())
    while not case.lists.log:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    case.lists.stop_slow.set()
    assert process.returncode == 130, process.returncode


# ---- the script of the release

def test_script(case):
    file = case.path("Pteris-9.0.0.exe")
    with open(file, "wb") as out:
        out.write(b"abc")
    made = subprocess.run([case.sign, "list", "9.0.0", "2027-01-15", "https://pteris.example/", file], check=True, capture_output=True)
    text = case.signed(made.stdout)
    case.lists.answer = ("list", text)
    found = case.look()
    assert found["files"] == [{"name": "Pteris-9.0.0.exe", "bytes": 3, "sha256": server.sha256(b"abc")}], found
    path = case.path("signed")
    for content, key, status in ((text, case.public, 0), (text.replace(b"9.0.0", b"9.0.1"), case.public, 1),
                                 (text, case.make_key("other")[1], 1), (b"x" + text, case.public, 1), (b"", case.public, 1)):
        with open(path, "wb") as out:
            out.write(content)
        verified = subprocess.run([case.sign, "verify", key, path], capture_output=True)
        assert verified.returncode == status, (status, verified.stderr)
        assert status or verified.stdout == made.stdout
    for wrong in (["list", "9.0", "2027-01-15", "https://x/"], ["list", "9.0.0", "today", "https://x/"],
                  ["list", "9.0.0", "2027-01-15", "http://x/"], ["list", "9.0.0", "2027-01-15", "https://x/", case.path("none")],
                  ["key", case.private, case.public], ["sign", case.public, path], [], ["more"]):
        assert subprocess.run([case.sign, *wrong], capture_output=True, stdin=subprocess.DEVNULL).returncode, wrong


def main():
    pteris, Case.client, Case.sign, wanted = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    if not shutil.which("openssl"):
        print("1..0 # SKIP there is no openssl")
        return 0
    tests = [(name[5:], func) for name, func in sorted(globals().items()) if name.startswith("test_")]
    tests = [(name, func) for name, func in tests if (not wanted or name in wanted) and not (RUNNER and name in NOT_UNDER_WINE)]
    lists = Lists()
    failed = False
    print(f"1..{len(tests)}", flush=True)
    for number, (name, func) in enumerate(tests, 1):
        case = Case(pteris, lists)
        try:
            func(case)
            print(f"ok {number} {name}", flush=True)
        except Exception as problem:  # pylint: disable=broad-except
            failed = True
            text = "".join(traceback.format_exception(problem)).replace("\n", "\n# ")
            print(f"not ok {number} {name}\n# {text}", flush=True)
        lists.stop_slow.set()
        shutil.rmtree(case.home, ignore_errors=True)
    lists.stop()
    return failed


if __name__ == "__main__":
    sys.exit(main())
