"""Collects the pages of the site, for `make docs`: the documents, a list of the decisions, and pages of the API.

Documents are copied with the files that they link to. Pages keep their places relative to each other, so their links
work. An API page lists the exported names of a package, each described where it is defined: in Python by mkdocstrings,
in TypeScript by typedoc.
"""

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "docs"
PAGES = "*.md docs/**/*.md engine/*/RULES.md clients/*/README.md clients/examples/*/README.md examples/*.md"
LINK = re.compile(r"\[((?:[^][]|\[[^]]*\])*)\]\(([^)#\s]+)([^)\s]*)\)")
API = {  # name of the page -> its package, the package's folder, and its title
    "clients": ("clerestory.clients", "clients/python", "The Python client"),
    "engine": ("clerestory.engine", "engine", "The rules in Python"),
    "search": ("clerestory.search", "search", "The search in Python"),
    "analysis": ("clerestory.server.analysis", "server/analysis", "Analysis in Python"),
    "envs": ("clerestory.envs", "clients/envs", "Environments in Python"),
}
TYPEDOC = Path(__file__).with_name("typedoc")  # its settings, with the entry points of the npm packages


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    for pattern in PAGES.split():
        for page in ROOT.glob(pattern):
            copy_page(page)
    (OUT / "docs" / "decisions" / "README.md").write_text(list_of_decisions(), "utf-8")
    for name, (package, folder, title) in API.items():
        target = OUT / "api" / f"{name}.md"
        target.parent.mkdir(exist_ok=True)
        target.write_text(api_page(package, ROOT / folder, title), "utf-8")


def copy_page(page: Path) -> None:
    """Copy a page, and the files that it links to; links to folders become text, because a site has no folders."""
    text = page.read_text("utf-8")
    for _, target, _ in LINK.findall(text):
        there = page.parent / target
        if ":" not in target and there.is_file() and there.suffix != ".md":
            placed(there)
    placed(page).write_text(
        LINK.sub(lambda link: link[1] if (page.parent / link[2]).is_dir() else link[0], text), "utf-8"
    )


def placed(path: Path) -> Path:
    """Copy a file to its place in the site, and return that."""
    target = OUT / path.resolve().relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    return target


def list_of_decisions() -> str:
    """Return a page that lists the decisions by their titles."""
    pages = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    titles = (page.read_text("utf-8").partition("\n")[0].removeprefix("# ") for page in pages)
    return "# Decisions\n\n" + "".join(f"- [{title}]({page.name})\n" for page, title in zip(pages, titles, strict=True))


def api_page(package: str, folder: Path, title: str) -> str:
    """Return the page of a package's exported names."""
    names = (f"::: {home}.{name}\n" for name, home in exported(folder))
    return "\n".join([f"# {title}\n\nThe names of `{package}`.\n", *names])


def exported(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the exported names of a package, from the imports in its stub, with the modules that define them."""
    tree = ast.parse((folder / "__init__.pyi").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("clerestory."):
            yield from ((alias.name, node.module) for alias in node.names)


def write_typescript() -> None:
    """Write a page for each entry point of the npm packages; their tools and messages are those of the page."""
    page = run_path(str(ROOT / "clients" / "web" / "build.py"))
    for step in ("install", "write_messages", "write_texts"):
        page[step]()
    program = TYPEDOC / "node_modules" / "typedoc" / "bin" / "typedoc"
    if not program.exists():
        page["run"]("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", folder=TYPEDOC)
    target = OUT / "api" / "typescript"
    page["run"]("node", str(program), "--out", str(target), folder=TYPEDOC)
    (target / "README.md").unlink()  # a list of the pages, which the navigation has


if __name__ == "__main__":
    main()
    write_typescript()
