"""Settings: default < user file < project file < environment < flag, and each value knows where it came from.

A setting is one entry in `declaration.py`.
"""

from dualgate.settings.declaration import AgentChoice as AgentChoice
from dualgate.settings.declaration import Settings as Settings
