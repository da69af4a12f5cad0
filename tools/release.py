"""Makes the artifacts of a release and checks each: `python -m tools.release OUT PYTHON ...` (`make release-check`).

OUT holds the npm packages already. The source distribution, and a wheel for each PYTHON, are built from this folder.
Then each artifact is installed in an empty environment, where PATH has no compiler, and plays a game: the wheels with
the newest and the lowest versions of their dependencies, the npm packages with Node. All wheels in OUT, also those of
other machines, contain the same files. Licences of all dependencies are compared with a list, their contents are
written as an SBOM, and the time to a first hint is measured. Any fault raises SystemExit or CalledProcessError.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from clerestory import __version__
from tools.wheels import PLAYS, attempt, built, environment, run

ROOT = Path(__file__).parents[1]
NODE_GAME = Path(__file__).with_name("installed.mjs")
MAX_SECONDS = 60.0  # from `pip install` of a wheel to the first hint on the page
NPM = ("clerestory-board", "clerestory-client", "clerestory-engine")
# SPDX identifiers of licences that allow use in software under Apache-2.0, also as packages and classifiers write them.
ALLOWED = re.compile(
    r"\b(Apache|MIT|MIT-0|BSD|0BSD|ISC|PSF|Python-2\.0|Python Software Foundation|MPL-2\.0|Zlib|Unlicense)\b|CC0-1\.0"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("python", nargs="+")
    parser.add_argument("--reuse", action="store_true", help="check the wheels in OUT again, without building any")
    options = parser.parse_args()
    out: Path = options.out.resolve()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        wheels = dict(all_wheels(source(out, folder), out, folder, options.python, reuse=options.reuse))
        for number, (python, wheel) in enumerate(wheels.items()):
            check_wheel(python, wheel, folder / f"check{number}")
        check_same_files(sorted(out.glob(f"clerestory-{__version__}-*.whl")))
        first_python, first_wheel = next(iter(wheels.items()))
        installed = folder / "check0" / "newest"
        check_licences(python_licences(installed))
        write_contents(installed, out)
        check_node(packed(out), installed / "bin", folder / "node")
        check_first_hint(first_python, first_wheel, folder / "timed")
    write_sums(out)


def report(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


# -- artifacts -------------------------------------------------------------------------------------


def source(out: Path, folder: Path) -> Path:
    """Build the source distribution, check what the package index would show, and return it unpacked."""
    subprocess.run([sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", out], cwd=ROOT, check=True)
    archive = out / f"clerestory-{__version__}.tar.gz"
    with tarfile.open(archive) as packed_source:
        packed_source.extractall(folder / "source", filter="data")
    report(f"{archive.name}: {archive.stat().st_size:,} bytes")
    return folder / "source" / f"clerestory-{__version__}"


def all_wheels(
    tree: Path, out: Path, folder: Path, pythons: Iterable[str], *, reuse: bool
) -> Iterator[tuple[str, Path]]:
    """Yield each interpreter with its wheel, built from a source tree or, to `reuse` it, found in the folder."""
    for number, python in enumerate(pythons):
        there = [*out.glob(f"clerestory-{__version__}-{tag_of(python)}-{tag_of(python)}-*.whl")] if reuse else []
        yield python, there[0] if there else built(python, tree, out, folder / f"build{number}")


def tag_of(python: str) -> str:
    """Return the tag of an interpreter in names of wheels: `cp311`."""
    code = "import sys; print('cp{}{}'.format(*sys.version_info))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def packed(out: Path) -> list[Path]:
    """Return the npm packages."""
    found = [out / f"{name}-{__version__}.tgz" for name in NPM]
    if missing := [path.name for path in found if not path.is_file()]:
        raise SystemExit(f"{', '.join(missing)}: not in {out}; run `make release-check`, which packs them")
    return found


# -- checks ----------------------------------------------------------------------------------------


def check_wheel(python: str, wheel: Path, folder: Path) -> None:
    """Install a wheel with the newest and with the lowest versions of its dependencies, and play."""
    folder.mkdir(parents=True)
    constraints = folder / "lowest.txt"
    constraints.write_text("\n".join(lowest()))
    attempt(python, wheel, folder / "newest")
    attempt(python, wheel, folder / "lowest", "--constraint", constraints)
    run([folder / "newest" / "bin" / "pip", "check"], folder / "newest" / "bin")
    report(f"{wheel.name}: plays with the newest and the lowest dependencies")


def lowest() -> list[str]:
    """Return the dependencies of the package, each in its lowest version, as constraints for pip with their markers."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    return [re.sub(r">=([\d.]+)[^;]*", r"==\1", one, count=1) for one in wanted]


def check_same_files(wheels: list[Path]) -> None:
    """Raise SystemExit unless all wheels, those of other platforms included, contain the same files."""
    expected, *others = map(files, wheels)
    for wheel, found in zip(wheels[1:], others, strict=True):
        if odd := sorted(expected ^ found):
            raise SystemExit(f"only one of {wheels[0].name} and {wheel.name} contains {', '.join(odd)}")
    report(f"wheels: {len(wheels)}, each with the same {len(expected)} files")


def files(wheel: Path) -> set[str]:
    """Return the names of the files in a wheel, without the platform in the names of extension modules."""
    with zipfile.ZipFile(wheel) as archive:
        return {re.sub(r"\.cpython-[\w-]+\.so$", ".so", name) for name in archive.namelist() if name[-1] != "/"}


def check_licences(found: dict[str, str]) -> None:
    """Raise SystemExit for a package whose licence is not allowed."""
    if faults := [f"{name}: {licence or 'no licence'}" for name, licence in found.items() if not is_allowed(licence)]:
        raise SystemExit(f"licences that are not allowed: {'; '.join(faults)}")
    report(f"licences of {len(found)} packages: allowed")


def is_allowed(licence: str) -> bool:
    """Return whether each licence of a package is allowed, or one of several to choose from."""
    return all(any(ALLOWED.search(one) for one in part.split(" OR ")) for part in licence.split(" AND "))


def python_licences(env: Path) -> dict[str, str]:
    """Return the licence of each package of a virtual environment."""
    code = (
        "import json; from importlib.metadata import distributions as d;"
        "print(json.dumps({one.name: [one.metadata.get('License-Expression'), one.metadata.get('License'),"
        " [c for c in one.metadata.get_all('Classifier', []) if c.startswith('License')]] for one in d()}))"
    )
    done = subprocess.run([env / "bin" / "python", "-c", code], check=True, capture_output=True, text=True)
    return {name: stated(*facts) for name, facts in json.loads(done.stdout).items()}


def stated(expression: str | None, text: str | None, classifiers: list[str]) -> str:
    """Return the licence of a Python package from its metadata: the expression, else its classifiers, else the text."""
    by_class = " OR ".join(one.rpartition(":: ")[2] for one in classifiers)
    return expression or by_class or (text or "").partition("\n")[0]


def node_licences(folder: Path) -> dict[str, str]:
    """Return the licence of each npm package in a project."""
    found = map(json.loads, (path.read_text("utf-8") for path in folder.glob("node_modules/**/package.json")))
    return {one["name"]: str(one.get("license", "")) for one in found if "name" in one and "version" in one}


def write_contents(env: Path, out: Path) -> None:
    """Write what an environment contains as a software bill of materials (CycloneDX), and check that it is complete."""
    target = out / "clerestory.cdx.json"
    python = str(env / "bin" / "python")
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-file", str(target), python]
    subprocess.run(command, check=True)
    listed = {one["name"].lower() for one in json.loads(target.read_text("utf-8"))["components"]}
    if missing := {name.lower() for name in python_licences(env)} - listed:
        raise SystemExit(f"{target.name} lacks {', '.join(sorted(missing))}")
    report(f"{target.name}: {len(listed)} components")


def check_node(packages: list[Path], own: Path, folder: Path) -> None:
    """Install the npm packages in an empty project, and play: with the engine alone, and on the server of a wheel."""
    folder.mkdir()
    (folder / "package.json").write_text('{"name": "empty", "private": true, "type": "module"}')
    alone = {"PATH": str(Path(sys.executable).parent)}  # Node and npm beside the interpreter, and no compiler
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    names = [str(package) for package in packages]
    subprocess.run(["npm", "install", *quiet, *names], cwd=folder, env=os.environ | alone, check=True)
    check_licences(node_licences(folder))
    shutil.copy(NODE_GAME, folder)
    run([own / "python", "-I", PLAYS, "--serving", "node", NODE_GAME.name], own, alone, folder)


def check_first_hint(python: str, wheel: Path, folder: Path) -> None:
    """Measure the time from an empty environment to the first hint of the server's page. Raises SystemExit if long."""
    own = environment(python, folder, [])
    alone = {"PATH": str(own), "PIP_ONLY_BINARY": ":all:"}
    began = time.monotonic()
    run([own / "pip", "install", "--quiet", wheel], own, alone)
    between = time.monotonic()
    run([own / "python", "-I", PLAYS, "--hint"], own, alone)
    seconds = time.monotonic() - began
    report(f"from `pip install` to a first hint: {seconds:.1f} s, of which installation {between - began:.1f} s")
    if seconds > MAX_SECONDS:
        raise SystemExit(f"the first hint takes more than {MAX_SECONDS:g} s")


def write_sums(out: Path) -> None:
    """Write the SHA-256 of each artifact."""
    artifacts = sorted(path for path in out.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in artifacts]
    (out / "SHA256SUMS").write_text("".join(sums))
    report(f"SHA256SUMS: {len(sums)} artifacts")


if __name__ == "__main__":
    main()
