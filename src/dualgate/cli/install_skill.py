"""dualgate prompts install: the skill text where agents look for it."""

import click

SKILLS = ".claude/skills"


@click.command("install")
@click.option(
    "--to", "folder", type=click.Path(file_okay=False), default=SKILLS, metavar="DIR", help="Folder of skills."
)
@click.option("--force", is_flag=True, help="Overwrite a file that was changed.")
def install(folder: str, force: bool) -> int:
    """Write the skill 'ralph-status' to .claude/skills/ralph-status/SKILL.md, where agents find it.

    --to ~/.claude/skills installs it for every project. A changed file is kept, unless you pass --force.
    """
    from dualgate.cli.install_skill_action import install_skill

    return install_skill(folder, force)
