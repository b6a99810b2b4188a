"""Settings: default < user file < project file < environment < flag, and the origin of each value.

A setting is one entry in `declaration.py`.
"""

from dualgate.settings.declaration import AgentChoice as AgentChoice
from dualgate.settings.declaration import Settings as Settings
