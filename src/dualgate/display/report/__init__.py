"""Report -> the texts that people read: a page, Markdown, the body of a pull request, a commit message."""
