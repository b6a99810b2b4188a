"""Bytes of any XML file -> UTF-8 that a parser can read, without characters that XML forbids."""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

CHUNK = 1 << 16
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]+)|([0-9]+));")
LONGEST_REFERENCE = 16
REPLACEMENT = "\ufffd"


def readable_chunks(file: BinaryIO) -> Iterator[bytes]:
    """The file in pieces. Forbidden characters become U+FFFD, so that a report with an escape code can be read."""
    first = file.read(CHUNK)
    decoder = codecs.getincrementaldecoder(_encoding(first))("replace")
    held, piece = "", first
    while piece:
        text = FORBIDDEN.sub(REPLACEMENT, held + decoder.decode(piece))
        cut = text.rfind("&", max(0, len(text) - LONGEST_REFERENCE))
        text, held = (text[:cut], text[cut:]) if cut >= 0 else (text, "")
        yield REFERENCE.sub(_allowed, text).encode()
        piece = file.read(CHUNK)
    yield REFERENCE.sub(_allowed, FORBIDDEN.sub(REPLACEMENT, held + decoder.decode(b"", final=True))).encode()


def _encoding(start: bytes) -> str:
    for mark, name in MARKS:
        if start.startswith(mark):
            return name
    declared = DECLARED.match(start.lstrip())
    name = declared[1].decode() if declared else "utf-8"
    # the declaration is in single bytes, so it cannot be UTF-16 or UTF-32; a codec that is not for text is invalid
    if name.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        return "utf-8"
    try:
        "<".encode(name)
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError):
        return "utf-8"
    return name


def _allowed(found: re.Match[str]) -> str:
    digits = found[1] or found[2]
    # 10 or more digits are no character
    code = int(digits, 16 if found[1] else 10) if len(digits) < 10 else 0
    legal = code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return found[0] if legal else REPLACEMENT
