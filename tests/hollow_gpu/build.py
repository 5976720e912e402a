# SPDX-License-Identifier: Apache-2.0
"""Builds the libraries of a hollow GPU for the PyTorch of the Python that runs this.

Usage: build.py FOLDER

Leaves runtime.so, to be loaded before all others, libcuda.so.1 and libnvidia-ml.so.1 in
the folder. Of the hundreds of functions that PyTorch takes from CUDA and its libraries,
runtime.cc and driver.cc have those that have something to say; the others are made here.
"""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
PREFIXES = ("cuda", "__cuda", "cublas", "cudnn", "cusolver", "cusparse")
COMPILE = ["g++", "-std=c++20", "-O1", "-fPIC"]


def folder_of(package):
    return Path(find_spec(package).submodule_search_locations[0])


def headers():
    """Those of the CUDA that PyTorch is for; what that package lacks, Triton has."""
    folders = [*folder_of("nvidia").glob("cu*/include"),
               folder_of("triton") / "backends/nvidia/include"]
    return [f"-I{folder}" for folder in folders]


def symbols(library, kind):
    """The names that a library or an object file has, or asks for."""
    option = ["--dynamic"] if ".so" in library.name else []
    lines = subprocess.run(["nm", *option, f"--{kind}-only", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines}


def made(name):
    """A function that succeeds."""
    if name.endswith(("String", "Name")):
        return f'const char* {name}() {{ return "hollow"; }}'
    if "Create" in name:
        return f"int {name}(void** made) {{ static char it[4096]; *made = it; return 0; }}"
    return f"int {name}() {{ return 0; }}"


def asked_for():
    """Of the runtime and of the libraries on it."""
    libraries = (folder_of("torch") / "lib").glob("lib*torch*.so")
    names = set().union(*(symbols(library, "undefined") for library in (
        *libraries, folder_of("torch") / "lib/libc10_cuda.so")))
    return {name for name in names if name.startswith(PREFIXES)}


def of_the_driver():
    """In all their versions."""
    text = subprocess.run(["g++", "-E", "-x", "c++", *headers(), "-"], check=True,
                          input="#include <cuda.h>", capture_output=True,
                          text=True).stdout
    names = set(re.findall(r"\bCUresult\s+(cu\w+)\(", text))
    plain = {re.sub(r"_v\d+$", "", name) for name in names}
    return names | plain | {f"{name}_v2" for name in plain}


def of_the_monitor():
    """What is asked for by name."""
    text = (folder_of("torch") / "lib/libc10_cuda.so").read_bytes()
    return {name.decode() for name in re.findall(rb"\bnvml[A-Z]\w+", text)}


def build(folder, output, names, sources=(), options=()):
    """One library, of sources and of what is made for those of the names that they do not
    have."""
    there = []
    for source in sources:
        there.append(folder / f"{source.stem}.o")
        subprocess.run([*COMPILE, "-c", *headers(), source, "-o", there[-1]],
                       check=True)
    missing = names.difference(*(symbols(one, "defined") for one in there))
    rest = folder / f"{output}.cc"
    rest.write_text('extern "C" {\n' + "\n".join(map(made, sorted(missing))) + "\n}\n",
                    encoding="utf-8")
    # The compiler knows some of them, as others.
    subprocess.run([*COMPILE, "-w", "-fno-builtin", "-shared", *there, rest, "-ldl",
                    *options, "-o", folder / output], check=True)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    build(folder, "runtime.so", asked_for(), [HERE / "runtime.cc"])
    for name, names, sources in (
            ("libcuda.so.1", of_the_driver(), [HERE / "driver.cc"]),
            ("libnvidia-ml.so.1", of_the_monitor(), [])):
        build(folder, name, names, sources, [f"-Wl,-soname,{name}"])


if __name__ == "__main__":
    main()
