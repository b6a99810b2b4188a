"""The source of a template -> its code, compiled once in a process."""

from types import CodeType

from jinja2.bccache import Bucket, BytecodeCache


class CompiledTemplates(BytecodeCache):
    """Only for environments with the same options: they decide what a source is compiled to."""

    def __init__(self, most: int = 256) -> None:
        self.kept: dict[tuple[str, str], CodeType | None] = {}
        self._most = most

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if len(self.kept) < self._most:
            self.kept[bucket.key, bucket.checksum] = bucket.code


COMPILED = CompiledTemplates()
