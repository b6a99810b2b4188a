from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.registry import CLIENTS
from dualgate.core.said.blocks.scan import BlockKind
from dualgate.core.said.response import read_response
from dualgate.core.secrets.redaction import PROTOCOL, Redactor, Secret, is_telling, marks_in, redactor_of
from dualgate.core.values.answer import Answer
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, failed, passed

KEY = "q7-Zz81mmPq0"
KNOWN = Redactor(secrets=(Secret(name="SERVICE_KEY", value=KEY),))
HEX = "0123456789abcdef" * 4
JWT = f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{HEX[:30]}"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{HEX}\n{HEX}==\n-----END RSA PRIVATE KEY-----"

TOKENS = [
    ("api-key", f"sk-ant-api03-{HEX[:40]}"),
    ("stripe-key", f"sk_live_{HEX[:24]}"),
    ("github-token", f"ghp_{HEX[:36]}"),
    ("github-token", f"github_pat_{HEX[:30]}"),
    ("gitlab-token", f"glpat-{HEX[:20]}"),
    ("aws-key", "AKIAIOSFODNN7EXAMPLE"),
    ("google-key", f"AIza{HEX[:35]}"),
    ("slack-token", "xoxb-1234567890-abcdef"),
    ("npm-token", f"npm_{HEX[:36]}"),
    ("pypi-token", f"pypi-{HEX}"),
    ("hugging-face-token", f"hf_{HEX[:34]}"),
    ("jwt", JWT),
]
KEPT_TEXTS = [
    "the task-list and the risk-based-approach-number-1-of-the-many stay",
    "class sk-circle-fade-dot-and-so-on",
    "Authorization: required",
    "the Bearer of this letter",
    "http://localhost:8000/a@b and git@example.org:owner/name.git",
    "postgres://user:<password>@host postgres://user:$PASSWORD@host postgres://user:***@host",
    "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----",
    "the header is -----BEGIN PRIVATE KEY-----",
]
CLAIM = """Wrote it with SECRET.

---RALPH_STATUS---
STATUS: COMPLETE
TASKS_COMPLETED_THIS_LOOP: 1
FILES_MODIFIED: 2
TESTS_STATUS: PASSING
WORK_TYPE: IMPLEMENTATION
EXIT_SIGNAL: true
RECOMMENDATION: use SECRET no more
---END_RALPH_STATUS---
"""


@pytest.mark.parametrize(("name", "token"), TOKENS)
def test_tokens_of_well_known_forms_are_masked(name: str, token: str) -> None:
    masked = Redactor().text(f"it said '{token}', and went on")

    assert masked.startswith(f"it said '[redacted:{name}-")
    assert masked.endswith("]', and went on")
    assert Redactor().suspects(f"it said '{token}'")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgres://bob:pw@host/db", "postgres://bob:[redacted:password]@host/db"),
        ("https://:t0ken@host", "https://:[redacted:password]@host"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:authorization]"),
        ('"authorization": "dXNlcjpwYXNz"', '"authorization": "[redacted:authorization]"'),
    ],
)
def test_passwords_are_masked_where_they_stand(text: str, masked: str) -> None:
    assert Redactor().text(text) == masked


def test_a_bearer_token_is_masked_in_a_header_and_alone() -> None:
    masked = Redactor().text(f"Authorization: Bearer {HEX}\nbearer {HEX[:20]}")

    assert "0123" not in masked
    assert masked.startswith("Authorization: Bearer [redacted:bearer-")


def test_a_private_key_is_masked_to_its_end_or_as_far_as_it_goes() -> None:
    whole, cut = Redactor().text(f"a\n{PEM}\nb"), Redactor().text(f"a\n{PEM[:100]}\n---RALPH_STATUS---")

    assert "0123" not in whole + cut
    assert whole.endswith("]-----END RSA PRIVATE KEY-----\nb")
    assert cut.endswith("]\n---RALPH_STATUS---")


@pytest.mark.parametrize("text", KEPT_TEXTS)
def test_ordinary_texts_stay(text: str) -> None:
    assert Redactor().text(text) == text


def test_two_tokens_stay_two() -> None:
    one, other = (Redactor().text(f"test_login[ghp_{letter * 36}]") for letter in "ab")

    assert one != other


@given(st.text(alphabet="-:/@ .\nabeyJskghpAKIABearer0123456789[]\"'\\", max_size=200))
def test_what_was_masked_stays_as_it_is(text: str) -> None:
    masked = KNOWN.text(text)

    assert KNOWN.text(masked) == masked


def test_values_of_telling_variables_are_masked_by_name() -> None:
    redactor = redactor_of({"SERVICE_KEY": f" {KEY}\n", "HOME": "/home/bob", "LANG": "de_DE.UTF-8"})

    assert redactor == KNOWN
    assert redactor.text(f"with {KEY}.") == "with [redacted:SERVICE_KEY]."


@pytest.mark.parametrize(
    "value",
    [
        "short",
        "password",
        "Postgres",
        "ADMINISTRATOR",
        "20261116",
        "********",
        "/home/bob/.ssh/id",
        "~/key",
        "IN_PROGRESS",
    ],
)
def test_short_values_words_numbers_and_paths_are_no_secrets(value: str) -> None:
    assert redactor_of({"SERVICE_KEY": value}).secrets == ()


def test_settings_in_a_variable_hold_secrets_under_telling_names() -> None:
    settings = '{"provider": {"own": {"options": {"apiKey": "own-1234-key", "baseURL": "http://localhost:1"}}}, "n": 1}'
    listed = '{"servers": [{"url": "http://localhost:2", "token": "list-5678-key"}]}'

    assert redactor_of({"OPENCODE_CONFIG_CONTENT": settings, "OTHER": "{no json"}).secrets == (
        Secret(name="OPENCODE_CONFIG_CONTENT", value="own-1234-key"),
    )
    assert redactor_of({"SERVERS": listed}).secrets == (Secret(name="SERVERS", value="list-5678-key"),)


def test_headers_in_a_variable_hold_secrets_as_their_values() -> None:
    redactor = redactor_of({"OTEL_EXPORTER_OTLP_HEADERS": "x-team=q7-Zz81mmPq0, authorization=Basic Zm9vOmJhcg"})

    assert redactor.text("sent q7-Zz81mmPq0") == "sent [redacted:OTEL_EXPORTER_OTLP_HEADERS]"
    assert [redactor.text(text).count("Zm9v") for text in ("Basic Zm9vOmJhcg", "it is Zm9vOmJhcg")] == [0, 0]


@pytest.mark.parametrize(
    "headers",
    ["X-Api-Key: q7-Zz81mmPq0", "X-Team: a\nX-Api-Key: q7-Zz81mmPq0\n", '{"X-Api-Key": "q7-Zz81mmPq0", "retries": 2}'],
)
def test_headers_may_be_written_as_lines_or_as_json(headers: str) -> None:
    assert redactor_of({"ANTHROPIC_CUSTOM_HEADERS": headers}).secrets == (
        Secret(name="ANTHROPIC_CUSTOM_HEADERS", value="q7-Zz81mmPq0"),
    )


def test_the_password_of_an_address_is_known_by_itself_too() -> None:
    redactor = redactor_of({"DATABASE_URL": "postgres://bob:Hunter22@db/x", "DOCS_URL": "https://bob:<password>@docs"})

    assert redactor.secrets == (Secret(name="DATABASE_URL", value="Hunter22"),)
    assert redactor.text("login with Hunter22") == "login with [redacted:DATABASE_URL]"
    assert redactor.text("postgres://bob:Hunter22@db") == "postgres://bob:[redacted:DATABASE_URL]@db"


def test_what_is_a_part_of_where_we_are_is_no_secret() -> None:
    assert redactor_of({"DB_PASSWORD": "shop-2026", "PWD": "/home/bob/shop-2026"}).secrets == ()


@pytest.mark.parametrize(
    "name", ["API_KEY", "api_token", "PGPASSWORD", "MYSQL_PWD", "GITHUB_PAT", "STRIPE_SECRETKEY", "DB_PASS", "MYTOKEN"]
)
def test_names_that_tell_of_a_secret(name: str) -> None:
    assert is_telling(name)


@pytest.mark.parametrize(
    "name", ["PWD", "OLDPWD", "HOME", "MONKEY", "SSH_AUTH_SOCK", "SSL_KEY_FILE", "AWS_ACCESS_KEY_ID", "PATH", "COMPASS"]
)
def test_names_that_do_not(name: str) -> None:
    assert not is_telling(name)


def test_every_key_of_an_agent_tells_of_a_secret_or_is_a_switch_or_settings() -> None:
    keys = {key for client in CLIENTS.values() for key in client.keys}

    assert {key for key in keys if not is_telling(key) and "_USE_" not in key} == {"OPENCODE_CONFIG_CONTENT"}


def test_the_longest_value_comes_first_and_one_value_has_one_name() -> None:
    redactor = redactor_of({"A_KEY": "abc-1234", "B_KEY": "abc-1234-5678", "C_KEY": "abc-1234"})

    assert redactor.text("abc-1234-5678 abc-1234") == "[redacted:B_KEY] [redacted:A_KEY]"


def test_a_value_is_redacted_in_all_its_parts_and_what_has_no_secret_stays_itself() -> None:
    clean, leaking = passed("test_a"), failed("test_b", message=f"Unauthorized: {KEY}")
    report = a_report(clean, leaking, problems=(f"see {KEY}",))

    redacted = KNOWN.value(report)

    assert redacted.results == (clean, replace(leaking, message="Unauthorized: [redacted:SERVICE_KEY]"))
    assert redacted.problems == ("see [redacted:SERVICE_KEY]",)
    assert redacted.results[0] is clean
    assert KNOWN.value(replace(report, results=(), problems=())) == replace(report, results=(), problems=())


PIECES = st.sampled_from(
    (KEY, KEY[:-1], *(token for _, token in TOKENS), *KEPT_TEXTS, PEM, *PEM.split("\n"), " ", "x", "-")
)


@given(st.lists(st.lists(PIECES, max_size=4).map("".join), max_size=12), st.integers(0, 400))
def test_many_texts_become_what_each_becomes_by_itself(texts: list[str], others: int) -> None:
    """They are looked at in bunches, and nothing of that shows: neither at an edge of one nor where two texts meet."""
    every = tuple([f"clean {number}" for number in range(others)] + texts)

    redacted = KNOWN.value(a_report(problems=every))

    assert redacted.problems == tuple(map(KNOWN.text, every))


def test_plain_values_are_redacted_in_keys_too() -> None:
    plain = {"a": [KEY, 1], KEY: {KEY}, "b": None, "c": str}

    assert KNOWN.value(plain) == {
        "a": ["[redacted:SERVICE_KEY]", 1],
        "[redacted:SERVICE_KEY]": {"[redacted:SERVICE_KEY]"},
        "b": None,
        "c": str,
    }
    assert KNOWN.value({KEY: 1}) == {"[redacted:SERVICE_KEY]": 1}
    assert KNOWN.value(same := {"a": ["b"]}) is same


def test_what_stands_in_json_is_suspected_though_it_is_escaped() -> None:
    redactor = Redactor(secrets=(Secret(name="A_KEY", value='a"b\\c\nd1'),))

    assert redactor.suspects('{"text":"a\\"b\\\\c\\nd1"}')
    assert not redactor.suspects('{"text":"a"}')


def test_known_secrets_can_be_put_back_and_others_are_named() -> None:
    command = ("agent", "--key", KEY, "--token", f"ghp_{HEX[:36]}")
    kept = KNOWN.value(command)

    back = KNOWN.restored(kept)

    assert back[:3] == command[:3]
    assert len(marks_in(kept)) == 2
    assert marks_in(back) == (back[4],)
    assert marks_in(("none", 1)) == ()


@pytest.mark.parametrize(
    "value", [KEY, "COMPLETE", "IN_PROGRESS", "---END_RALPH_STATUS---", "EXIT_SIGNAL", "RALPH_STATUS"]
)
def test_a_claim_says_the_same_after_its_text_was_redacted(value: str) -> None:
    text = CLAIM.replace("SECRET", value)
    redacted = redactor_of({"SERVICE_KEY": value}).text(text)

    before, after = (read_response(Answer(text=each), Phase.GREEN) for each in (text, redacted))

    assert after.exit_signal is before.exit_signal is True
    assert (after.status, after.tests_status) == (before.status, before.tests_status)


def test_the_delimiters_of_blocks_are_words_of_the_protocol() -> None:
    assert {line for kind in BlockKind for line in (kind.opening, kind.closing)} <= set(PROTOCOL)
