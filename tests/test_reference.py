"""docs/reference.md agrees with proto/ and the declarations, and proto/ breaks no client of the baseline."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from tests.parts import missing
from tools.reference import page

ROOT = Path(__file__).parents[1]
BUF = Path(sys.executable).with_name("buf")


def test_the_reference_is_not_stale() -> None:
    assert (ROOT / "docs" / "reference.md").read_text(encoding="utf-8") == page(), "run `make reference`"


def baseline() -> FileDescriptorSet:
    return FileDescriptorSet.FromString((ROOT / "proto" / "baseline.binpb").read_bytes())


def test_every_message_of_the_baseline_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    ours = [file for file in baseline().file if file.package == "clerestory.v1"]
    names = {message.name for file in ours for message in file.message_type}
    assert len(names) > 20
    assert all(f"### {name}\n" in text for name in names)


@pytest.mark.system
def test_a_field_that_changes_its_number_is_caught(tmp_path: Path) -> None:
    if not BUF.exists():
        missing("buf", "make .venv/.lint")
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    shutil.copy(ROOT / "buf.yaml", tmp_path)
    command = [str(BUF), "breaking", "--against", str(ROOT / "proto" / "baseline.binpb")]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    changed = tmp_path / "proto" / "clerestory" / "v1" / "toy.proto"
    text = changed.read_text()
    assert "uint32 round = 1;" in text
    changed.write_text(text.replace("uint32 round = 1;", "uint32 round = 99;"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 100
    assert "toy.proto" in done.stdout
