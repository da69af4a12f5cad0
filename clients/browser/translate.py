"""Turns C code that Cython wrote for CPython into C code that is linked without CPython.

Modules take functions and variables from each other when they are imported, and fill their tables then. Here they are
linked: the exports of a module get external linkage, its imports are declared `extern`, and the C statements of its
import become a function. Code that needs Python remains in the text, but is unreachable, so the linker leaves it out.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

OURS = "10clerestory_"  # in the C names of what belongs to our modules
EXPORTED = re.compile(r"\(void (?:\(\*\)\(void\)|\*)\)&(__pyx_[fv]_\w+)")
IMPORTED_FUNCTION = re.compile(rf"^static (.*)\(\*(__pyx_f_{OURS}\w+)\)(\(.*\)); /\*proto\*/$", re.MULTILINE)
IMPORTED_VARIABLE = re.compile(
    rf"^(static (.*?)(\(?)\*(__pyx_vp_({OURS}\w+))(\)?)(.*) = 0;)\n#define __pyx_v_\5 \(\*\4\)$", re.MULTILINE
)
EXECUTION = re.compile(
    r"^static CYTHON_SMALL_CODE int __pyx_pymod_exec_\w+\(PyObject \*__pyx_pyinit_module\)\n#endif\n\{\n(.*?)"
    r"/\*--- Execution code ---\*/\n(.*?)/\*--- Wrapped vars code ---\*/",
    re.MULTILINE | re.DOTALL,
)
TEMPORARY = re.compile(r"^  (?:static )?(?!PyObject|Py_ssize_t)[^;=(]*?(__pyx_t_\d+)(?:\[\d+\])?;$", re.MULTILINE)
STATEMENT = re.compile(r"^  (?:memcpy\(&)?\(*\*?(__pyx_(?:t_\d+|vp?_\w+))\b.*;$")
CONSTANT = re.compile(r"^  static [^;=]*\b__pyx_carray_\w+\[\d*\] = \{.*\};$")
USED = re.compile(r"__pyx_t_\d+\b(?!_)")
PYTHON = re.compile(r"\bPy|__Pyx_|mstate|__pyx_m\b|__pyx_pyinit|__PYX_ERR|\bgoto\b")
# The tables of a game by what C code calls them: their type, and their variable in the modules of the game.
TABLES = {
    "ops": ("10clerestory_6engine_4core_GameOps", "OPS"),
    "guide": ("10clerestory_6engine_4core_Guide", "GUIDE"),
    "encoder": ("10clerestory_6engine_8encoding_Encoder", "ENCODER"),
    "tables": ("", "cards"),
}
INDIRECT = re.compile(r"\b__pyx_v_(?:\w+->)*(?:\w*_)?(ops|guide|encoder)->(\w+)\(")
OPTION = re.compile(r"\b__pyx_v_search->options\.(\w+)")
SHARED = re.compile(r"\b__pyx_v_search->shared\b(?! = )")  # reads of it only
DECLARATIONS = "/* Module declarations from "


class Linked(NamedTuple):
    """A module that can be linked.

    Attributes:
        code: its C code.
        begin: name of the function that fills its tables; "" if it has none.
        python: its variables whose values come from Python, which the caller has to set.
    """

    code: str
    begin: str
    python: list[str]


def linked(source: Path, name: str, options: Mapping[str, str]) -> Linked:
    """Return the module with a dotted name, given the C file that Cython wrote.

    Args:
        source: the file.
        name: the name.
        options: options of all searches, in C.
    """
    code = with_constants(source.read_text("utf-8"), options)
    statements, temporaries, python = begun(code)
    for exported in set(EXPORTED.findall(code)) | set(python):
        code = re.sub(rf"^static (.*\b{exported}\b)", r"\1", code, flags=re.MULTILINE)
    code = IMPORTED_FUNCTION.sub(r"extern \1\2\3;", code)
    code = with_direct_calls(IMPORTED_VARIABLE.sub(external, code))
    code += "".join(own_tables(code, statements))
    if not statements:
        return Linked(code, "", python)
    begin = f"begin_{name.replace('.', '_')}"
    body = "\n".join((*temporaries, *statements))
    return Linked(f"{code}\nvoid {begin}(void) {{\n{body}\n}}\n", begin, python)


def with_constants(code: str, options: Mapping[str, str]) -> str:
    """Write out options, and that no thread shares a tree, so that the compiler can leave out what never happens."""
    return SHARED.sub("0", OPTION.sub(lambda found: options.get(found[1], found[0]), code))


def with_direct_calls(code: str) -> str:
    """Call the functions of the only game that is linked by their names, so that the compiler can inline them."""
    called = sorted({(found[1], found[2]) for found in INDIRECT.finditer(code)})
    declared = "".join(
        f"extern __typeof__(*((struct __pyx_t_{TABLES[table][0]} *) 0)->{field}) game_{table}_{field};\n"
        for table, field in called
    )
    code = INDIRECT.sub(r"game_\1_\2(", code)
    return code.replace(DECLARATIONS, declared + DECLARATIONS, 1)


def own_tables(code: str, statements: list[str]) -> Iterator[str]:
    """Yield C code that gives access to the tables that a module defines, and names to the functions in them."""
    for table, (_, variable) in TABLES.items():
        if found := re.search(rf"^(?:static )?struct \w+ (__pyx_v_{OURS}\w*_{variable});$", code, re.MULTILINE):
            yield f"\nvoid *game_{table}(void) {{ return &{found[1]}; }}\n"
            yield f"int game_{table}_size(void) {{ return sizeof({found[1]}); }}\n"
            for field, function in functions_in(found[1], statements):
                alias = f'__attribute__((alias("{function}")))'
                yield f"extern __typeof__({function}) game_{table}_{field} {alias};\n"


def functions_in(variable: str, statements: list[str]) -> list[tuple[str, str]]:
    """Return the functions in a table, by field."""
    text = "\n".join(statements)
    filled = re.search(rf"^  {variable} = (__pyx_t_\d+);$", text, re.MULTILINE)
    return re.findall(rf"^  {filled[1]}\.(\w+) = (__pyx_f_\w+);$", text, re.MULTILINE) if filled else []


def external(found: re.Match[str]) -> str:
    """Return the declarations of an imported variable: those of Cython, and an external one for the C code."""
    static, kind, opening, _, name, closing, rest = found.groups()
    assert bool(opening) == bool(closing), static
    return f"{static}\nextern {kind}__pyx_v_{name}{rest};"


def begun(code: str) -> tuple[list[str], list[str], list[str]]:
    """Return the C statements of a module's import, their temporaries, and the variables that they leave to Python."""
    found = EXECUTION.search(code)
    assert found, "no function that executes the module"
    declared = {one[1]: one[0] for one in TEMPORARY.finditer(found[1])}
    known, statements, python = set[str](), list[str](), list[str]()
    for line in found[2].splitlines():
        statement = STATEMENT.match(line)
        if PYTHON.search(line) or not (statement or CONSTANT.match(line)):
            continue
        if statement is None:
            statements.append(line)
            continue
        target = statement[1]
        written = target.startswith("__pyx_t_")
        used = set(USED.findall(line)) - ({target} if written else set())
        if not used <= known or (written and target not in declared):
            python += [] if written else [target]
            continue
        known |= {target} if written else set()
        statements.append(line)
    return statements, [declared[one] for one in declared if one in known], python
