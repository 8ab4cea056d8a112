# SPDX-License-Identifier: MIT
"""Pack an installed bitter into a wheel: python3 scripts/wheel.py ROOT VERSION

Programs, libraries, guides and man page go where pip has those of an environment: bin/, lib/bitter/ and share/ below its
prefix. Beside the program's library stand those that it needs and that are not part of every Linux, with their
licences among the wheel's. The wheel's name says which glibc it needs: the newest one whose functions any file uses."""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

# The libraries that a manylinux wheel may expect on every system (PEP 600; auditwheel's list).
EVERYWHERE = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "libgcc_s.so")
DATE = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def programs(root):
    return [path for folder in ("bin", "lib") for path in sorted((root / folder).rglob("*")) if path.is_file()]


def package_of(path):
    """Debian's package with this file, which it may know by the path from before /lib became a link to /usr/lib."""
    answer = subprocess.run(["dpkg", "-S", path, path.removeprefix("/usr")], capture_output=True, text=True)
    return answer.stdout.split(":")[0]


def add_libraries(root):
    """Copies into lib/bitter/ the libraries that the loader takes here. Returns their licences by package."""
    needed = {}
    for path in programs(root):
        for name, found in re.findall(r"^\s*(\S+) => (/\S+)", output("ldd", path), re.M):
            if not name.startswith(EVERYWHERE + ("libbitter.so",)):
                needed[name] = found
    licences = {}
    for name, found in sorted(needed.items()):
        shutil.copyfile(found, root / "lib/bitter" / name)
        package = package_of(os.path.realpath(found))
        licences[package] = Path("/usr/share/doc", package, "copyright").read_bytes()
        for common in re.findall(rb"/usr/share/(common-licenses/[\w.-]*\w)", licences[package]):  # licences that it refers to
            licences[common.decode()] = Path("/usr/share", common.decode()).read_bytes()
        print(f"with {name} of {package}")
    return licences


def platform(root):
    """manylinux_2_N_MACHINE: the oldest glibc that has every function which the files use."""
    versions = set()
    for path in programs(root):
        versions.update(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", output("objdump", "-T", path)))
    return f"manylinux_2_{max(versions)}_{os.uname().machine}"


def main(root, version):
    root = Path(root)
    name = f"bitter-{version}"
    files = {f"{name}.dist-info/licenses/LICENSE": Path("LICENSE").read_bytes()}
    for package, text in add_libraries(root).items():
        files[f"{name}.dist-info/licenses/{package}"] = text
    tag = "py3-none-" + platform(root)
    executable = set()
    for path in sorted(root.rglob("*")):
        if path.is_file():
            inside = path.relative_to(root)
            scheme = "scripts" if inside.parts[0] == "bin" else "data"
            inside = inside.name if scheme == "scripts" else inside.as_posix()
            files[f"{name}.data/{scheme}/{inside}"] = path.read_bytes()
            if scheme == "scripts":
                executable.add(f"{name}.data/{scheme}/{inside}")
    files[f"{name}.dist-info/METADATA"] = f"""Metadata-Version: 2.1
Name: bitter
Version: {version}
Summary: Train small GPTs with interchangeable position schemes
License: MIT
Description-Content-Type: text/plain

The program bitter, for a command line; there is nothing to import. `bitter --help` lists its commands.
bitter's own licence is MIT; the libraries that are in the wheel have theirs beside them.
""".encode()
    files[f"{name}.dist-info/WHEEL"] = f"""Wheel-Version: 1.0
Generator: bitter
Root-Is-Purelib: false
Tag: {tag}
""".encode()

    record = f"{name}.dist-info/RECORD"
    rows = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(content)}\n")
    files[record] = "".join(rows + [f"{record},,\n"]).encode()

    wheel = f"{name}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.external_attr = (0o100755 if path in executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(f"{wheel}: {os.path.getsize(wheel) / 1e6:.1f} MB")


main(*sys.argv[1:])
