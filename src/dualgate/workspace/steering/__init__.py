"""How files steer a test run, as functions of a path and its bytes. Only `commands` reads files."""
