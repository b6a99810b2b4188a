"""Settings: default < user file < project file < environment < flag, and each value knows where it came from."""

from dualgate.settings.files import read_files as read_files
from dualgate.settings.resolving import Entry as Entry
from dualgate.settings.resolving import Origin as Origin
from dualgate.settings.resolving import SettingsFile as SettingsFile
from dualgate.settings.resolving import Source as Source
from dualgate.settings.resolving import Sourced as Sourced
from dualgate.settings.resolving import resolve as resolve
from dualgate.settings.values import Settings as Settings
