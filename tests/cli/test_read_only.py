"""A finished run is read without writing to its folder, also while its lock is held."""

import subprocess
import sys
from pathlib import Path

from cli.cases import QUICK, invoke, write_table
from rbhmc._files import lock_folder

# Refuses every write below a folder, as a read-only medium does, and also to the superuser.
SCRIPT = """
import errno, os, sys
folder, things = sys.argv[1:3]
CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod", "os.symlink", "os.link"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT

def refuse(event, args):
    is_change = event in CHANGES or (event == "open" and (args[2] or 0) & WRITING)
    names = (each for each in args[:2] if isinstance(each, str | bytes | os.PathLike))
    paths = [os.path.abspath(each) for each in names]
    if is_change and any(os.fsdecode(path).startswith(folder) for path in paths):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), paths[0])

from cli.cases import invoke, invoke_any
sys.addaudithook(refuse)
assert "Read-only" in invoke_any("report", folder).stderr  # the control
invoke("predict", folder, things, "-o", "places.csv")
invoke("predict", folder, things, "--data", things)
invoke("report", folder, "-o", "report.html")
for format in ("newick", "csv", "linkage", "graphml", "draws"):
    invoke("export", folder, "--format", format, "-o", f"exported.{format}")
print("fine")
"""


def test_reading_needs_no_writing(tmp_path: Path) -> None:
    things = write_table(tmp_path / "things.csv")
    run = tmp_path / "run"
    invoke("fit", things, "--drop", "kind", "-o", run, *QUICK)
    before = sorted((file, file.stat().st_mtime_ns) for file in run.rglob("*"))
    (tmp_path / "copy.csv").write_bytes(things.read_bytes())
    with lock_folder(run / "checkpoints"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(run), str(tmp_path / "copy.csv")],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"PYTHONPATH": str(Path(__file__).parents[1])},
        )
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    after = sorted((file, file.stat().st_mtime_ns) for file in run.rglob("*"))
    assert [each for each in after if each not in before] == []
