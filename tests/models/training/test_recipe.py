"""The recipes and the command that carries them out; what a step does itself is not tested here."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hupai.models import registry
from hupai.models.training import __main__ as training
from hupai.models.training import recipe as recipes
from hupai.models.training.recipe import RecipeError
from hupai.models.training.steps import Job

NAMES = sorted(path.stem for path in recipes.FOLDER.glob("*.toml"))


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for part in ("images", "labels"):
        (tmp_path / "photos" / part).mkdir(parents=True)
    return tmp_path / "photos"


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Collect the programs of the steps instead of running them; faces are drawn."""
    seen: list[list[str]] = []

    def run(command: list[str], check: bool) -> None:
        assert check
        seen.append(command)
        if "hupai.datasets.faces.from_sources" in command:
            (Path(command[3]) / "drawn-000").mkdir(parents=True)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(training, "find_spec", lambda _: True)
    return seen


def test_the_recipes_that_the_documents_name_are_there() -> None:
    assert {"short", "full", "own"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_a_step_needs_comes_from_a_step_before(name: str, tmp_path: Path) -> None:
    file = recipes.find(name)
    data = tmp_path / "data"
    job = Job(
        recipes.read(file),
        file,
        tmp_path / "work",
        tmp_path / "out",
        name,
        "1",
        data,
        (data / "photos" / "train",),
        None,
        "cpu",
    )
    steps = list(job.steps())
    names = [step.name for step in steps if step.name]
    assert len(set(names)) == len(names)
    known = [data, registry.FOLDER, file]
    for step in steps:
        paths = [word for word in step.arguments if isinstance(word, Path)]
        new = {path for path in paths if not any(path.is_relative_to(one) for one in known)}
        assert len(new) <= 1, f"{step.name or step.module} reads one of {new} before it is there"
        known += new


def test_without_photos_one_sentence_states_what_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert training.main([str(tmp_path / "work"), "--data", str(tmp_path / "nowhere")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(tmp_path / "nowhere" / "photos" / "train" / "images") in said
    assert "docs/training.md" in said


def test_a_training_on_own_photos_runs_its_steps_and_resumes(
    photos: Path, tmp_path: Path, commands: list[list[str]]
) -> None:
    arguments = [str(tmp_path / "work"), "--recipe", "own", "--photos", str(photos)]
    arguments += ["--out", str(tmp_path / "mine"), "--device", "0"]
    assert training.main(arguments) == 0
    assert any("--faces" in c and c[-1].endswith("drawn-000") for c in commands)
    trained = [c for c in commands if c[2].endswith(".train")]
    assert [c[c.index("--device") + 1] for c in trained] == ["0", "0"]
    assert commands[-1][commands[-1].index("--model") + 1] == str(tmp_path / "mine")

    first = len(commands)
    assert training.main(arguments) == 2, "there is a training already"
    assert training.main([*arguments, "--resume"]) == 0
    again = [c[2] for c in commands[first:]]
    assert again.count("hupai.models.training.export") == 1
    assert not [name for name in again if name.endswith(".train")]
    other = ["--recipe", "short", "--data", str(tmp_path)]
    assert training.main([str(tmp_path / "work"), *other, "--resume"]) == 2


def test_a_step_that_fails_ends_the_training_without_its_mark(
    photos: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(command: list[str], check: bool) -> None:
        raise subprocess.CalledProcessError(3, command)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(training, "find_spec", lambda _: True)
    arguments = [str(tmp_path / "work"), "--recipe", "own", "--photos", str(photos)]
    assert training.main(arguments) == 1
    assert "from_sources failed (3)" in capsys.readouterr().err
    assert not list((tmp_path / "work" / "done").iterdir())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("about = 1", "about"),
        (
            'about = "x"\nstyles = 1\ncalibration = [2]\n[[scenes]]\nseed = 1\ncount = 5\n',
            "no scenes of seed 2",
        ),
        (
            'about = "x"\nstyles = 1\ncalibration = [1]\n[[scenes]]\nseed = 1\ncount = 5\n',
            "both networks need a round",
        ),
        (
            'about = "x"\nstart = "shipped"\nstyles = 1\ncalibration = [1]\n[[scenes]]\nseed = 1\n'
            'count = 5\n[[classifier]]\nround = "1"\nepochs = 1\nrate = 0.1\nblank_photos = true\n',
            "blank_photos needs painted_photos",
        ),
        ("= 3", "Invalid"),
    ],
)
def test_a_wrong_recipe_is_refused_with_its_reason(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "wrong.toml").write_text(text, "utf-8")
    with pytest.raises(RecipeError, match=said):
        recipes.read(recipes.find(str(tmp_path / "wrong.toml")))


def test_an_unknown_recipe_is_reported_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert training.main(["--recipe", "best"]) == 2
    error = capsys.readouterr().err
    known = (
        "backs, black, blank, bulbs, character-network, close, composed, emblems, flower-network"
    )
    assert f"choose one of {known}" in error


def test_marked_places_count_twice_and_the_shipped_network_is_trained_on(tmp_path: Path) -> None:
    file = recipes.find("marked")
    photos = (tmp_path / "photos",)
    job = Job(
        recipes.read(file), file, tmp_path, tmp_path, "marked", "1", tmp_path, photos, None, "cpu"
    )
    (trained,) = (step for step in job.steps() if step.name == "plain")
    arguments = [str(argument) for argument in trained.arguments]
    assert arguments.count(str(tmp_path / "places" / "marked-0.npz")) == 2
    assert arguments.count(str(tmp_path / "places" / "952.npz")) == 1
    base = registry.find(registry.DEFAULT).path("plain")
    assert arguments[arguments.index("--base") + 1] == str(base)


def test_scenes_of_a_kind_are_rendered_so_and_photos_painted_over(tmp_path: Path) -> None:
    file = recipes.find("rows")
    photos = (tmp_path / "photos",)
    job = Job(
        recipes.read(file), file, tmp_path, tmp_path, "rows", "1", tmp_path, photos, None, "cpu"
    )
    steps = {step.name: step.arguments for step in job.steps()}
    assert "--rows" in steps["scenes-301"]
    assert "--tables" in steps["scenes-202"]
    assert not {"--rows", "--tables"} & {str(word) for word in steps["scenes-201"]}
    assert "--painted" in steps["detector-1-data"]


def test_new_crops_are_learnt_from_labels_and_others_from_the_teacher(
    tmp_path: Path,
) -> None:
    file = recipes.find("black")
    photos = (tmp_path / "photos",)
    job = Job(
        recipes.read(file), file, tmp_path, tmp_path, "black", "1", tmp_path, photos, None, "cpu"
    )
    steps = {step.name: step.arguments for step in job.steps()}
    scenes, trained = steps["scenes-501"], steps["classifier-1"]
    assert scenes[scenes.index("--black") + 1] == 0.8
    assert trained[trained.index("--teacher") + 1] == tmp_path / "shipped-classifier.pt"
    new = trained[trained.index("--new") + 1 : trained.index("--new-share")]
    crops = tmp_path / "crops"
    assert new == tuple(
        crops / f"{name}.npz" for name in ("501-hard", "501-painted", "photos-0-black")
    )
    assert set(new[:2]) <= set(steps["crops-501-hard"]) | set(steps["crops-501-painted"])


def test_new_faces_are_learnt_from_labels_and_others_from_the_teacher(tmp_path: Path) -> None:
    file = recipes.find("close")
    photos = (tmp_path / "photos",)
    job = Job(
        recipes.read(file), file, tmp_path, tmp_path, "close", "1", tmp_path, photos, None, "cpu"
    )
    steps = {step.name: step.arguments for step in job.steps()}
    crops = tmp_path / "crops"
    for name, teacher in (("classifier-1", "shipped-classifier"), ("upright-1", "shipped-upright")):
        trained = steps[name]
        assert trained[trained.index("--teacher") + 1] == tmp_path / f"{teacher}.pt"
        new = trained[trained.index("--new") + 1 : trained.index("--new-share")]
        assert new == tuple(crops / f"{n}.npz" for n in ("961", "971", "971", "971-rectified"))
        old = trained[: trained.index("--new")]
        assert crops / "951-rectified.npz" in old
        assert not {*new} & {*old}
    with pytest.raises(ValueError, match="among scenes or rectified"):
        recipes.ClassifierRound(round="x", scenes=(1,), new_faces=(2,), epochs=1, rate=0.001)


def test_photos_are_painted_once_more_with_blank_tiles(tmp_path: Path) -> None:
    file = recipes.find("blank")
    photos = (tmp_path / "photos",)
    job = Job(
        recipes.read(file), file, tmp_path, tmp_path, "blank", "1", tmp_path, photos, None, "cpu"
    )
    steps = {step.name: step.arguments for step in job.steps()}
    made, trained = steps["crops-photos-0-blank"], steps["classifier-2"]
    assert made[made.index("--blanks") + 1] == 1.0
    assert tmp_path / "crops" / "photos-0-blank.npz" in trained
    assert tmp_path / "crops" / "photos-0-blank.npz" not in steps["classifier-1"]


def test_the_plain_tile_network_is_trained_on_the_new_detector_and_combined_last(
    tmp_path: Path,
) -> None:
    file = recipes.find("full")
    photos = (tmp_path / "photos",)
    job = Job(
        recipes.read(file), file, tmp_path, tmp_path, "full", "1", tmp_path, photos, None, "cpu"
    )
    steps = list(job.steps())
    places = [step for step in steps if step.module.endswith("plain_tiles.places")]
    assert [step.name for step in places] == ["places-201", "places-202", "places-photos-0"]
    assert all(tmp_path / "detector" in step.arguments for step in places)
    exported = next(step for step in steps if "--recipe" in step.arguments)
    assert tmp_path / "plain" / "plain.onnx" in exported.arguments
    assert steps[-1].module.endswith("plain_tiles.fusion"), "after the networks are in 8 bits"


def test_networks_are_not_combined_on_scenes_that_one_was_trained_on() -> None:
    with pytest.raises(ValueError, match="none of them was trained on"):
        recipes.PlainRound(scenes=(1, 2), fit=(2,))


def test_the_network_for_upright_crops_starts_from_the_classifier(tmp_path: Path) -> None:
    recipe = recipes.read(recipes.find("own"))
    one = recipes.ClassifierRound(round="upright", scenes=recipe.calibration, epochs=1, rate=0.001)
    recipe = recipe.model_copy(update={"upright": (one,)})
    photos = (tmp_path / "photos",)
    job = Job(recipe, tmp_path, tmp_path, tmp_path, "own", "1", tmp_path, photos, None, "cpu")
    steps = list(job.steps())
    trained = next(step.arguments for step in steps if step.name == "upright-1")
    assert "--upright" in trained
    assert "--widths" not in trained
    base = f"classifier-{len(recipe.classifier)}/classifier.pt"
    assert trained[trained.index("--base") + 1] == tmp_path / base
    larger = one.model_copy(update={"widths": (32, 64, 128, 256), "depths": (3, 3, 2)})
    grown = replace(job, recipe=recipe.model_copy(update={"upright": (one, larger)}))
    trained = next(step.arguments for step in grown.steps() if step.name == "upright-2")
    at = trained.index("--widths")
    assert trained[at : at + 9] == ("--widths", 32, 64, 128, 256, "--depths", 3, 3, 2)
    shipped = replace(job, recipe=recipe.model_copy(update={"upright_start": "shipped"}))
    further = {step.name: step.arguments for step in shipped.steps() if step.name}
    weights = tmp_path / "shipped-upright.pt"
    assert further["upright-1"][further["upright-1"].index("--base") + 1] == weights
    source = registry.find(registry.DEFAULT).path("upright")
    assert further["shipped-upright"][:2] == (source, weights)
    exported = next(step.arguments for step in steps if "--recipe" in step.arguments)
    made = tmp_path / "upright-1" / "classifier.pt"
    assert exported[exported.index("--upright") + 1] == made
    in_8_bits = [step.arguments[0] for step in steps if step.module.endswith("quantise")]
    assert in_8_bits == ["classifier", "upright", "detector"]
    with pytest.raises(ValueError, match="belong together"):
        recipes.ClassifierRound(**one.model_dump() | {"widths": (32, 64, 128, 256)})


@pytest.mark.parametrize(
    ("name", "family"), [("flower-network", "flowers"), ("character-network", "characters")]
)
def test_the_network_of_a_family_starts_from_the_network_for_upright_crops(
    name: str, family: str, tmp_path: Path
) -> None:
    file = recipes.find(name)
    photos = (tmp_path / "a", tmp_path / "b")
    job = Job(recipes.read(file), file, tmp_path, tmp_path, "f", "1", tmp_path, photos, None, "cpu")
    steps = {step.name: step.arguments for step in job.steps() if step.name}
    trained = steps[family]
    assert trained[0] == family
    assert trained[trained.index("--base") + 1] == tmp_path / "shipped-upright.pt"
    assert registry.find(registry.DEFAULT).path("upright") in steps["shipped-upright"]
    files = trained[trained.index("--patches") + 1 : trained.index("--shares")]
    names = [Path(str(path)).stem for path in files]
    kinds, each = ["wide", "drawn", "faces", "photos-0", "photos-1"], (0.35, 0.25, 0.2, 0.1, 0.1)
    both = family == "flowers"
    others = ["--others", *(f"others-{kind}" for kind in kinds)] if both else []
    assert names == [*kinds, *others]
    shares = trained[trained.index("--shares") + 1 : trained.index("--check")]
    assert shares == each * (2 if both else 1), "one a file, other faces half of a batch"
    exported = next(step.arguments for step in job.steps() if "--recipe" in step.arguments)
    assert exported[exported.index(f"--{family}") + 1] == tmp_path / family / f"{family}.onnx"
    assert not [step for step in job.steps() if step.module.endswith("quantise")], "all are copied"
    one = recipes.ClassifierRound(round="u", scenes=job.recipe.calibration, epochs=1, rate=0.001)
    trained_first = replace(job, recipe=job.recipe.model_copy(update={"upright": (one,)}))
    steps = {step.name: step.arguments for step in trained_first.steps() if step.name}
    base = tmp_path / "upright-1" / "classifier.pt"
    assert steps[family][steps[family].index("--base") + 1] == base
