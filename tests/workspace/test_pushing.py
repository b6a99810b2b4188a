"""The address of a remote, in the forms that git takes: its host, the repository on it, and no login."""

import subprocess
from pathlib import Path

import pytest

from dualgate.workspace.commits import CommitRepository
from dualgate.workspace.pushing import find_remote

FORMS = [
    ("https://github.com/ann/shop.git", "github.com", "ann/shop", False),
    ("https://ann:secret@github.com:8443/ann/shop", "github.com", "ann/shop", False),
    ("https://ann:s@e:cret@github.com/ann/shop.git", "github.com", "ann/shop", False),
    ("git@github.com:ann/shop.git", "github.com", "ann/shop", True),
    ("git@github.com:42/shop.git", "github.com", "42/shop", True),
    ("ssh://git@GitHub.com:22/42/shop.git", "github.com", "42/shop", True),
    ("ssh://git@[::1]:2222/ann/shop.git", "[::1]", "ann/shop", True),
    ("git@[2001:db8::1]:ann/shop.git", "[2001:db8::1]", "ann/shop", True),
    ("/srv/git/shop.git", "", "", False),
]


@pytest.mark.parametrize(("address", "host", "path", "is_ssh"), FORMS)
def test_an_address_is_read_in_every_form(tmp_path: Path, address: str, host: str, path: str, is_ssh: bool) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "remote", "add", "origin", address], check=True)

    remote = find_remote(CommitRepository(root=tmp_path, folder=tmp_path / ".git"), None)

    assert (remote.host, remote.path, remote.is_ssh) == (host, path, is_ssh)
    assert "cret" not in remote.url
