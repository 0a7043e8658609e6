"""The model of a run: sampled, gone on with, or made again of what is on disk."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from rbhmc.cli.run_folder import Run
from rbhmc.estimator import RBHMC
from rbhmc.sampling import RunFolder


class Sampled(NamedTuple):
    """A model, the chains of the run that it holds, and whether all draws are there."""

    model: RBHMC
    chains: list[int]
    complete: bool


def sample(run: Run, frame: Any, *, n_jobs: int | None, progress: bool) -> Sampled:
    """Sample what is left of a run; Ctrl-C leaves a model of the draws that are complete."""
    settings = run.settings
    model = RBHMC(**settings, n_jobs=n_jobs)
    model.fit(frame, checkpoint_dir=run.checkpoints, resume=True, progress=progress)
    draws = model.draws_
    asked = settings["n_chains"], settings["n_draws"]
    complete = (draws.n_chains, draws.n_draws) == asked
    return Sampled(model, draws.settings["chains"], complete)


def stored_model(run: Run, frame: Any) -> RBHMC:
    """Make the model of a run's results again, without sampling, equal to the bit."""
    result = run.result
    folder = _checkpoints(run)
    part = len(result["chains"]), result["n_draws"]
    if part == (run.settings["n_chains"], folder.record["n_draws"]):
        # The record may ask for more already, if nothing of that was begun.
        model = RBHMC(**run.settings | {"n_draws": result["n_draws"]})
        return model.fit(frame, checkpoint_dir=run.checkpoints, resume=True, progress=False)
    with TemporaryDirectory() as place:
        return _model_of_part(run, folder, frame, Path(place))


def _model_of_part(run: Run, folder: RunFolder, frame: Any, place: Path) -> RBHMC:
    """Fit on some draws of some chains: on a copy of the run that has no others.

    A fit of the run itself would go on sampling. Without a seed of its own, a fit takes those of
    the run that it finds.
    """
    chains, n_draws = run.result["chains"], run.result["n_draws"]
    inputs = folder.inputs
    *seeds, last = inputs["seeds"]
    changes = {"n_chains": len(chains), "seeds": [*(seeds[number] for number in chains), last]}
    part = RunFolder.create(place, inputs | changes, n_draws)
    for new, number in enumerate(chains):
        kept = folder.store(number).load()
        if kept is None:
            raise FileNotFoundError(2, "is missing", str(folder.store(number).folder))
        sampler, chunks = kept
        whole = {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}
        first = {key: values[:n_draws] for key, values in whole.items()}
        part.store(new).save(sampler, first, n_draws)
    settings = {"n_chains": len(chains), "n_draws": n_draws, "random_state": None}
    model = RBHMC(**run.settings | settings)
    return model.fit(frame, checkpoint_dir=place, resume=True, progress=False)


def _checkpoints(run: Run) -> RunFolder:
    folder = RunFolder.open(run.checkpoints)
    if folder is None:
        raise FileNotFoundError(2, "is missing", str(run.checkpoints / "run.json"))
    return folder
