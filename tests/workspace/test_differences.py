from dualgate.workspace.differences import LENGTH_SHOWN, LINES_MATCHED, LINES_SHOWN, changed_lines, diff_of


def test_a_diff_names_both_sides() -> None:
    assert diff_of("a.py", b"x = 1\n", b"x = 2\n").splitlines()[:2] == ["--- a/a.py", "+++ b/a.py"]
    assert diff_of("a.py", None, b"x = 2\n").splitlines()[:2] == ["--- /dev/null", "+++ b/a.py"]
    assert diff_of("a.py", b"x = 1\n", None).splitlines()[:2] == ["--- a/a.py", "+++ /dev/null"]


def test_a_diff_is_one_that_git_takes() -> None:
    assert diff_of("a", b"x\ny\n", b"x\nz\n") == "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
    assert diff_of("a", b"x", b"x\n").endswith("@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n")
    assert diff_of("a", None, b"") == "--- /dev/null\n+++ b/a\n"


def test_what_is_the_same_has_no_diff() -> None:
    assert diff_of("a.py", b"x", b"x") == ""


def test_bytes_that_are_no_text_are_said_to_differ() -> None:
    assert diff_of("a.png", b"\0\1", None) == "binary file a.png differs: 2 bytes before, nothing after\n"
    assert diff_of("a.png", b"a", b"\xff").startswith("binary file a.png differs")


def test_a_diff_is_bounded_in_lines_and_length() -> None:
    many = diff_of("a", b"", b"x\n" * 1000)
    wide = diff_of("a", b"", b"x" * 100_000)

    assert len(many.splitlines()) == LINES_SHOWN + 1
    assert len(wide) < LENGTH_SHOWN + 10
    assert many.endswith("[cut]\n")
    assert wide.endswith("[cut]\n")


def test_the_lines_of_a_long_file_keep_their_numbers() -> None:
    before = b"".join(b"line %d\n" % number for number in range(1, 5001))

    assert "@@ -4997,4 +4997,4 @@" in diff_of("a", before, before.replace(b"line 5000\n", b"new\n"))


def test_changed_lines_are_those_of_the_later_file() -> None:
    before = b"a\nb\nc\nd\ne\n"

    assert changed_lines(before, b"a\nB\nB2\nc\nd\ne\n") == ((2, 3),)
    assert changed_lines(before, b"a\nd\ne\nf\n") == ((2, 2), (4, 4))
    assert changed_lines(before, before) == ()


def test_where_lines_cannot_be_compared_the_whole_file_is_another() -> None:
    many = b"x\n" * (LINES_MATCHED + 1)

    assert [changed_lines(*pair) for pair in ((None, b"a"), (b"a", None), (b"a", b"\0"), (b"a", many))] == [()] * 4
