from itertools import pairwise

from dualgate.core.doctor.mounts import ALWAYS, Access, Mounts, bwrap_words


def test_deeper_places_are_mounted_over_shallower_ones() -> None:
    places = {
        "/tmp/project/.session": Access.EMPTY,
        "/home/bob": Access.READ_ONLY,
        "/tmp/project": Access.WRITABLE,
        "/home/bob/.netrc": Access.BLANK,
    }

    words = bwrap_words("/usr/bin/bwrap", Mounts(places=places), "/tmp/project", ("make", "test"))

    assert words[: len(ALWAYS) + 1] == ("/usr/bin/bwrap", *ALWAYS)
    assert " ".join(words[len(ALWAYS) + 1 :]) == (
        "--tmpfs /tmp --ro-bind-try /home/bob /home/bob --bind-try /tmp/project /tmp/project --tmpfs /var/tmp "
        "--ro-bind /dev/null /home/bob/.netrc --tmpfs /tmp/project/.session --chdir /tmp/project -- make test"
    )


def test_all_that_is_started_has_a_namespace_of_its_own_and_dies_with_us() -> None:
    assert {"--unshare-pid", "--die-with-parent"} <= set(ALWAYS)


def test_the_network_is_there_unless_it_is_taken_away() -> None:
    with_it, without = (bwrap_words("b", Mounts(places={}, network=network), "/", ()) for network in (True, False))

    assert "--unshare-net" not in with_it
    assert "--unshare-net" in without


def test_nothing_that_root_may_do_to_mounts_is_left_to_it_inside() -> None:
    own, of_root = (bwrap_words("b", Mounts(places={}, as_root=as_root), "/", ()) for as_root in (False, True))

    kept = [name for word, name in pairwise(of_root) if word == "--cap-add"]
    assert all("ALL" in words and words.index("--cap-drop") < words.index("/") for words in (own, of_root))
    assert "--cap-add" not in own
    assert kept == ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_SETFCAP"]


def test_variables_are_set_for_the_program() -> None:
    words = bwrap_words("bwrap", Mounts(places={}, variables={"GOCACHE": "/c/go-build"}), "/p", ("go", "test"))

    at = words.index("--setenv")
    assert words[at : at + 3] == ("--setenv", "GOCACHE", "/c/go-build")
    assert at < words.index("--")
