"""Java, Kotlin, Groovy and Scala: tests are run by Maven or Gradle, which write JUnit XML."""

from collections.abc import Sequence

from dualgate.core.values.suite import FailureKind
from dualgate.languages.base import Found, Language, each_part, make_suite, words
from dualgate.languages.parts import Part
from dualgate.languages.sources import CLike

GRADLE = ("build.gradle", "build.gradle.kts")


def find(parts: Sequence[Part]) -> Found:
    yield from each_part(_gradle, *GRADLE)(parts)
    yield from each_part(_maven, "pom.xml")(parts)


def _gradle(part: Part, sign: str) -> Found:
    program = "./gradlew" if "gradlew" in part.home.files else "gradle"
    if not part.is_member_by(sign):
        command = f"{program} --continue cleanTest test"
        yield make_suite(part, "junit", command, part.where(sign), report="**/build/test-results/test/*.xml")


def _maven(part: Part, sign: str) -> Found:
    program = "./mvnw" if "mvnw" in part.home.files else "mvn"
    if not part.is_member_by(sign):
        command = f"{program} --batch-mode --fail-at-end test"
        yield make_suite(part, "junit", command, part.where(sign), report="**/target/surefire-reports/TEST-*.xml")


JAVA = CLike()
KOTLIN = CLike(ends_lines=True)

LANGUAGE = Language(
    name="jvm",
    signs=("pom.xml", *GRADLE),
    find=find,
    programs=words("java mvn mvnw gradle gradlew sbt"),
    reports={"junit": r"surefire|gradlew?\b|\bmvnw?\b"},
    class_endings=(".java", ".kt", ".groovy", ".scala"),
    test_roots=("src/test/java", "src/test/kotlin", "src/test/groovy", "src/test/scala"),
    failures={
        FailureKind.ASSERTION: """AssertionError AssertionFailedError AssertionFailure ComparisonFailure
            MultipleFailuresError MultipleFailureException TestFailedException SpecificationFailure""",
        FailureKind.MISSING: """NoSuchMethodError NoSuchMethodException NoSuchFieldError NoSuchFieldException
            NoSuchElementException ClassNotFoundException NoClassDefFoundError UnsupportedOperationException
            MissingMethodException MissingPropertyException UnsatisfiedLinkError AbstractMethodError""",
    },
    phrases={
        FailureKind.BROKEN_FILE: r"COMPILATION ERROR|\binitializationError\b",
        FailureKind.MISSING: "cannot find (symbol|package)",
    },
    steering=("pom.xml", *GRADLE, "build.sbt", "testng.xml", "junit-platform.properties"),
    sources={".java": JAVA, **dict.fromkeys(words(".kt .kts .scala .groovy .gradle"), KOTLIN)},
    test_files=r".*(?:Tests?|IT|Spec)\.(?:java|kt|groovy|scala)",
    manifests=("pom.xml", "build.gradle*"),
    built=("build", "target"),
    steering_variables=words("JAVA_HOME JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS"),
    toolchain_variables=words("JAVA_HOME GRADLE_USER_HOME MAVEN_*"),
)
