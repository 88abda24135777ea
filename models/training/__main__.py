"""Trains weights from photos in one command, following the steps of a recipe.

    python -m hupai.models.training --recipe short --device 0
    python -m hupai.models.training --recipe own --photos MY_PHOTOS --out runs/mine

WORK (default data/training, which git ignores) gets all intermediate files: faces/, scenes, crops,
pictures for the detector, and the runs. OUT (default WORK/model) gets the weights with their
registry entry and card; ``hupai models evaluate DIR --model OUT`` measures them. After an
interruption --resume continues with the remaining steps; see docs/training.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from hupai.models.training import recipe as recipes
from hupai.models.training.recipe import RecipeError
from hupai.models.training.steps import PACKAGE, Job


def run(job: Job) -> None:
    """Run all steps that are not done yet; a file in WORK/done marks each completed step.

    Raises:
        subprocess.CalledProcessError: if a step fails; what it wrote is kept.
    """
    done = job.work / "done"
    done.mkdir(parents=True, exist_ok=True)
    (job.work / "recipe.toml").write_bytes(job.file.read_bytes())
    for step in job.steps():
        mark = done / step.name
        if step.name and mark.exists():
            print(f"{step.name}: done before")
            continue
        print(f"{step.name or step.module}: begins", flush=True)
        subprocess.run(step.command(), check=True)
        if step.name:
            mark.touch()


def refusal(job: Job, resume: bool, check_only: bool = False) -> str:
    """Return in one sentence why the job cannot start; empty if it can."""
    missing = job.missing()
    if missing:
        return (
            f"training needs {', '.join(map(str, missing))}: --data names the folder that holds "
            "photos/ (datasets/README.md lists the public sources), and --recipe own --photos DIR "
            "trains on photos of your own (docs/training.md)"
        )
    kept = job.work / "recipe.toml"
    if kept.exists() and not resume:
        return f"{job.work} holds a training already: go on with --resume, or name another WORK"
    if kept.exists() and kept.read_bytes() != job.file.read_bytes():
        return f"{job.work} was begun with another recipe ({kept}): name another WORK"
    if not check_only and (find_spec("ultralytics") is None or find_spec("torch") is None):
        return "training needs the packages of the extra: pip install '.[train]'"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 if it cannot start, 1 if a step failed."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {PACKAGE}",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("work", type=Path, nargs="?", default=Path("data/training"), metavar="WORK")
    add("--recipe", default="short", help="short, full, own, or a TOML file; default short")
    add("--data", "--shared", type=Path, default=Path("../shared"), help="holds photos/ and art/")
    add("--photos", type=Path, nargs="+", help="labelled folders; default DATA/photos/train")
    add("--check", type=Path, help="labelled folder to watch; default DATA/photos/dev if there")
    add("--out", type=Path, help="where the weights go; default WORK/model; models ships them")
    add("--name", help="of the entry; default the recipe's name")
    add("--version", default="1", help="of the weights")
    add("--device", default="cpu", help="cpu, or the number of a GPU")
    add("--resume", action="store_true", help="go on with a training that was stopped")
    add("--short", dest="recipe", action="store_const", const="short", help="--recipe short")
    add("--plan", action="store_true", help="print the steps and do nothing")
    add("--can-begin", action="store_true", help="only say whether the data are there")
    a = parser.parse_args(arguments)
    try:
        file = recipes.find(a.recipe)
        recipe = recipes.read(file)
    except RecipeError as error:
        print(error, file=sys.stderr)
        return 2
    photos = tuple(a.photos or [a.data / "photos" / "train"])
    dev = a.data / "photos" / "dev"
    check = a.check or (dev if dev.is_dir() and not a.photos else None)
    job = Job(
        recipe, file, a.work, a.out or a.work / "model", a.name or file.stem, a.version,
        a.data, photos, check, a.device,
    )  # fmt: skip
    if a.plan:
        for step in job.steps():
            print("python -m", step.module, *step.arguments)
        return 0
    if reason := refusal(job, a.resume, a.can_begin):
        print(reason, file=sys.stderr)
        return 2
    if a.can_begin:
        return 0
    try:
        run(job)
    except subprocess.CalledProcessError as error:
        module = error.cmd[2]
        print(f"{module} failed ({error.returncode}); --resume goes on there", file=sys.stderr)
        return 1
    print(f"weights in {job.out}; measure them: hupai models evaluate DIR --model {job.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
