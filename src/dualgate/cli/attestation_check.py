"""The action of verify --check: compare an attestation with a tree. Nothing is run but git."""

import os
from pathlib import Path

import click

from dualgate.cli.output import here, open_input, say_json, show
from dualgate.core.record.verification.checking import Checked, check_attestation
from dualgate.core.values.notation import in_line
from dualgate.display.lines import Line, Tone
from dualgate.errors import ExitCode
from dualgate.processes.scratch import scratch_folder
from dualgate.workspace.revisions import open_revisions

STANDARD_INPUT = "-"


def check_file(file_name: str, head: str, as_json: bool) -> int:
    with open_input(file_name) as file:
        content = file.read()
    found = [(tree, check_attestation(content, tree)) for tree in _trees(head, file_name)]
    # an attestation that lies in the work tree is not part of the tree that it is about
    tree, checked = next((each for each in found if not each[1].problems), found[0])
    _show_checked(checked, tree, as_json)
    return ExitCode.PROVEN if checked.holds else ExitCode.ERROR


def _trees(head: str, file: str) -> list[str]:
    """The git tree of a commit; or that of the work tree, and the same without the file."""
    with scratch_folder("verify") as scratch:
        revisions = open_revisions(here(), scratch)
        if head:
            if not (commit := revisions.commit(head)):
                raise click.UsageError(f"There is no commit '{in_line(head)}' here.")
            return [revisions.tree(commit)]
        tree, place = revisions.work_tree(), Path(os.path.realpath(file))
        if file == STANDARD_INPUT or not place.is_relative_to(revisions.root.resolve()):
            return [tree]
        path = place.relative_to(revisions.root.resolve()).as_posix()
        return [tree, revisions.overlaid(tree, {path: None})] if path in revisions.entries(tree) else [tree]


def _show_checked(checked: Checked, tree: str, as_json: bool) -> None:
    if as_json:
        say_json({"holds": checked.holds, "verdict": checked.verdict, "tree": tree, "problems": list(checked.problems)})
        return
    problems = [Line(text=f"does not match: {problem}", tone=Tone.BAD) for problem in checked.problems]
    said = f"attested: the tree {tree} is {checked.verdict}; signatures are not checked"
    show(problems or [Line(text=said, tone=Tone.GOOD if checked.holds else Tone.BAD)])
