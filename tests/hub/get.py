#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""get.py PTERIS CLIENT SECRETS [NAME...]: pteris get, models and remove, and client.c, against the hub of server.py, in
TAP. SECRETS is the program tests/fakes/fake-secret-service.c."""

import json
import os
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import server  # noqa: E402
from hub_case import ID, NAME, PATIENCE_S, RUNNER, Case, Secrets, noise, tree_of  # noqa: E402

# Tests that need nothing of this system but the hub.
UNDER_WINE = ["again", "also", "broken", "compressed", "endless", "floods", "get", "hostile_names", "huge",
              "lead_away", "list", "million", "names", "new_commit", "no_ranges", "nothing_to_run", "progress",
              "redirects", "refusals", "rename", "search", "second_variant", "stall", "stop_early", "strange_lists",
              "too_long", "wrong_bytes", "wrong_ranges", "wrong_sizes"]
TOKEN = "hf_test0123456789"


# ---- what is downloaded

def test_list(case):
    case.run("get", ID, "--list", "--json")
    listed = json.loads(case.out)
    names = [variant["name"] for variant in listed["variants"]]
    assert names == ["0_6b-8da4w", "1_7b-8da4w", "0_6b-bf16"], names
    assert [variant["best"] for variant in listed["variants"]] == [True, False, False]
    assert listed["license"] == "apache-2.0"
    assert {file["path"] for file in listed["variants"][0]["files"]} == set(case.small())
    case.run("get", ID, "--list")
    assert "0_6b-bf16" in case.out and "coreml" in case.err and "License: apache-2.0" in case.err
    case.check_nothing()


def test_get(case):
    case.run("get", ID)
    assert case.out == os.path.join(case.folder, "0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte") + "\n", case.out
    case.says("License: apache-2.0", "MB")
    case.check_whole()
    for where, method, path, headers in case.hub.log:
        assert headers["User-Agent"].startswith("pteris/"), headers
        assert headers.get("Accept-Encoding") == "identity", headers
        assert not {"Cookie", "Referer", "Authorization"} & set(headers), headers
    assert not case.hub.asked("safetensors") and not case.hub.asked("coreml")


def test_again(case):
    case.run("get", ID)
    case.hub.log.clear()
    case.run("get", ID)
    case.check_whole()
    assert not [path for _, _, path, _ in case.hub.log if "/resolve/" in path and "config.json" not in path], case.hub.log


def test_second_variant(case):
    case.run("get", ID)
    own = os.path.join(case.folder, "notes.txt")
    with open(own, "w", encoding="utf-8") as file:
        file.write("mine")
    case.hub.log.clear()
    case.run("get", ID + ":0_6b-bf16")
    found = tree_of(case.folder)
    assert found.pop("notes.txt")
    assert found == dict(case.small(), **case.expected("0_6b/xnnpack/qwen_3_0_6b_xnnpack_bf16.pte"))
    assert not case.hub.asked("tokenizer.json")
    with open(os.path.join(case.folder, ".pteris-hub.json"), encoding="utf-8") as file:
        state = json.load(file)
    assert sorted(variant["name"] for variant in state["variants"]) == ["0_6b-8da4w", "0_6b-bf16"]


def test_new_commit(case):
    case.run("get", ID)
    case.repo.files["tokenizer_config.json"] = b'{"model_max_length": 2}'
    case.repo.change()
    case.hub.log.clear()
    case.run("get", ID)
    case.check_whole()
    assert len(case.hub.asked("/resolve/")) == 2  # the other one is config.json


def test_names(case):
    case.run("get", ID + ":nonsense", status=1)
    case.says("0_6b-bf16")
    case.run("get", ID + ":8da4w", status=1)
    case.says("several")
    case.run("get", ID + ":0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte")
    case.check_whole()
    case.run("get", f"{case.hub.address}/{ID}/blob/main/0_6b/xnnpack/qwen_3_0_6b_xnnpack_bf16.pte")
    for wrong in ("", "owner", "owner/", "/name", "../name", "owner/..", "a/b:", "a/b/c", "own er/name", "https://x/"):
        case.run("get", wrong, status=2)
    case.run("get", status=2)
    case.run("get", ID, "--revision", "v1/x")


def test_companions(case):
    """Parts of one model, data beside the program, folders of voices."""
    files = {"xnnpack/german/duration_predictor_de.pte": noise(9000, 1), "xnnpack/german/synthesizer_de.pte": noise(9000, 2),
             "voices/anna.bin": noise(512, 3), "phonemizer/de/phonemizer_de.pte": noise(512, 4), "README.md": b"x",
             "voices/.hidden": b"x"}
    case.hub.repos["owner/kokoro"] = server.Repo(files)
    case.run("get", "owner/kokoro")
    assert set(tree_of(os.path.join(case.models, "owner--kokoro"))) == set(files) - {"voices/.hidden"}
    files = {"cuda/sm90/model.pte": noise(9000, 1), "cuda/sm90/aoti_cuda_blob.ptd": noise(9000, 2), "tekken.json": b"{}",
             "xnnpack/model.pte": noise(9000, 5), "config.json": b'{"model_type": "llama"}', "xnnpack/other.ptd": b"0"}
    case.hub.repos["owner/voxtral"] = server.Repo(files)
    case.run("get", "owner/voxtral:cuda")
    assert set(tree_of(os.path.join(case.models, "owner--voxtral"))) == \
        {"cuda/sm90/model.pte", "cuda/sm90/aoti_cuda_blob.ptd", "tekken.json", "config.json"}


def test_also(case):
    """Files of another repository."""
    case.hub.repos["owner/whisper"] = server.Repo({"model.pte": noise(9000, 1), "README.md": b"a"})
    other = {"model.pte": noise(9000, 2), "tokenizer.json": noise(9000, 3), "whisper_preprocessor.pte": noise(500, 4)}
    case.hub.repos["owner/tiny"] = server.Repo(other)
    case.run("get", "owner/whisper", "--also", "owner/tiny", "--also", "owner/tiny:whisper_preprocessor.pte")
    found = tree_of(os.path.join(case.models, "owner--whisper"))
    assert set(found) == {"model.pte", "README.md", "tokenizer.json", "whisper_preprocessor.pte"}, found
    assert found["tokenizer.json"] == server.sha256(other["tokenizer.json"])
    assert found["model.pte"] != server.sha256(other["model.pte"])
    case.run("get", "owner/whisper", "--also", "owner/tiny:none", status=1)
    case.says("no file “none”")
    # A repository that has no program.
    case.hub.repos["owner/voxtral"] = server.Repo({"tekken.json": noise(700, 5), "model.safetensors": noise(900, 6)})
    case.run("get", "owner/whisper", "--also", "owner/voxtral:tekken.json")
    assert "tekken.json" in tree_of(os.path.join(case.models, "owner--whisper"))
    case.run("get", "owner/voxtral", status=1)
    case.says("no ExecuTorch program")


def test_nothing_to_run(case):
    case.hub.repos["a/b"] = server.Repo({"model.safetensors": b"x"})
    case.run("get", "a/b", status=1)
    case.says("no ExecuTorch program")
    case.hub.repos["a/b"] = server.Repo({"coreml/model.pte": b"x", "model-metal-int4.pte": b"y"})
    case.run("get", "a/b", status=1)
    case.says("coreml, metal")


# ---- what a network does

def test_broken(case):
    case.hub.breaks = 4
    case.run("get", ID)
    case.check_whole()
    assert any("Range" in headers for _, _, _, headers in case.hub.log)


def test_no_ranges(case):
    case.hub.breaks, case.hub.ranges = 3, False
    case.run("get", ID)
    case.check_whole()


def test_wrong_ranges(case):
    case.hub.breaks, case.hub.ranges_wrong = 1, True
    case.run("get", ID)
    case.check_whole()


def test_wrong_bytes(case):
    case.hub.wrong = 1
    case.run("get", ID)
    case.check_whole()


def test_always_wrong(case):
    case.hub.wrong = 1000
    case.run("get", ID, status=1)
    case.says("checksum")
    case.check_nothing()


def test_too_long(case):
    case.hub.extra_bytes = b"x" * 100
    case.run("get", ID, status=1)
    case.check_nothing()


def test_compressed(case):
    case.hub.zip = True
    case.run("get", ID)
    case.check_whole()


def test_wait(case):
    case.hub.refusals = [(429, [("Retry-After", "1")])]
    case.hub.cdn_refusals = [(503, []), (403, [])]
    case.run("get", ID)
    case.check_whole()
    case.hub.refusals = [(429, [("RateLimit", '"api";r=0;t=3600')])]
    case.run("get", ID, status=1)
    case.says("3600 seconds")


def test_rename(case):
    case.hub.rename = ("owner/old", ID)
    case.run("get", "owner/old")
    case.check_whole()


def test_refusals(case):
    case.run("get", "owner/none", status=1)
    case.says("no repository “owner/none”", "HF_TOKEN")
    case.run("get", ID, "--revision", "v99", status=1)
    case.says("no revision “v99”")
    case.hub.refusals = [(403, [("X-Error-Message", "Access to this resource is disabled.\x1b[31m")])]
    case.run("get", ID, status=1)
    case.says("Access to this resource is disabled.")
    assert "\x1b" not in case.err
    case.hub.refusals = [(404, [])]
    case.run("get", ID, status=1)
    case.says("no repository")
    case.hub.refusals = [(502, [])] * 9
    case.run("get", ID, status=1)
    case.says("502")


def test_gated(case):
    case.repo.facts["gated"] = "auto"
    case.hub.token = TOKEN
    case.run("get", ID, "--list")
    case.run("get", ID, status=1)
    case.says("terms", "HF_TOKEN")
    case.run("get", ID, status=1, environment={"HF_TOKEN": "hf_wrong"})
    case.says("account")
    path = os.path.join(case.home, "token")
    with open(path, "w", encoding="utf-8") as file:
        file.write(TOKEN + "\n")
    case.hub.log.clear()
    case.run("get", ID, "--token-file", path)
    case.check_whole()
    for where, _, _, headers in case.hub.log:
        assert ("Authorization" in headers) == (where == "hub"), (where, headers)
    assert TOKEN not in case.err and TOKEN not in case.out
    for at, _, names in os.walk(case.models):
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                assert TOKEN.encode() not in file.read()
    case.run("get", ID, status=1, environment={"HF_TOKEN": "a b\nc"})


def check_secret(case):
    """The token is nowhere but in requests to the hub itself."""
    for where, _, _, headers in case.hub.log:
        assert where == "hub" or "Authorization" not in headers, (where, headers)
    assert TOKEN not in case.err and TOKEN not in case.out
    for at, _, names in os.walk(case.home):
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                assert TOKEN.encode() not in file.read(), name


def with_secrets(case, *options):
    secrets = Secrets(Case.secrets, *options)
    case.bus = secrets.address
    return secrets


def test_kept_token(case):
    case.repo.facts["gated"] = "auto"
    case.hub.token = TOKEN
    for options in ([], ["--locked"]):
        secrets = with_secrets(case, "--item", f"{case.hub.address}={TOKEN}", *options)
        if case.bus is None:
            return "no dbus-daemon"
        try:
            case.hub.log.clear()
            case.run("get", ID, environment={"DBUS_SESSION_BUS_ADDRESS": case.bus})
            case.check_whole()
            check_secret(case)
            case.run("get", ID, "--list", "--json", environment={"DBUS_SESSION_BUS_ADDRESS": case.bus})
            check_secret(case)
            assert any("Authorization" in headers for _, _, _, headers in case.hub.log)
            case.run("remove", ID, "--yes")
            # What is given comes first, and a wrong one is not followed by the kept one.
            case.run("get", ID, status=1, environment={"DBUS_SESSION_BUS_ADDRESS": case.bus, "HF_TOKEN": "hf_wrong"})
            check_secret(case)
        finally:
            secrets.stop()
    return None


def test_kept_for_another(case):
    """A token of another hub is not sent, and who dismisses the dialog is told what to do."""
    case.repo.facts["gated"] = "auto"
    case.hub.token = TOKEN
    port = int(case.hub.address.rsplit(":", 1)[1])
    for options in (["--item", f"http://127.0.0.1:{port + 1}={TOKEN}"], ["--item", f"https://huggingface.co={TOKEN}"],
                    ["--item", f"{case.hub.address}={TOKEN}", "--locked", "--dismissed"],
                    ["--item", f"{case.hub.address}={TOKEN}", "--damaged"]):
        secrets = with_secrets(case, *options)
        if case.bus is None:
            return "no dbus-daemon"
        try:
            case.hub.log.clear()
            case.run("get", ID, status=1, environment={"DBUS_SESSION_BUS_ADDRESS": case.bus})
            case.says("terms", "HF_TOKEN")
            assert not any("Authorization" in headers for _, _, _, headers in case.hub.log), options
        finally:
            secrets.stop()
    return None


def test_kept_not_read(case):
    """A public model is downloaded without a dialog of the store, and a token that is open goes to the hub alone."""
    secrets = with_secrets(case, "--item", f"{case.hub.address}={TOKEN}", "--locked")
    if case.bus is None:
        return "no dbus-daemon"
    try:
        case.run("get", ID, environment={"DBUS_SESSION_BUS_ADDRESS": case.bus})
        case.check_whole()
        assert not any("Authorization" in headers for _, _, _, headers in case.hub.log)
    finally:
        secrets.stop()
    return None


def test_offline(case):
    case.run("get", ID, status=1, environment={"PTERIS_HUB": "http://127.0.0.1:1"})
    case.says("cannot be reached", "network")
    case.run("get", ID, status=1, environment={"PTERIS_HUB": "https://hub.invalid"})
    case.says("hub.invalid cannot be found")
    for address in ("http://huggingface.co", "ftp://127.0.0.1", "https://user:word@huggingface.co", "file:///etc", "x"):
        case.run("get", ID, status=1, environment={"PTERIS_HUB": address})
        case.says("is not the address of a hub")
    case.run("get", ID, environment={"PTERIS_HUB": "", "HF_ENDPOINT": case.hub.address})
    case.check_whole()


def test_no_library(case):
    for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
        with open(os.path.join(case.home, name), "wb"):
            pass
    case.run("get", ID, status=1, environment={"LD_LIBRARY_PATH": case.home})
    case.says("libcurl.so.4", "package manager")


def make_certificate(folder):
    """For 127.0.0.1 and a day; None where there is no openssl to make one."""
    paths = [os.path.join(folder, name) for name in ("key.pem", "certificate.pem")]
    if not shutil.which("openssl"):
        return None
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", paths[0], "-out", paths[1],
                    "-days", "1", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, capture_output=True)
    return paths


def test_tls(case):
    paths = make_certificate(case.home)
    if paths is None:
        return "there is no openssl"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(paths[1], paths[0])
    hub = server.Hub(context)
    hub.repos = case.hub.repos
    case.run("get", ID, status=1, environment={"PTERIS_HUB": hub.address})
    case.says("is not secure", "SSL_CERT_FILE")
    assert hub.log == []
    case.run("get", ID, environment={"PTERIS_HUB": hub.address, "SSL_CERT_FILE": paths[1]})
    case.check_whole()
    # Never from https to anything else, also not on this computer.
    hub.redirect = case.hub.address + "/x"
    case.run("get", ID + ":0_6b-bf16", status=1, environment={"PTERIS_HUB": hub.address, "SSL_CERT_FILE": paths[1]})
    case.says("not secure")
    assert case.hub.log == []
    hub.stop()
    return None


# ---- what a hub should not do

def test_redirects(case):
    case.hub.loop = True
    case.run("get", ID + ":0_6b-bf16", status=1)
    case.says("without an end")
    case.hub.loop = False
    for target in ("http://example.invalid/x", "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:70/x",
                   "http://127.0.0.1.example.invalid/", "http://user@127.0.0.1/x"):
        case.hub.redirect = target
        case.run("get", ID, status=1)
        case.says("not secure")
    case.check_nothing()


def test_hostile_names(case):
    digest = {"size": 3, "oid": server.git_sha1(b"abc"), "type": "file"}
    for path in ("../evil.pte", "/etc/evil.pte", "a/../../evil.pte", "a\\b.pte", "C:/evil.pte", "a\u001bb.pte", "a//b.pte",
                 "./b.pte", "a\u202eb.pte", "", "a\nb"):
        case.repo.extra = [dict(digest, path=path)]
        case.run("get", ID, status=1)
        case.says("honest")
        assert "\x1b" not in case.err
    case.repo.extra = []
    for path in ("..\\evil.pte", "a/..\\..\\evil.pte", "\\\\server\\share\\evil.pte", "c:evil.pte", "\u200b/../evil.pte", "/",
                 "a/\u2066b.pte", "a\u0085b.pte", "../" * 60 + "evil.pte", "a/./b.pte", "\ufeff..\\b.pte"):
        case.repo.extra = [dict(digest, path=path)]
        case.attack("get", ID)
        case.says("honest")
    case.repo.extra = []
    # Looks like a way out, and is none.
    for path in ("\uff0e\uff0e\uff0fevil.pte", "\u2025/evil.pte", "a..\u2215evil.pte"):
        case.hub.repos["a/b"] = server.Repo({path: b"abc"})
        case.attack("get", "a/b", status=0)
        assert list(tree_of(os.path.join(case.models, "a--b"))) == [path]
        shutil.rmtree(case.models)
    for path in ("AUX.pte", "com1.x.pte", "COM\u00b9.pte", "lpt\u00b3.pte", "a/nul /b.pte", "ab:c.pte", "a?.pte", "end./b.pte", "a" * 201 + ".pte",
                 "/".join(["b" * 150] * 3) + ".pte"):
        case.hub.repos["a/b"] = server.Repo({path: b"abc"})
        case.run("get", "a/b", status=1)
        case.says("cannot be stored")
    for paths in (("model.pte", "tokenizer.json", "TOKENIZER.JSON"), ("model.pte", "voices/x", "voices/X"),
                  ("model.pte", "voices/\u00e9", "voices/e\u0301"), ("model.pte", "tokenizer", "tokenizer/x"),
                  ("model.pte", "voices/k", "voices/\u212a"), ("model.pte", "voices/ss", "voices/\u00df")):
        case.hub.repos["a/b"] = server.Repo({path: b"abc" for path in paths})
        case.run("get", "a/b", status=1)
        case.check_nothing()
    assert os.listdir(case.home) in ([], ["models"]), os.listdir(case.home)


def test_strange_lists(case):
    for extra in ({"type": "file", "path": "x.pte", "size": -1, "oid": "0" * 40},
                  {"type": "file", "path": "x.pte", "size": 2 ** 62, "oid": "0" * 40},
                  {"type": "file", "path": "x.pte", "size": "7", "oid": "0" * 40},
                  {"type": "file", "path": "x.pte", "size": 7, "oid": "../../x"},
                  {"type": "file", "path": "x.pte", "size": 7},
                  {"type": "file", "size": 7, "oid": "0" * 40}):
        case.repo.extra = [extra]
        case.run("get", ID, status=1)
        case.says("is not what a hub answers")
    case.repo.extra = ["x", None, 7, {}, {"type": "file"}]
    case.run("get", ID, status=1)
    case.repo.extra = []
    case.repo.facts["sha"] = None
    case.hub.refusals = [(200, [])]
    case.run("get", ID, status=1)
    case.says("JSON")


def test_endless(case):
    case.hub.endless = True
    case.run("get", ID, status=1)
    case.says("longer than")
    case.hub.endless, case.hub.endless_pages = False, True
    case.run("get", ID, status=1)
    case.says("no end")
    case.check_nothing()


def test_floods(case):
    """Answers without an end, and JSON that wants more than its size."""
    for where in ("/revision/", "/tree/"):
        for begin, again in ((b"[", b'{"type": "directory", "path": "a"},'), (b"[" * 4096, b"["), (b'{"a": "', b"x"),
                             (b"", b" "), (b'{"id": ', b"9")):
            case.hub.flood = (where, begin, again)
            case.attack("get", ID)
            case.says("longer than")
    case.hub.flood = ("/api/models", b"[", b'{"id": "a/b"},')
    case.attack("get", ID)
    # A config.json is of use, but nothing depends on it.
    case.hub.flood = ("config.json", b'{"variants": [', b'{"file": "a"},')
    case.attack("get", ID, "--list", status=0)
    case.hub.flood = None
    for text in (b"[" * 100000 + b"]" * 100000, b'{"a":' * 50000, b'{"sha": "' + b"\\u0000" * 40 + b'"}', b"\xff\xfe[",
                 b'{"sha": 1e999999}', b'{"sha": ' + b"9" * 5000 + b"}", b'"' + b"\\ud800" * 1000 + b'"'):
        case.repo.files["0_6b/xnnpack/config.json"] = text
        case.repo.change()
        case.attack("get", ID, "--list", status=0)


def test_million(case):
    """Lists with a million entries: of files, and of folders, which are not kept."""
    digest = server.git_sha1(b"abc")
    case.hub.page = 20000
    case.repo.extra = [{"type": "file", "path": f"f/{i}", "size": 3, "oid": digest} for i in range(60000)]
    case.attack("get", ID)
    case.says("no model")
    case.repo.extra = [{"type": "directory", "path": f"{i}/" + "d" * 300, "oid": digest} for i in range(200000)]
    case.attack("get", ID)
    case.says("its list of files")


def test_lead_away(case):
    """Answers of the hub itself that lead elsewhere."""
    for target in ("file:///etc/passwd", "http://example.invalid/x", "gopher://127.0.0.1/", "ftp://127.0.0.1/",
                   "//example.invalid/x", "HTTP://example.invalid/"):
        case.hub.refusals = [(302, [("Location", target)])]
        case.attack("get", ID)
        case.says("not secure")
    case.hub.refusals = [(302, [("Location", f"/api/models/{ID}/revision/main")])] * 40
    case.attack("get", ID)
    case.says("without an end")
    case.hub.refusals = [(302, [("Location", "/" + "a" * 100000)])]
    case.attack("get", ID)
    case.hub.refusals = [(302, [])]
    case.attack("get", ID)
    case.hub.refusals = []
    case.check_nothing()


def test_wrong_sizes(case):
    """A list whose sizes are not those of the files."""
    path = "0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte"
    right = case.repo.entry(path)["lfs"]
    for size in (10, len(case.repo.files[path]) - 1, len(case.repo.files[path]) + 1, 10 * len(case.repo.files[path])):
        case.repo.lies = {path: {"lfs": dict(right, size=size)}}
        case.attack("get", ID + ":0_6b-8da4w")
        case.check_nothing()
    case.repo.lies = {path: {"lfs": dict(right, oid="0" * 64)}}
    case.attack("get", ID + ":0_6b-8da4w")
    # A pointer instead of the contents.
    case.repo.lies = {}
    case.repo.files[path] = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + right["oid"].encode() + b"\n"
    case.repo.lies = {path: {"lfs": right, "size": right["size"]}}
    case.attack("get", ID + ":0_6b-8da4w")
    case.check_nothing()


def test_links(case):
    """A model's folder may be a link to another disk; deleting it leaves what else is there."""
    outside = os.path.join(case.home, "outside")
    os.makedirs(outside)
    os.makedirs(case.models)
    os.symlink(outside, case.folder)
    with open(os.path.join(outside, "own.txt"), "w", encoding="utf-8") as file:
        file.write("mine")
    case.attack("get", ID + ":0_6b-8da4w", status=0)
    case.attack("remove", "--yes", NAME, status=None)
    assert os.path.exists(os.path.join(outside, "own.txt")), os.listdir(outside)


def test_huge(case):
    """More than any disk has."""
    case.repo.extra = [{"type": "file", "path": "0_6b/xnnpack/huge.ptd", "size": 2 ** 42, "oid": "0" * 40,
                        "lfs": {"oid": "0" * 64, "size": 2 ** 42}}]
    case.run("get", ID + ":0_6b-bf16", status=1)
    case.says("MB left", "Make room")
    assert not case.hub.asked(".ptd")


def test_changed(case):
    """The repository changes between the list and the file."""
    case.hub.change_at = "0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte"
    case.run("get", ID, status=1)
    case.check_nothing()
    case.run("get", ID)
    case.check_whole()


# ---- stopping and going on

def wait_for_bytes(case, process, least):
    for _ in range(2000):
        there = 0
        for at, _, names in os.walk(case.models):
            for name in names:
                try:
                    there += os.path.getsize(os.path.join(at, name))
                except OSError:
                    pass
        if there >= least or process.poll() is not None:
            return
        time.sleep(0.01)


def test_stop(case):
    case.hub.pause, case.hub.piece = 0.05, 8192
    process = case.start("get", ID)
    wait_for_bytes(case, process, 100000)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, (process.returncode, err)
    assert b"kept" in err
    case.check_nothing()
    case.run("models", "--json")
    rows = json.loads(case.out)
    assert [row["task"] for row in rows] == ["unfinished"] and "pteris get " + ID in rows[0]["note"], rows
    case.hub.clear()
    case.run("get", ID)
    case.check_whole()
    assert [headers["Range"] for _, _, _, headers in case.hub.log if "Range" in headers]


def test_hidden_change(case):
    """What has arrived is of another file."""
    case.hub.pause, case.hub.piece = 0.05, 8192
    process = case.start("get", ID)
    wait_for_bytes(case, process, 150000)
    process.kill()
    process.communicate()
    case.hub.clear()
    case.repo.files["0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte"] = noise(700000, 77)
    case.repo.change()
    case.run("get", ID)
    case.check_whole()


def test_damaged_part(case):
    case.hub.pause, case.hub.piece = 0.05, 8192
    process = case.start("get", ID)
    wait_for_bytes(case, process, 150000)
    process.kill()
    process.communicate()
    case.hub.clear()
    staging = [name for name in os.listdir(case.models) if name.endswith(".part")]
    assert len(staging) == 1, staging
    for at, _, names in os.walk(os.path.join(case.models, staging[0], "files")):
        for name in names:
            path = os.path.join(at, name)
            size = os.path.getsize(path)
            with open(path, "r+b") as file:
                file.write(b"\0" * size)
                if name.endswith("tokenizer.json"):
                    file.write(b"x" * 100000)
    case.run("get", ID)
    case.check_whole()


def test_two_at_once(case):
    case.hub.pause, case.hub.piece = 0.2, 8192
    process = case.start("get", ID)
    wait_for_bytes(case, process, 50000)
    case.run("get", ID, status=1)
    case.says("another Pteris")
    case.run("remove", NAME, "--yes", status=1)
    case.says("another Pteris")
    case.hub.pause = 0
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    case.check_whole()


def test_file_limit(case):
    """A disk that takes no file of this size."""
    case.run("get", ID, status=1, restore_signals=False,
             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000)))
    case.says("cannot hold a file of this size")
    case.check_nothing()
    case.run("get", ID)
    case.check_whole()


def test_full_disk(case):
    """On a disk of 1 MB, where one can be mounted."""
    script = ('mount -t tmpfs -o size=1m none "$1" && PTERIS_MODELS="$1" "$2" get "$3" --yes; s=$?; '
              'ls -A "$1" >&2; exit $s')
    os.makedirs(case.models)
    case.hub.repos[ID].files["0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte"] = noise(3000000, 9)
    case.hub.repos[ID].change()
    probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", case.models], capture_output=True)
    if probe.returncode != 0:
        return "no file system can be mounted here"
    result = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", case.models, case.pteris, ID],
                            capture_output=True, env=case.environment(), timeout=PATIENCE_S)
    assert result.returncode == 1 and b"Make room" in result.stderr, result
    assert NAME.encode() not in [line.strip() for line in result.stderr.split(b"\n")], result.stderr
    return None


def test_read_only(case):
    os.makedirs(case.models)
    with open(os.path.join(case.home, "file"), "w", encoding="utf-8"):
        pass
    case.run("get", ID, status=1, environment={"PTERIS_MODELS": os.path.join(case.home, "file", "models")})
    case.says("cannot be written")


# ---- what the command line has no words for

def test_search(case):
    case.hub.repos = {f"owner/model-{number}": case.repo for number in range(5)}
    case.hub.repos["owner/../x"] = case.hub.repos["other/thing"] = case.hub.repos["owner/model-0"]
    case.run("search", "model", program=case.client)
    assert case.out.split() == [f"owner/model-{number}" for number in range(5)], case.out
    case.run("search", "a b&c=d#", program=case.client)
    assert case.hub.log[-1][2].endswith("&search=a%20b%26c%3Dd%23"), case.hub.log[-1]
    for refusal in ((500, []), (200, [])):
        case.hub.refusals = [refusal] * 9
        case.run("search", "model", program=case.client, status=1)


def test_stop_early(case):
    """While the hub, or where it keeps files, says nothing: before the 30 s after which silence is an error."""
    case.hub.slow_start = 60
    case.run("stop", ID, program=case.client)
    assert int(case.out) < 30000, case.out
    case.hub.slow_start, case.hub.pause = 0, 60
    case.run("stop", ID, program=case.client)
    assert int(case.out) < 30000, case.out
    case.hub.pause, case.hub.refusals = 0, [(503, [("Retry-After", "60")])]
    case.run("stop", ID, program=case.client)
    assert int(case.out) < 30000, case.out
    print(f"# stopped after {case.out.strip()} ms")


def test_stall(case):
    case.hub.slow_start = 60
    case.run("stall", ID, program=case.client, status=1)
    case.says("network:", "does not answer")


def test_progress(case):
    case.hub.pause, case.hub.piece, case.hub.breaks = 0.01, 8192, 2
    case.run("progress", ID, program=case.client)
    assert int(case.out) >= 2
    case.check_whole()


# ---- models and remove

def test_models(case):
    with open(os.path.join(os.path.dirname(__file__), "../data/tiny/add_f32/model.pte"), "rb") as file:
        program = file.read()
    case.hub.repos["owner/tiny"] = server.Repo({"xnnpack/tiny_xnnpack_fp32.pte": program, "README.md": b"x"})
    case.run("models")
    assert case.out == "" and "is empty" in case.err
    case.run("get", "owner/tiny")
    os.makedirs(os.path.join(case.models, "own"))
    shutil.copy(os.path.join(os.path.dirname(__file__), "../data/tiny/add_f32/model.pte"), os.path.join(case.models, "own"))
    case.run("models")
    assert "own" in case.out and f"{case.hub.address}/owner/tiny" in case.out, case.out
    case.run("models", "--json")
    rows = json.loads(case.out)
    assert len(rows) == 2, rows
    assert [row["from"] for row in rows].count(None) == 1
    # The folder of a download, and its repository, name the model as well.
    for name in ("tiny_xnnpack_fp32", "owner--tiny", "owner/tiny", "owner--tiny/xnnpack"):
        case.run("inspect", name)
        assert "tiny_xnnpack_fp32.pte" in case.out, case.out
    for name in ("owner/none", "owner/../own", "../models/own", "owner--tiny/none", "/own"):
        case.run("inspect", name, status=1)
        case.says("no model")
    case.run("remove", "owner/tiny", status=2)
    case.says("--yes")
    case.run("remove", "tin", "--yes", status=1)
    case.run("remove", "owner/tiny", "--yes")
    case.run("remove", os.path.join(case.models, "own"), "--yes")
    assert os.listdir(case.models) == [], os.listdir(case.models)


def test_remove(case):
    outside = os.path.join(case.home, "outside")
    os.makedirs(os.path.join(outside, "deep"))
    os.makedirs(case.models)
    os.symlink(outside, os.path.join(case.models, "link"))
    os.makedirs(os.path.join(case.models, "real"))
    os.symlink(outside, os.path.join(case.models, "real", "inner"))
    for wrong in ("..", ".", "", "../outside", outside, "/", ".owner--x.lock"):
        case.run("remove", wrong, "--yes", status=1)
    case.run("remove", "link", "--yes")
    case.run("remove", "real", "--yes")
    assert os.listdir(case.models) == [] and os.listdir(outside) == ["deep"]
    case.hub.pause, case.hub.piece = 0.05, 8192
    process = case.start("get", ID)
    wait_for_bytes(case, process, 50000)
    process.kill()
    process.communicate()
    os.makedirs(os.path.join(case.models, ".x.deleted", "y"))
    case.run("models", "--json")
    assert f"pteris remove {ID}:0_6b-8da4w" in json.loads(case.out)[0]["note"]
    case.run("remove", ID + ":0_6b-bf16", "--yes", status=1)
    case.run("remove", ID + ":0_6b-8da4w", status=2)
    case.run("remove", ID + ":0_6b-8da4w", "--yes")
    case.run("remove", ID, "--yes", status=1)
    left = [name for name in os.listdir(case.models) if not name.endswith(".lock")]
    assert left == [], left


def main():
    pteris, Case.client, Case.secrets, wanted = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    tests = [(name, func) for name, func in sorted(globals().items()) if name.startswith("test_")]
    wanted = wanted or (UNDER_WINE if RUNNER else [])
    tests = [(name, func) for name, func in tests if not wanted or name[5:] in wanted]
    hub = server.Hub()
    failed = False
    print(f"1..{len(tests)}", flush=True)
    for number, (name, func) in enumerate(tests, 1):
        case = Case(pteris, hub)
        start = time.monotonic()
        try:
            skipped = func(case)
            print(f"ok {number} {name[5:]}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
        except Exception as problem:  # pylint: disable=broad-except
            failed = True
            import traceback
            text = "".join(traceback.format_exception(problem)).replace("\n", "\n# ")
            print(f"not ok {number} {name[5:]}\n# {text}", flush=True)
        print(f"# {time.monotonic() - start:.1f} s", flush=True)
        shutil.rmtree(case.home, ignore_errors=True)
    hub.stop()
    return failed


if __name__ == "__main__":
    sys.exit(main())
