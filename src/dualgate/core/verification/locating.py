"""Results of a runner that names no files -> results with the file that holds the name of each test."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from dualgate.core.values.case_names import function_of, own_name
from dualgate.core.values.suite import CaseResult

_PARTS = re.compile(r"\s*(?:::|>|›|»)\s*")


def located(results: Iterable[CaseResult], texts: Mapping[str, str]) -> tuple[CaseResult, ...]:
    """The results; one without a file gets the first of some files in which its title stands."""
    return tuple(result if result.file else replace(result, file=_file_of(result, texts)) for result in results)


def _file_of(result: CaseResult, texts: Mapping[str, str]) -> str:
    title = _PARTS.split(function_of(own_name(result)))[-1]
    wanted = re.compile(rf"(?<!\w){re.escape(title)}(?!\w)") if title else None
    return next((path for path, text in texts.items() if wanted and wanted.search(text)), "")
