# SPDX-License-Identifier: BSD-3-Clause
"""A hub for tests: the HTTP interface of huggingface.co on 127.0.0.1, and a second port to which it redirects large
files. Faults are members of Hub; what was asked is in Hub.log."""

import gzip
import hashlib
import json
import re
import socket
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGE = 4096


def git_sha1(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Repo:
    def __init__(self, files, **facts):
        self.files = files
        self.facts = {"gated": False, "cardData": {"license": "apache-2.0"}, "pipeline_tag": "text-generation"}
        self.facts.update(facts)
        self.extra = []  # entries of the list for which there is nothing
        self.names = {"main", "v1/x"}  # of the revision, besides its commit
        self.lies = {}   # path to members of its entry that are not true
        self.change()

    def change(self):
        text = "".join(path + sha256(data) for path, data in sorted(self.files.items()))
        self.commit = hashlib.sha1(text.encode()).hexdigest()

    def entry(self, path):
        data = self.files[path]
        entry = {"type": "file", "path": path, "size": len(data), "oid": git_sha1(data)}
        if len(data) >= LARGE:
            entry["lfs"] = {"oid": sha256(data), "size": len(data), "pointerSize": 134}
        entry.update(self.lies.get(path, {}))
        return entry


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass


class Hub:
    def __init__(self, context=None):
        """@context: ssl.SSLContext of a hub over https."""
        self.context = context
        self.repos, self.log, self.blobs = {}, [], {}
        self.lock = threading.Lock()
        self.open = threading.Event()
        self.clear()
        self.cdn = self.serve(CdnHandler)
        self.main = self.serve(HubHandler)
        scheme = "https" if context else "http"
        self.address = "%s://127.0.0.1:%d" % (scheme, self.main.server_port)
        self.cdn_address = "%s://127.0.0.1:%d" % (scheme, self.cdn.server_port)

    def serve(self, handler):
        server = Server(("127.0.0.1", 0), handler)
        server.hub = self
        if self.context:
            server.socket = self.context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def clear(self):
        """No faults."""
        self.page = 3            # entries of a page of the list
        self.breaks = 0          # answers with a large file that end midway
        self.ranges = True       # ranges are heeded
        self.ranges_wrong = False
        self.wrong = 0           # answers with a large file in which a byte differs
        self.refusals = []       # (status, headers) for the next requests of the hub
        self.cdn_refusals = []   # the same of the other port
        self.redirect = None     # Location of all files
        self.loop = False        # files redirect for ever
        self.rename = None       # (old id, new id): a relative redirect
        self.zip = False         # short answers come compressed
        self.endless = False     # the list of files does not end
        self.endless_pages = False
        self.flood = None        # bytes that are said again and again instead of the answer with that in its path
        self.pause = 0           # seconds before each piece of a file
        self.piece = 1 << 16
        self.open.set()          # else pieces behind the first of a large file wait until it is set
        self.token = None        # that a gated repository wants
        self.change_at = None    # path at whose request the repository changes
        self.slow_start = 0
        self.extra_bytes = b""
        self.log.clear()

    def asked(self, what):
        return [entry for entry in self.log if what in entry[2]]

    def stop(self):
        self.main.shutdown()
        self.cdn.shutdown()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    @property
    def hub(self):
        return self.server.hub

    def note(self):
        with self.hub.lock:
            self.hub.log.append((self.where, self.command, self.path, dict(self.headers)))

    def take(self, name):
        """One of a fault that happens some times."""
        with self.hub.lock:
            left = getattr(self.hub, name)
            if left:
                setattr(self.hub, name, left - 1)
            return bool(left)

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, refusals):
        with self.hub.lock:
            refusal = refusals.pop(0) if refusals else None
        if refusal:
            self.answer(refusal[0], refusal[1], b"no")
        return refusal is not None

    def send_pieces(self, body):
        for at in range(0, len(body), self.hub.piece):
            if self.hub.pause:
                time.sleep(self.hub.pause)
            if at > 0:
                self.hub.open.wait()
            self.wfile.write(body[at:at + self.hub.piece])

    def send_file(self, data, headers):
        """The contents, or the range that is asked for, with the faults that were ordered."""
        start, status, whole = 0, 200, len(data)
        wanted = re.match(r"bytes=(\d+)-$", self.headers.get("Range", ""))
        if wanted and self.hub.ranges:
            start = int(wanted[1])
            if start >= whole:
                self.answer(416, [("Content-Range", "bytes */%d" % whole)])
                return
            if self.hub.ranges_wrong:
                start = 0
            status = 206
            headers = headers + [("Content-Range", "bytes %d-%d/%d" % (start, whole - 1, whole))]
        body = data[start:]
        if whole >= LARGE and self.take("wrong"):
            body = body[:len(body) // 2] + bytes([body[len(body) // 2] ^ 1]) + body[len(body) // 2 + 1:]
        body += self.hub.extra_bytes
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if not self.hub.extra_bytes:
            self.send_header("Content-Length", str(len(body)))
        else:
            self.close_connection = True
        self.end_headers()
        if self.command == "HEAD":
            return
        if whole >= LARGE and self.take("breaks"):
            self.send_pieces(body[:len(body) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_pieces(body)


class CdnHandler(Handler):
    where = "cdn"

    def do_GET(self):
        self.note()
        if self.refuse(self.hub.cdn_refusals):
            return
        data = self.hub.blobs.get(urllib.parse.urlsplit(self.path).path.strip("/"))
        if data is None:
            self.answer(404)
        else:
            self.send_file(data, [("ETag", '"cdn"')])


class HubHandler(Handler):
    where = "hub"

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        self.note()
        hub, url = self.hub, urllib.parse.urlsplit(self.path)
        if hub.slow_start:
            time.sleep(hub.slow_start)
        if self.refuse(hub.refusals):
            return
        if hub.flood and hub.flood[0] in url.path:
            self.send_flood(*hub.flood[1:])
            return
        if hub.rename and hub.rename[0] in url.path:
            self.answer(307, [("Location", self.path.replace(*hub.rename))])
            return
        parts = url.path.strip("/").split("/")
        if parts[:2] == ["api", "models"] and len(parts) == 2:
            self.search(urllib.parse.parse_qs(url.query))
            return
        api = parts[:2] == ["api", "models"]
        parts = parts[2:] if api else parts
        parts += ["revision", "main"] if api and len(parts) == 2 else []
        repo = hub.repos.get("/".join(parts[:2]))
        if repo is None or len(parts) < 3:
            self.answer(401, [("X-Error-Code", "RepoNotFound")])
        elif repo.facts["gated"] and parts[2] == "resolve" and not self.may(repo):
            return
        elif urllib.parse.unquote(parts[3]) not in repo.names | {repo.commit}:
            self.answer(404, [("X-Error-Code", "RevisionNotFound")])
        elif parts[2] == "revision":
            self.info("/".join(parts[:2]), repo)
        elif parts[2] == "tree":
            self.tree("/".join(parts[:2]), repo, urllib.parse.parse_qs(url.query))
        else:
            self.resolve(repo, urllib.parse.unquote("/".join(parts[4:])))

    def may(self, repo):
        given = self.headers.get("Authorization")
        if given == "Bearer " + (self.hub.token or ""):
            return True
        self.answer(403 if given else 401, [("X-Error-Code", "GatedRepo")])
        return False

    def send_json(self, value, headers=()):
        body = json.dumps(value).encode()
        if self.hub.zip:
            self.answer(200, list(headers) + [("Content-Encoding", "gzip")], gzip.compress(body))
        else:
            self.answer(200, list(headers) + [("Content-Type", "application/json")], body)

    def info(self, name, repo):
        self.send_json(dict(repo.facts, id=name, sha=repo.commit,
                            siblings=[{"rfilename": path} for path in repo.files]))

    def send_flood(self, begin, again):
        """@begin, then @again for ever; both are bytes."""
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        self.wfile.write(begin)
        while True:
            self.wfile.write(again * (1 + (1 << 16) // len(again)))

    def send_endless(self):
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b"[")
        entry = json.dumps({"type": "directory", "path": "x" * 900}).encode() + b","
        while True:
            self.wfile.write(entry * 64)

    def tree(self, name, repo, query):
        if self.hub.endless:
            self.send_endless()
            return
        entries = [repo.entry(path) for path in sorted(repo.files)] + repo.extra
        entries.insert(0, {"type": "directory", "path": "a", "size": 0, "oid": "0" * 40})
        start = int(query.get("cursor", ["0"])[0])
        end = start + self.hub.page
        headers = []
        if self.hub.endless_pages:
            entries, end = entries * 1000, start
        if end < len(entries):
            headers = [("Link", '<%s/api/models/%s/tree/%s?recursive=true&cursor=%d>; rel="next"'
                        % (self.hub.address, name, repo.commit, end))]
        self.send_json(entries[start:end] if not self.hub.endless_pages else [], headers)

    def search(self, query):
        found = [name for name in sorted(self.hub.repos) if query.get("search", [""])[0] in name]
        start = int(query.get("cursor", ["0"])[0])
        end = start + int(query.get("limit", ["2"])[0])
        headers = []
        if end < len(found):
            headers = [("Link", '<%s/api/models?limit=%d&cursor=%d&search=%s>; rel="next"'
                        % (self.hub.address, end - start, end, query.get("search", [""])[0]))]
        self.send_json([{"id": name, "downloads": 7, "likes": 1, "gated": False} for name in found[start:end]], headers)

    def resolve(self, repo, path):
        hub, data = self.hub, repo.files.get(path)
        headers = [("X-Repo-Commit", repo.commit)]
        if data is None:
            self.answer(404, headers + [("X-Error-Code", "EntryNotFound")])
        elif hub.loop:
            self.answer(302, headers + [("Location", self.path)])
        elif hub.redirect:
            self.answer(302, headers + [("Location", hub.redirect)])
        elif hub.change_at == path:
            hub.change_at = None
            self.answer(302, [("X-Repo-Commit", "f" * 40), ("Location", self.hub.cdn_address + "/none")])
        elif len(data) >= LARGE:
            hub.blobs[sha256(data)] = data
            self.answer(302, headers + [
                ("Location", "%s/%s?X-Amz-Signature=%d" % (hub.cdn_address, sha256(data), len(hub.log))),
                ("X-Linked-Size", str(len(data))), ("X-Linked-Etag", '"%s"' % sha256(data))])
        elif hub.zip:
            self.answer(200, headers + [("ETag", 'W/"%s"' % git_sha1(data)), ("Content-Encoding", "gzip")],
                        gzip.compress(data))
        else:
            self.send_file(data, headers + [("ETag", '"%s"' % git_sha1(data))])
