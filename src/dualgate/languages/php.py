"""PHP: tests are run by PHPUnit or Pest, which write JUnit XML."""

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Found, Language, each_part, make_suite, words
from dualgate.languages.parts import Part
from dualgate.languages.sources import COMMENT, CLike

SIGNS = ("phpunit.xml", "phpunit.xml.dist")


def _suite(part: Part, sign: str) -> Found:
    place = part.where(sign)
    tool = next((tool for tool in ("pest", "phpunit") if (part.folder / "vendor" / "bin" / tool).exists()), "")
    if tool:
        yield make_suite(part, "junit", f"vendor/bin/{tool} --log-junit {{report}}", f"{place} and vendor/bin/{tool}")
    else:
        yield f"{place}: PHPUnit is not installed in vendor; run composer install"


PHP = CLike(
    comments=rf"{COMMENT}|\#(?!\[)[^\n]*",
    strings=r"'(?:\\(?s:.)|[^'\\])*'|" + r'"(?:\\(?s:.)|[^"\\])*"',
    unsure=r"<<<|\?>",
)

LANGUAGE = Language(
    name="php",
    signs=SIGNS,
    find=each_part(_suite, *SIGNS),
    programs=words("php phpunit pest composer"),
    class_endings=(".php",),
    failures={
        FailureKind.ASSERTION: "ExpectationFailedException AssertionFailedException",
        FailureKind.MISSING: "BadMethodCallException",
    },
    phrases={
        FailureKind.MISSING: r"call to undefined|class \S+ (not found|does not exist)|function \S+ does not exist"
    },
    steering=(*SIGNS, "phpunit.dist.xml"),
    sources={".php": PHP},
    test_files=r".*(?:Tests?|IT|Spec)\.php",
    manifests=("composer.json",),
    locks=("composer.lock",),
    installed=("vendor",),
    steering_variables=words("PHPRC PHP_INI_SCAN_DIR"),
)
