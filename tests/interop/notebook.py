# examples/compare.ipynb runs from its first to its last cell, on the recorded comparison that it names and on a new one.
import os

import nbformat
from nbclient import NotebookClient

from common import *

examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")
RECORDED = "../runs/baseline/experiment-full/ladder"


def run(name, directory, settings, schemes):
    notebook = nbformat.read(os.path.join(examples, "compare.ipynb"), as_version=4)
    nbformat.validate(notebook)
    first = notebook.cells[1]
    check(f"{name}: the directory is named once", first.source.count(f'"{RECORDED}"') == 1)
    first.source = first.source.replace(RECORDED, directory)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": examples}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    check(f"{name}: no cell complains", all(o.output_type in ("display_data", "execute_result") for o in outputs))
    check(f"{name}: a figure for each setting", sum("image/png" in o.get("data", {}) for o in outputs) == settings)
    table = outputs[-1]["data"]["text/plain"]
    check(f"{name}: each scheme is in the table of differences", all(scheme in table for scheme in schemes))


run("recorded", RECORDED, 3, ["learned", "sinusoidal", "rope-random", "alibi", "fire"])
bitter("compare", "none", "rope", "--layers", 1, "--heads", 2, "--context", 16, "--width", 16, "--batch", 4, "--steps", 30,
       "--seeds", 3, "--eval-tokens", 1000, "--data", "builtin:tales:bytes=40000", "--out", path("new"))
run("new", path("new"), 1, ["none", "rope"])
finish()
