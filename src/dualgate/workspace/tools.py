"""What runs tests inside a virtual environment: the few installed files that an edit could turn into a liar."""

import re

ENVIRONMENT_MARK = "pyvenv.cfg"
"""The file that makes a folder a virtual environment."""
_PROGRAMS = re.compile(r"(python[\d.]*|pytest|py\.test|tox|nox|coverage|activate)")
_PACKAGES = re.compile(r"_?pytest(_\w+)?|pluggy|iniconfig|xdist|unittest2|[\w.+!-]+\.(dist|egg)-info")
_FILES = re.compile(r"_?pytest\w*\.py|py\.py|(site|user)customize\.py|.*\.(pth|egg-link)")
# what is looked at, level by level below the environment: folders that lead on, and files
LEVELS = (
    (re.compile(r"bin|lib"), re.compile(re.escape(ENVIRONMENT_MARK))),
    (re.compile(r"python[\d.]+"), _PROGRAMS),
    (re.compile(r"site-packages"), None),
    (_PACKAGES, _FILES),
)


def runs_tests(path: str, is_folder: bool) -> bool:
    """Whether a path, seen from its virtual environment, is one of these files or leads to one."""
    parts = path.split("/") if path else []
    if not parts:
        return is_folder
    if "__pycache__" in parts:
        return False
    for part, (folders, _files) in zip(parts[:-1], LEVELS, strict=False):
        if not folders.fullmatch(part):
            return False
    if len(parts) > len(LEVELS):
        package = parts[len(LEVELS) - 1]
        return not package.endswith("-info") or parts[-1] == "entry_points.txt"
    folders, files = LEVELS[len(parts) - 1]
    pattern = folders if is_folder else files
    return pattern is not None and pattern.fullmatch(parts[-1]) is not None
