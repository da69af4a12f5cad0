"""Compiles the engine to WebAssembly with the C compiler of `ziglang`: the C code that Cython wrote for CPython."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from runpy import run_path

from gamedata import loop_options
from setuptools import Extension
from translate import Linked, linked

from clerestory.engine import GAMES
from clerestory.search.options import SETTLED_VISITS, WIDEST_ERROR

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parent / "wasm"
TRANSLATED = ROOT / "build" / "cython"
CACHE = ROOT / "build" / "zig"
RULES = ("rules", "guide", "inputs", "invariants", "data.tables")
MODULES = {"cathedral": RULES, "duel": (*RULES, "effects", "effect_rules", "uses")}
MEMORY = ("compaction", "pages", "room", "sweep", "tree")
LOOP = ("iteration", "nodes", "playout", "priors", "proof", "run", "sharing")
SEARCH = ("estimates", "table", *(f"memory.{name}" for name in MEMORY), *(f"loop.{name}" for name in LOOP))
COMMON = ("engine.values.net", "tools.bench.loops", *(f"search.{name}" for name in SEARCH))
FROM_PYTHON = {  # variables of C that modules take from Python
    "__pyx_v_10clerestory_6search_4loop_3run_SETTLED_SHARE": SETTLED_VISITS,
    "__pyx_v_10clerestory_6search_9estimates_WIDEST": WIDEST_ERROR,
}
SIZES = {  # of the C types in pyconfig.h that are smaller here
    **dict.fromkeys(("LONG", "VOID_P", "SIZE_T", "UINTPTR_T", "PTHREAD_T"), 4),
    **dict.fromkeys(("TIME_T", "OFF_T"), 8),
}
STACK = 1 << 18  # bytes
# Without bulk memory: it would turn each small copy into an instruction that V8 runs as a call of C++.
TARGET = ["-target", "wasm32-wasi", "-mcpu=mvp+simd128+mutable_globals+sign_ext+nontrapping_fptoint"]
# As for the native engine, no fused multiply-add: equal seeds give equal bits.
COMPILE = [
    *(*TARGET, "-O3", "-g0", "-fno-strict-aliasing", "-ffp-contract=off", "-flto"),
    *("-ffunction-sections", "-fdata-sections"),
    *("-D_WASI_EMULATED_SIGNAL", "-Dsched_yield=yield_nothing", "-DNDEBUG", "-w"),
]
LINK = [*TARGET, "-mexec-model=reactor", "-O3", "-flto", "-s", "-Wl,--gc-sections", "-Wl,--no-entry"]


def compiled(folder: Path) -> list[Path]:
    """Return the WebAssembly module of each game, made in a folder: it is smaller and faster than one of both."""
    require_compiler()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_headers(folder / "python")
    common = write_modules(folder, {**sources(COMMON), "bridge": translate_bridge()})
    return [link(folder, game, common) for game in MODULES]


def link(folder: Path, game: str, common: dict[Path, Linked]) -> Path:
    """Return the module of a game, linked from its own C files and the common ones."""
    own = write_modules(folder, sources(f"engine.{game}.{name}" for name in MODULES[game]))
    begin = write_begin(folder / f"{game}.c", [*common.values(), *own.values()])
    with ThreadPoolExecutor() as pool:
        objects = [*pool.map(partial(compile_one, folder), (*common, *own, begin, SOURCES / "support.c"))]
    exports = [f"-Wl,--export={name}" for name in ("begin", *exported())]
    wasm = folder / f"{game}.wasm"
    zig(*LINK, f"-Wl,-z,stack-size={STACK}", *exports, *map(str, objects), "-o", str(wasm))
    return wasm


def require_compiler() -> None:
    """Raise SystemExit without the compiler."""
    try:
        import ziglang  # noqa: F401
    except ImportError:
        raise SystemExit("the engine cannot be compiled: there is no ziglang; `make engine-wasm` installs it") from None


def zig(*arguments: str) -> None:
    """Run the C compiler, which compiles its C library once. Raises SystemExit where it fails."""
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(CACHE), "ZIG_LOCAL_CACHE_DIR": str(CACHE)}
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise SystemExit(f"the engine cannot be compiled:\n{done.stderr[-4000:]}")


def compile_one(folder: Path, source: Path) -> Path:
    """Return the object file of a C file, which several modules may need."""
    compiled = folder / f"{source.stem}.o"
    if compiled.exists():
        return compiled
    includes = [f"-I{path}" for path in (folder / "python", ROOT / "search", ROOT / "engine" / "values")]
    begin = source.stem.rpartition("_")[2]  # modules of one name have one function that Python would call
    zig(*COMPILE, *includes, f"-DPyInit_{begin}=PyInit_{source.stem}", "-c", str(source), "-o", str(compiled))
    return compiled


def write_headers(folder: Path) -> None:
    """Copy the headers of CPython, with the sizes of types that WebAssembly has."""
    shutil.copytree(sysconfig.get_path("include"), folder)
    shutil.copy(sysconfig.get_config_h_filename(), folder / "pyconfig.h")
    lines = [
        f"#undef {kind}_{name}\n#define {kind}_{name} {size}"
        for name, size in SIZES.items()
        for kind in ("SIZEOF", "ALIGNOF")
    ]
    with (folder / "pyconfig.h").open("a", encoding="utf-8") as config:
        config.write("\n".join(("", *lines, "")))


def sources(modules: Iterable[str]) -> dict[str, Path]:
    """Return the C files that Cython wrote of modules, by dotted name."""
    return {name: TRANSLATED.joinpath(*name.split(".")).with_suffix(".c") for name in modules}


def write_modules(folder: Path, sources: dict[str, Path]) -> dict[Path, Linked]:
    """Write the C code of modules, and return them by their files."""
    options = common_options()
    written = {
        folder / f"{name.replace('.', '_')}.c": linked(source, name, options) for name, source in sources.items()
    }
    for path, module in written.items():
        path.write_text(module.code, "utf-8")
    return written


@cache
def common_options() -> dict[str, str]:
    """Return the options of the loop that all shipped searches have in common, in C."""
    first, *others = (loop_options(GAMES[name], seats) for name in MODULES for seats in GAMES[name].seats)
    same = {name: value for name, value in first.items() if all(other[name] == value for other in others)}
    return {name: repr(int(value) if isinstance(value, bool) else value) for name, value in same.items()}


def write_begin(path: Path, modules: list[Linked]) -> Path:
    """Write a function `begin` that fills the tables of modules."""
    unset = {name for module in modules for name in module.python}
    if unset != set(FROM_PYTHON):
        raise SystemExit(f"variables that Python sets: {', '.join(unset)}; known are {', '.join(FROM_PYTHON)}")
    begins = [module.begin for module in modules if module.begin]
    declared = [f"void {name}(void);" for name in begins] + [f"extern double {name};" for name in FROM_PYTHON]
    calls = [f"    {name}();" for name in begins] + [f"    {name} = {value!r};" for name, value in FROM_PYTHON.items()]
    path.write_text("\n".join((*declared, "void begin(void) {", *calls, "}", "")), "utf-8")
    return path


def translate_bridge() -> Path:
    """Return the C file of the functions that JavaScript calls."""
    source = (SOURCES / "bridge.pyx").relative_to(ROOT)
    extension = Extension("bridge", [str(source)], include_dirs=["search"])
    [translated] = run_path("setup.py")["translate"]([extension])
    return ROOT / translated.sources[0]


def exported() -> list[str]:
    """Return the names of the functions that JavaScript calls."""
    return re.findall(r"^cdef public .*?(\w+)\(", (SOURCES / "bridge.pyx").read_text("utf-8"), re.MULTILINE)
