"""Turns C code that Cython wrote for CPython into C code that is linked without CPython.

Modules take functions and variables from each other when they are imported, and fill their tables then. Here they are
linked: what a module exports gets external linkage, what it imports is declared `extern`, and the C statements of its
import become a function. Everything that needs Python stays in the text, is reached by nothing, and is left out by the
linker.
"""

import re
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


def linked(source: Path, name: str) -> Linked:
    """Return the module with a dotted name, given the C file that Cython wrote."""
    code = source.read_text("utf-8")
    statements, temporaries, python = begun(code)
    for exported in set(EXPORTED.findall(code)) | set(python):
        code = re.sub(rf"^static (.*\b{exported}\b)", r"\1", code, flags=re.MULTILINE)
    code = IMPORTED_FUNCTION.sub(r"extern \1\2\3;", code)
    code = IMPORTED_VARIABLE.sub(external, code)
    if not statements:
        return Linked(code, "", python)
    begin = f"begin_{name.replace('.', '_')}"
    body = "\n".join((*temporaries, *statements))
    return Linked(f"{code}\nvoid {begin}(void) {{\n{body}\n}}\n", begin, python)


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
