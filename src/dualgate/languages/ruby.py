"""Ruby: tests are run by RSpec with a formatter that writes JUnit XML."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Found, Language, each_part, make_suite, words
from dualgate.languages.parts import Part


def _suite(part: Part, sign: str) -> Found:
    gems = part.text(sign) + part.text("Gemfile.lock")
    if "rspec_junit_formatter" in gems:
        command = "bundle exec rspec --format RspecJunitFormatter --out {report}"
        yield make_suite(part, "junit", command, f"{part.where(sign)} has rspec_junit_formatter")
    elif "rspec" in gems:
        yield f"{part.where(sign)}: RSpec writes no report that is read here; add the gem rspec_junit_formatter"


LANGUAGE = Language(
    name="ruby",
    signs=("Gemfile",),
    find=each_part(_suite, "Gemfile"),
    programs=words("ruby bundle rake rspec"),
    task_files={"rake": ("rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb")},
    test_targets={"rake": r"TestTask|:test\b"},
    interpreters="ruby",
    class_endings=(".rb",),
    test_roots=("spec",),
    failures={
        FailureKind.ASSERTION: "ExpectationNotMetError Assertion",
        FailureKind.MISSING: "NameError NoMethodError LoadError NotImplementedError",
    },
    phrases={FailureKind.MISSING: "undefined (local variable or )?method"},
    steering=(".rspec",),
    test_files=r".*_test\.rb|.*_spec\.rb",
    spec_endings=(".rb", ".yml"),
    manifests=("Gemfile",),
    locks=("Gemfile.lock",),
    installed=("vendor",),
    steering_variables=words("RUBYOPT RUBYLIB BUNDLE_GEMFILE"),
    toolchain_variables=words("GEM_HOME GEM_PATH RBENV_*"),
)
