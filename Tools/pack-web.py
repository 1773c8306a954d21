"""Puts the pages and the core into Web/dist: a build id, compressed twins, and sizes under budget.

usage: pack-web.py WEB DIST CORE

The build id is the hash of everything that is packed. The budgets are of bytes as brotli sends them
where there is `brotli`, else of gzip, which is larger.
"""
import gzip
import hashlib
import os
import shutil
import subprocess
import sys

KINDS = (".html", ".js", ".css", ".svg", ".webmanifest")
CORE_BUDGET = 240_000
FIRST_LOAD_BUDGET = 300_000


def files(web, dist):
    """What is packed, by its path below the pages."""
    found = {}
    for folder, folders, names in os.walk(web):
        folders[:] = sorted(name for name in folders if os.path.join(folder, name) != dist)
        for name in sorted(names):
            if name.endswith(KINDS):
                path = os.path.join(folder, name)
                found[os.path.relpath(path, web)] = open(path, "rb").read()
    return found


def with_build(packed, build):
    """The same with the build id, and the shell's files in the service worker."""
    shell = sorted(path for path in packed if path not in ("service-worker.js", "index.html"))
    listed = ",\n  ".join(f'"./{path}"' for path in shell)
    changes = {
        "index.html": [('data-build="development"', f'data-build="{build}"')],
        "build.js": [('build = "development"', f'build = "{build}"')],
        "service-worker.js": [
            ('build = "development"', f'build = "{build}"'),
            ('shell = ["./"]', f'shell = [\n  "./",\n  {listed},\n]'),
        ],
    }
    for path, pairs in changes.items():
        text = packed[path].decode()
        for before, after in pairs:
            if before not in text:
                sys.exit(f"web: {path} has no {before!r} to write the build into")
            text = text.replace(before, after)
        packed[path] = text.encode()


def compressed(path, data):
    """Writes the twins beside a file, and gives the size of the smallest."""
    with open(path + ".gz", "wb") as out:
        out.write(gzip.compress(data, 9, mtime=0))
    smallest = os.path.getsize(path + ".gz")
    if shutil.which("brotli"):
        subprocess.run(["brotli", "-q", "11", "-k", "-f", path], check=True)
        smallest = os.path.getsize(path + ".br")
    return smallest


def main():
    web, dist, core = sys.argv[1:]
    packed = files(web, dist)
    packed["core.wasm"] = open(core, "rb").read()
    hashed = hashlib.sha256()
    for path in sorted(packed):
        hashed.update(path.encode() + b"\0" + hashlib.sha256(packed[path]).digest())
    with_build(packed, hashed.hexdigest()[:16])
    shutil.rmtree(dist, ignore_errors=True)
    sizes = {}
    for path, data in packed.items():
        target = os.path.join(dist, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as out:
            out.write(data)
        sizes[path] = compressed(target, data)
    total = sum(sizes.values())
    print(f"web: core {len(packed['core.wasm'])} bytes, {sizes['core.wasm']} compressed;"
          f" first load {total} compressed, {len(packed)} files in {dist}")
    for name, size, budget in (
        ("the core", sizes["core.wasm"], CORE_BUDGET),
        ("the first load", total, FIRST_LOAD_BUDGET),
    ):
        if size > budget:
            sys.exit(f"web: {name} takes {size} bytes compressed, more than {budget}")


main()
