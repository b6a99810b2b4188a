from dualgate.core.mounts import ALWAYS, Access, Mounts, bwrap_words


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
