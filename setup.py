"""The build steps that pyproject.toml cannot express: generated declarations, links for Cython, and the gRPC stubs.

Cython finds a .pxd by its dotted name, so the folders are linked into a tree with the layout of the installed package.
Set CLERESTORY_BUILD=checked for bounds checks, ASan and UBSan. Any other value, such as "watched" with other CFLAGS,
keeps the build output separate.
"""

import ast
import os
import shutil
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from runpy import run_path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.modified import newer_group

ROOMS = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["clerestory"]["rooms"]
GENERATED = {"clerestory.page": "clients/web/dist", "clerestory.v1": "build/stubs/clerestory/v1"}
DOCUMENTS = {"clerestory.docs": "docs"}
SHARED = "clerestory._cyutility"  # code that Cython would otherwise put into every module, such as memory views
PACKAGES = Path("build/packages")  # tree in which Cython finds each .pxd by its dotted name: links, and generated files
STUBS = Path("build/stubs/clerestory")
PAGE = Path("clients/web/dist/index.html")
BUILD = os.environ.get("CLERESTORY_BUILD", "plain")
CHECKED = BUILD == "checked"
TRANSLATED = "build/cython-checked" if CHECKED else "build/cython"
EXTENSIONS = Path("build/extensions", BUILD)  # compiled modules, by package
C_TYPES = {"bool": "bint", "int": "int", "float": "double"}
# No fused multiply-add: equal seeds give equal bits on every machine.
FLAGS = ["-O3", "-g0", "-fno-strict-aliasing", "-ffp-contract=off", "-Wall", "-Wno-unused-function"]
# Outside the loops of rules and search, -O3 gains nothing but takes the compiler twice as long.
COLD = {"_cyutility", "codes", "constants", "core", "counts", "estimates", "invariants", "ismcts"}
COLD |= {"state", "tables", "value"}
SANITIZE = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]


def packages() -> dict[str, Path]:
    """Return the folder of every shipped package of code, by name."""
    found: dict[str, Path] = {}
    for room in ROOMS:
        folder = Path(room["folder"])
        if folder.is_dir() and room.get("shipped", True):
            top = room.get("package", ".".join(("clerestory", *folder.parts)))
            inner = [path.parent for path in folder.rglob("__init__.py") if "node_modules" not in path.parts]
            found |= {".".join((top, *path.relative_to(folder).parts)): path for path in inner}
    return found


def extensions() -> list[Extension]:
    """Return an extension for every .pyx of the packages, and one for their shared code."""
    sources = [(f"{name}.{source.stem}", source) for name, path in packages().items() for source in path.glob("*.pyx")]
    modules = [extension(name, source) for name, source in sorted(sources)]
    return [extension(SHARED, Path("common", SHARED.rpartition(".")[2]).with_suffix(".c")), *modules]


def translate(modules: list[Extension]) -> list[Extension]:
    """Return the extensions with C sources, translated from Cython where the Cython sources are newer."""
    Options.warning_errors = True
    link_packages()
    write_counts()
    write_loop_options()
    return cythonize(
        modules,
        include_path=[str(PACKAGES)],
        build_dir=TRANSLATED,
        nthreads=os.cpu_count(),
        force=is_outdated(modules),
        shared_utility_qualified_name=SHARED,
        emit_linenums=CHECKED,
        compiler_directives={
            "language_level": 3,
            "boundscheck": CHECKED,
            "wraparound": False,
            "cdivision": not CHECKED,
            "embedsignature": True,
        },
    )


def write_counts() -> None:
    """Write the number of cards in each list of the shipped catalogues, for the C code of games with a counts.pyx."""
    for module in Path("engine").glob("*/data/counts.pyx"):
        tables = tomllib.loads((module.parents[1] / "catalogue.toml").read_text("utf-8"))
        counts = {name: len(cards) for name, cards in tables.items() if isinstance(cards, list)}
        lines = [f"    NUM_{name.upper()} = {count}\n" for name, count in counts.items()]
        header = '# cython: language_level=3\n"""Cards in each list of catalogue.toml, counted by setup.py."""\n\n'
        write_declarations(module.with_suffix(".pxd"), "".join([header, "cpdef enum:\n", *lines]))


def write_loop_options() -> None:
    """Generate the C struct of the options used in the search loop from the Python class."""
    module = Path("search/options.py")
    source = module.read_text("utf-8")
    [fields] = [node.body for node in ast.parse(source).body if getattr(node, "name", "") == "InLoop"]
    pairs = [(ast.unparse(one.annotation), ast.unparse(one.target)) for one in fields if isinstance(one, ast.AnnAssign)]
    header = '# cython: language_level=3\n"""Options for the loop of a search, made by setup.py from InLoop."""\n\n'
    struct = "".join(f"    {C_TYPES[kind]} {name}\n" for kind, name in pairs)
    write_declarations(Path("search/loop/loop_options.pxd"), f"{header}cdef struct LoopOptions:\n{struct}")


def write_declarations(module: Path, made: str) -> None:
    """Write a generated .pxd unless it is up to date: rewriting it would recompile everything that depends on it."""
    there = PACKAGES / "clerestory" / module
    if not there.is_file() or there.read_text("utf-8") != made:
        there.write_text(made, "utf-8")


def extension(name: str, source: Path) -> Extension:
    """Describe how to compile one module."""
    folders = [folder for folder in source.parents if any(folder.glob("*.h"))]  # a folder sees the headers above it
    headers = sorted(str(header) for folder in folders for header in folder.glob("*.h"))
    return Extension(
        name,
        [str(source)],
        include_dirs=[*map(str, folders)],
        depends=[*headers, "setup.py"],
        extra_compile_args=FLAGS + (SANITIZE if CHECKED else ["-O1"] if source.stem in COLD else []),
        extra_link_args=SANITIZE if CHECKED else [],
    )


def is_outdated(modules: list[Extension]) -> bool:
    """Whether modules were translated before this file changed; Cython itself does not check its options."""
    changed = Path("setup.py").stat().st_mtime
    translated = (Path(TRANSLATED, module.sources[0]).with_suffix(".c") for module in modules)
    return any(path.exists() and path.stat().st_mtime < changed for path in translated)


def link_packages() -> None:
    """Link the Cython sources into the layout of the installed package."""
    for link in PACKAGES.rglob("*.p*"):
        if not link.exists():
            link.unlink()
    for name, folder in packages().items():
        there = PACKAGES.joinpath(*name.split("."))
        there.mkdir(parents=True, exist_ok=True)
        for source in (folder / "__init__.py", *folder.glob("*.pxd"), *folder.glob("*.pyx")):
            link = there / source.name
            if not (link.exists() and link.samefile(source)):  # another checkout's, if the build folder was copied
                link.unlink(missing_ok=True)
                link.symlink_to(source.resolve())


def write_stubs() -> None:
    """Generate the Python stubs and descriptors of proto/clerestory; the stubs of google.rpc come from a library."""
    from grpc_tools import protoc

    shutil.rmtree(STUBS, ignore_errors=True)
    STUBS.parent.mkdir(parents=True, exist_ok=True)
    out = str(STUBS.parent)
    # protoc looks for its plugins on PATH; without build isolation they lie beside the interpreter.
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    arguments = ["protoc", "-Iproto", f"-I{files('grpc_tools') / '_proto'}"]
    arguments += [f"--{kind}={out}" for kind in ("python_out", "grpc_python_out", "mypy_out", "mypy_grpc_out")]
    arguments += ["--include_source_info", f"--descriptor_set_out={STUBS.parent / 'described.binpb'}"]
    if protoc.main(arguments + sorted(str(path) for path in Path("proto/clerestory").rglob("*.proto"))):
        raise SystemExit("the stubs of proto/ could not be made")
    (STUBS / "v1" / "__init__.py").write_text('"""The messages and services of clerestory.v1, made from proto/."""\n')
    (STUBS / "v1" / "py.typed").touch()
    (STUBS.parent / "described.binpb").replace(STUBS / "v1" / "described.binpb")  # protoc makes no folder for it


class BuildExt(build_ext):
    """build_ext that translates Cython first, and compiles only what has changed.

    An editable install builds in a new folder, where setuptools would compile every module again.
    """

    def finalize_options(self) -> None:
        """Translate, then continue."""
        self.distribution.ext_modules = translate(extensions())
        super().finalize_options()

    def build_extension(self, ext: Extension) -> None:
        """Compile a module, or copy it where it is up to date."""
        built = Path(self.get_ext_fullpath(ext.name))
        kept = EXTENSIONS / built.relative_to(self.build_lib)
        if newer_group([*ext.sources, *ext.depends], str(kept), "newer"):
            super().build_extension(ext)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(built, kept)
        else:
            built.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(kept, built)


class BuildPy(build_py):
    """build_py that generates the stubs before it looks for modules, and includes the page for browsers."""

    def finalize_options(self) -> None:
        """Generate the stubs, and build the page if it is missing and can be built, then continue."""
        write_stubs()
        page = run_path("clients/web/build.py")
        if not PAGE.is_file() and page["has_tools"]():
            page["main"]()
        if not PAGE.is_file():
            self.distribution.packages.remove("clerestory.page")
        super().finalize_options()


class Sdist(sdist):
    """sdist that always includes the page, so that building from it needs no Node."""

    def run(self) -> None:
        """Build the page, then continue."""
        run_path("clients/web/build.py")["main"]()
        super().run()


OPTIONS = {"build_ext": {"parallel": os.cpu_count()}}
if CHECKED:
    OPTIONS["build"] = {"build_base": "build/base-checked"}  # keeps its objects separate from those of a plain build

if __name__ == "__main__":  # translation processes may import this file
    commands = {"build_ext": BuildExt, "build_py": BuildPy, "sdist": Sdist}
    folders = {name: str(folder) for name, folder in packages().items()} | GENERATED | DOCUMENTS
    setup(packages=[*folders], package_dir=folders, ext_modules=extensions(), cmdclass=commands, options=OPTIONS)
