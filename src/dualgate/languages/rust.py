"""Rust: tests are run by cargo-nextest if one of its profiles writes JUnit XML, else by `cargo test`."""

import re
import shutil

from dualgate.core.values.suite import FailureKind, Stack
from dualgate.languages.base import Found, Language, each_part, make_suite, words
from dualgate.languages.parts import Part, read_text
from dualgate.languages.sources import Grammar

JUNIT_PROFILE = re.compile(r"^\[profile\.([\w-]+)\.junit\]", re.MULTILINE)


def _suite(part: Part, sign: str) -> Found:
    if part.is_member_by(sign):
        return
    if profile := JUNIT_PROFILE.search(read_text(part.folder / ".config" / "nextest.toml")):
        command = f"cargo nextest run --no-fail-fast --profile {profile[1]}"
        reason = f"cargo-nextest writes JUnit reports (profile {profile[1]})"
        yield make_suite(part, "junit", command, reason, report=f"target/nextest/{profile[1]}/*.xml")
    elif shutil.which("cargo", path=part.environment.get("PATH")):
        yield make_suite(part, "cargo", "cargo test --no-fail-fast", f"{part.where(sign)}, and cargo is on the PATH")
    else:
        yield f"{part.where(sign)}: cargo is not on the PATH; install Rust"


GRAMMAR = Grammar(
    package="tree_sitter_rust",
    unwrapped=frozenset({("match_arm", "block"), ("closure_expression", "block")}),
    imports=frozenset({"use_declaration", "use_list"}),
)

LANGUAGE = Language(
    name="rust",
    signs=("Cargo.toml",),
    find=each_part(_suite, "Cargo.toml"),
    programs=("cargo",),
    stack=Stack(
        name="rust",
        sign="Cargo.toml",
        install="cargo fetch",
        test="cargo test",
        check="cargo clippy -- -D warnings",
        layout="code under src/, tests in modules or under tests/",
    ),
    environment={"CARGO_TERM_COLOR": "never"},
    # with these options, cargo test does not report single tests
    reports={"cargo": r"\bcargo(?:\s+\+\S+)?\s+test\b(?!.*(?:\s-q\b|--quiet|--format|--no-run|--nocapture|[|>]))"},
    phrases={FailureKind.BROKEN_FILE: "could not compile", FailureKind.MISSING: "unresolved import"},
    steering=("Cargo.toml", "nextest.toml"),
    steering_paths=(".cargo/config.toml", ".cargo/config"),
    sources={".rs": GRAMMAR},
    test_files=r"tests?\.rs|.*_tests?\.rs",
    manifests=("Cargo.toml",),
    locks=("Cargo.lock",),
    built=("target",),
    steering_variables=words("RUSTFLAGS RUSTC_WRAPPER CARGO_* NEXTEST_*"),
    toolchain_variables=words("CARGO_HOME RUSTUP_*"),
)
