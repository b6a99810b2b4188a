"""Bytes kept by their digest, outside the user's repository: written once, never changed."""

import os
import zlib
from hashlib import sha256
from pathlib import Path

from dualgate.errors import StoreFailed


class Objects:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, content: bytes) -> str:
        digest = sha256(content).hexdigest()
        path = self._path(digest)
        if not path.exists():
            self._write(path, zlib.compress(content, 1))
        return digest

    def get(self, digest: str) -> bytes:
        try:
            return zlib.decompress(self._path(digest).read_bytes())
        except (OSError, zlib.error) as error:
            raise StoreFailed(f"The kept object {digest[:12]} cannot be read: {error}.") from error

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]

    def _write(self, path: Path, content: bytes) -> None:
        temporary = path.with_suffix(f".{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            temporary.replace(path)
        except OSError as error:
            raise StoreFailed(
                f"A snapshot cannot be kept in {self._folder}: {error.strerror}.",
                "Make room or choose another place with PRP_SESSION_DIR.",
            ) from error
