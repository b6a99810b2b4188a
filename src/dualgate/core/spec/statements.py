"""Text -> whether it states something: what a thing does, or must do."""

import re
from collections.abc import Sequence

STATEMENT = re.compile(
    r"\b(?:must|shall|should|can|cannot|can['’]t|will|may|is|are|has|have|does|do|gets?|returns?|raises?|prints?|shows?|displays?"
    r"|accepts?|rejects?|exits?|responds?|writes|reads|creates?|deletes?|stores?|sends?|contains?|supports?|allows?|fails?"
    r"|pass(?:es)?|keeps?|gives?|works?|stops|starts|ends|appears?|follows|SHALL|MUST"
    r"|[a-z]{3,}(?:ates|izes|ises|ifies|ishes|orts|ects|ides|aves|oads|ends|ears|ues|eeds|ains|akes|ives))\b",
    re.IGNORECASE,
)


def are_statements(texts: Sequence[str]) -> bool:
    """Whether most texts say what something does or must do."""
    return sum(STATEMENT.search(text) is not None for text in texts) * 2 > len(texts)
