"""The user's environment -> the variables that an agent's CLI sees: only those on a list."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from dualgate.agents.client import Client, Errand
from dualgate.languages.registry import LANGUAGES

# Any program needs these to find its files, its tools and the network.
COMMON = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "TERM", "COLORTERM", "NO_COLOR"),
    *("LANG", "LANGUAGE", "LC_*", "XDG_*"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
# An agent needs these to find the project's tools and run its tests.
TOOLS = (
    *(name for language in LANGUAGES for name in language.toolchain_variables),
    *("ASDF_*", "MISE_*", "NIX_*", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)
# An agent that knew the session's folder could write its own evidence.
# Settings below those of the user for CLIs that have no flag for them: the loop retries, and reports a limit.
# Statistics are off: a CLI waits for their host at its end, ten seconds where a name server does not answer.
DEFAULTS = Path(__file__).parent / "defaults"
NEVER = ("PRP_SESSION_DIR", "DUALGATE_*")


def client_environment(
    client: Client, errand: Errand, environment: Mapping[str, str], extra: Iterable[str] = ()
) -> dict[str, str]:
    """The variables for one call; `extra` are further names and prefixes that the user allows."""
    more = (name for variable, names in client.variables_when.items() if environment.get(variable) for name in names)
    allowed = (*COMMON, *TOOLS, *client.variables, *client.keys, *more, *extra)
    seen = {
        name: value
        for name, value in environment.items()
        if matches(name, allowed) and not matches(name, NEVER) and name not in client.withheld
    }
    return {**_defaults(client), **client.sets(errand), **seen}


def _defaults(client: Client) -> dict[str, str]:
    """The variable that names our settings, unless this machine has such settings of its own."""
    if not client.defaults or any(Path(each).exists() for each in client.defaults.installed):
        return {}
    return {client.defaults.variable: str(DEFAULTS / f"{client.name}.json")}


def matches(name: str, patterns: Iterable[str]) -> bool:
    return any(name.startswith(each[:-1]) if each.endswith("*") else name == each for each in patterns)
