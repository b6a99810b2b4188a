"""`python -m dualgate`."""

import sys

from dualgate.cli.main import main

sys.exit(main())
