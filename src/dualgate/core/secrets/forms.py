"""Forms that reveal a secret under any name: tokens of well-known services, keys, passwords in URLs.

Each form has anchors, short literals that are searched first: a pattern that begins with a literal is found at the
speed of memory, so a long text without secrets costs almost nothing. One pattern for all forms takes twice as long.
"""

import re
from dataclasses import dataclass

# blank, or already masked
_MASKED = re.compile(r"\s*|\[redacted:.*")
# placeholders for a password in examples
_PLACEHOLDER = re.compile(rf"[<{{$%].*|\*+|x+|\.+|…|{_MASKED.pattern}", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """`anchors`: every text that the pattern matches contains one of them. The group `secret` is masked."""

    name: str
    anchors: tuple[re.Pattern[str], ...]
    pattern: re.Pattern[str]
    harmless: re.Pattern[str] = _MASKED
    """Values in the place of a secret that are not secret, such as placeholders."""
    is_long: bool = True
    """Whether the secret is long enough that a part of its digest reveals nothing."""

    def may_be_in(self, text: str) -> bool:
        return any(anchor.search(text) for anchor in self.anchors)


def _anchors(*expressions: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, expressions))


def _token(name: str, anchor: str, pattern: str) -> Form:
    """A form for a token that is not the end of a longer word."""
    found = re.compile(rf"(?<![A-Za-z0-9_-])(?P<secret>{pattern})")
    return Form(name=name, anchors=_anchors(anchor), pattern=found)


IN_ADDRESS = Form(
    name="password",
    anchors=_anchors("://"),
    pattern=re.compile(r"://[^\s/:@\"'\\<>]{0,200}:(?P<secret>[^\s/@\"'\\]{1,500})@"),
    harmless=_PLACEHOLDER,
    is_long=False,
)
FORMS = (
    _token("api-key", "sk-", r"sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}"),
    _token("stripe-key", "k_live_", r"[sr]k_live_[A-Za-z0-9]{16,}"),
    _token("github-token", "gh[pousr]_", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _token("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    _token("gitlab-token", "glpat-", r"glpat-[A-Za-z0-9_-]{20,}"),
    _token("aws-key", "A[KS]IA", r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("google-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("slack-token", "xox[abprs]-", r"xox[abprs]-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{10,}"),
    _token("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,}"),
    _token("hugging-face-token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    _token("jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    Form(
        name="bearer",
        anchors=_anchors("earer "),
        pattern=re.compile(r"[Bb]earer (?P<secret>(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{12,})"),
    ),
    Form(
        name="authorization",
        anchors=_anchors("uthorization", "UTHORIZATION"),
        pattern=re.compile(
            r"(?:uthorization|UTHORIZATION)[\\\"']{0,3}\s?[:=]\s?[\\\"']{0,3}(?:[A-Za-z]{1,12} )?"
            r"(?P<secret>[A-Za-z0-9._~+/=-]{8,})"
        ),
        harmless=_WORD,
        is_long=False,
    ),
    Form(
        name="private-key",
        anchors=_anchors("PRIVATE KEY-----"),
        pattern=re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
            r"(?P<secret>(?:[^-]|-(?!-))*+(?=-----END )|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*)"
        ),
    ),
    IN_ADDRESS,
)
