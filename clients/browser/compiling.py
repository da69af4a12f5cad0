"""Compiles the engine to WebAssembly with the C compiler of `ziglang`: the C code that Cython wrote for CPython."""

import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from runpy import run_path

from setuptools import Extension
from translate import linked

from clerestory.search.lines import WIDEST_ERROR
from clerestory.search.options import SETTLED_VISITS

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parent / "wasm"
TRANSLATED = ROOT / "build" / "cython"
RULES = ("rules", "guide", "inputs", "invariants", "tables")
MODULES = (
    *(f"engine.cathedral.{name}" for name in RULES),
    *(f"engine.duel.{name}" for name in (*RULES, "effects", "effect_rules", "uses")),
    *("engine.net", "engine.speed"),
    *(
        f"search.{name}"
        for name in """
            compaction estimates iteration nodes pages playout priors proof room run sharing sweep table tree
        """.split()
    ),
)
FROM_PYTHON = {  # variables of C that modules take from Python
    "__pyx_v_10clerestory_6search_3run_SETTLED_SHARE": SETTLED_VISITS,
    "__pyx_v_10clerestory_6search_9estimates_WIDEST": WIDEST_ERROR,
}
SIZES = {  # of the C types in pyconfig.h that are smaller here
    **dict.fromkeys(("LONG", "VOID_P", "SIZE_T", "UINTPTR_T", "PTHREAD_T"), 4),
    **dict.fromkeys(("TIME_T", "OFF_T"), 8),
}
STACK = 1 << 18  # bytes
# As for the native engine, no fused multiply-add: equal seeds give equal bits.
COMPILE = [
    *("-target", "wasm32-wasi", "-O3", "-g0", "-fno-strict-aliasing", "-ffp-contract=off", "-flto"),
    *("-ffunction-sections", "-fdata-sections", "-msimd128", "-mbulk-memory"),
    *("-D_WASI_EMULATED_SIGNAL", "-Dsched_yield=yield_nothing", "-DNDEBUG", "-w"),
]
LINK = ["-target", "wasm32-wasi", "-mexec-model=reactor", "-O3", "-flto", "-s", "-Wl,--gc-sections", "-Wl,--no-entry"]


def compiled(folder: Path) -> Path:
    """Return the WebAssembly module of both games, made in a folder."""
    require_compiler()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_headers(folder / "python")
    sources = [*write_modules(folder), SOURCES / "support.c"]
    with ThreadPoolExecutor() as pool:
        objects = [*pool.map(lambda source: compile_one(source, folder), sources)]
    wasm = folder / "engine.wasm"
    exports = [f"-Wl,--export={name}" for name in ("begin", *exported())]
    zig(*LINK, f"-Wl,-z,stack-size={STACK}", *exports, *map(str, objects), "-o", str(wasm))
    return wasm


def require_compiler() -> None:
    """Raise SystemExit without the compiler."""
    try:
        import ziglang  # noqa: F401
    except ImportError:
        raise SystemExit("the engine cannot be compiled: there is no ziglang; `make engine-wasm` installs it") from None


def zig(*arguments: str) -> None:
    """Run the C compiler. Raises SystemExit where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the engine cannot be compiled:\n{done.stderr[-4000:]}")


def compile_one(source: Path, folder: Path) -> Path:
    """Return the object file of a C file."""
    compiled = folder / f"{source.stem}.o"
    includes = [f"-I{path}" for path in (folder / "python", ROOT / "search", ROOT / "engine")]
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


def write_modules(folder: Path) -> list[Path]:
    """Write the C code of all modules, and a function `begin` that fills their tables; return the files."""
    begins, unset, paths = [], [], []
    sources = {name: TRANSLATED.joinpath(*name.split(".")).with_suffix(".c") for name in MODULES}
    for name, source in {**sources, "bridge": translate_bridge()}.items():
        module = linked(source, name)
        begins += [module.begin] if module.begin else []
        unset += module.python
        paths.append(folder / f"{name.replace('.', '_')}.c")
        paths[-1].write_text(module.code, "utf-8")
    if set(unset) != set(FROM_PYTHON):
        raise SystemExit(f"variables that Python sets: {', '.join(unset)}; known are {', '.join(FROM_PYTHON)}")
    return [*paths, write_begin(folder / "begin.c", begins)]


def write_begin(path: Path, begins: list[str]) -> Path:
    """Write the function that fills the tables of all modules."""
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
