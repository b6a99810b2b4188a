"""What a program printed, and its hash."""

from hashlib import sha256
from pathlib import Path

from dualgate.processes.job import CHUNK, Job, output_hash


def test_the_hash_is_that_of_standard_output_and_then_of_standard_error(tmp_path: Path) -> None:
    job = Job(argv=("x",), cwd=tmp_path, environment={}, stdout=tmp_path / "stdout", stderr=tmp_path / "stderr")
    nothing = output_hash(job)
    job.stdout.write_bytes(b"a" * (CHUNK + 1))
    job.stderr.write_bytes(b"\xff")

    assert nothing == sha256(b"").hexdigest()
    assert output_hash(job) == sha256(b"a" * (CHUNK + 1) + b"\xff").hexdigest()
