"""Go: tests are run by gotestsum, which writes JUnit XML, if it is installed, else by `go test -json`."""

import shutil

from dualgate.core.values.suite import FailureKind, Stack
from dualgate.languages.base import Found, Language, each_part, make_suite, words
from dualgate.languages.parts import Part
from dualgate.languages.sources import Grammar


def _suite(part: Part, sign: str) -> Found:
    path = part.environment.get("PATH")
    if shutil.which("gotestsum", path=path):
        command = "gotestsum --junitfile {report} -- -count=1 ./..."
        yield make_suite(part, "junit", command, f"{part.where(sign)}, and gotestsum is on the PATH")
    elif shutil.which("go", path=path):
        yield make_suite(part, "go", "go test -json -count=1 ./...", f"{part.where(sign)}, and go is on the PATH")
    else:
        yield f"{part.where(sign)}: neither go nor gotestsum is on the PATH; install Go"


GRAMMAR = Grammar(package="tree_sitter_go", ends=frozenset({";", "\n", "\0"}), imports=frozenset({"import_spec"}))

LANGUAGE = Language(
    name="go",
    signs=("go.mod",),
    find=each_part(_suite, "go.mod"),
    programs=("go", "gotestsum"),
    stack=Stack(
        name="go",
        sign="go.mod",
        install="go mod download",
        test="go test ./...",
        check="go vet ./...",
        layout="packages in folders of their own, tests beside the code as *_test.go",
    ),
    reports={"go": r"\bgo\s+test\b(?!.*(?:\s-c\b|[|>]))"},
    phrases={
        FailureKind.BROKEN_FILE: r"\[(build|setup) failed\]",
        FailureKind.MISSING: r"\bundefined: \w|cannot find package",
    },
    sources={".go": GRAMMAR},
    test_files=r".*_test\.go",
    test_folders=("testdata",),
    data_folders=("testdata",),
    manifests=("go.mod",),
    locks=("go.sum",),
    installed=("vendor",),
    steering_variables=words("GOFLAGS GOOS GOARCH GOPATH"),
    toolchain_variables=words("GOPATH GOROOT GOFLAGS GOPROXY"),
)
