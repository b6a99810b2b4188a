from pathlib import Path

import pytest

from dualgate.errors import SettingError
from dualgate.settings.files import read_files, user_file
from dualgate.settings.resolving import Source


def test_the_user_file_is_where_xdg_says(tmp_path: Path) -> None:
    assert user_file({"HOME": "/home/a"}) == Path("/home/a/.config/dualgate/config.toml")
    assert user_file({"HOME": "/home/a", "XDG_CONFIG_HOME": "/etc/a"}) == Path("/etc/a/dualgate/config.toml")
    assert user_file({"HOME": "/home/a", "XDG_CONFIG_HOME": "here"}) == Path("/home/a/.config/dualgate/config.toml")


def test_the_files_that_are_there_are_read_with_their_place(tmp_path: Path) -> None:
    home = tmp_path / "home"
    user = user_file({"HOME": str(home)})
    user.parent.mkdir(parents=True)
    user.write_bytes(b"\xef\xbb\xbfdocuments = 1")
    (tmp_path / "pyproject.toml").write_text("[tool.dualgate]")

    found = read_files(tmp_path, {"HOME": str(home)})

    assert [(file.path, file.source, file.text) for file in found] == [
        (str(user), Source.USER_FILE, "documents = 1"),
        (str(tmp_path / "pyproject.toml"), Source.PROJECT_FILE, "[tool.dualgate]"),
    ]


def test_no_file_is_no_setting(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where a folder is looked for")

    assert read_files(tmp_path, {"HOME": str(tmp_path / "home")}) == ()


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    place = tmp_path / "dualgate.toml"
    place.mkdir()
    with pytest.raises(SettingError, match=r"dualgate\.toml is not a file"):
        read_files(tmp_path, {"HOME": str(tmp_path)})
    place.rmdir()
    place.write_bytes(b"agent = '\xff'")
    with pytest.raises(SettingError, match=r"dualgate\.toml is not UTF-8 text: byte 9"):
        read_files(tmp_path, {"HOME": str(tmp_path)})
    place.unlink()
    place.symlink_to(place)
    with pytest.raises(SettingError, match=r"dualgate\.toml cannot be read: Too many levels of symbolic links"):
        read_files(tmp_path, {"HOME": str(tmp_path)})
