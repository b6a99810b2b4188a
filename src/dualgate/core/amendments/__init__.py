"""A frozen test that is wrong is not edited but amended.

The agent files the id of the test, the reason and a patch. Somebody else approves. The loop applies the patch and
proves it on the tree that RED was proven on: there the amended test must fail, and every other test go as it went.
"""
