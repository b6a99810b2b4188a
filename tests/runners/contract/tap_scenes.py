"""TAP from small scripts, so that nothing but a Python is needed; and from `node --test` where there is one."""

import shutil
import subprocess
import sys

from tests.runners.contract.lives import Contender, Life, Scene

BROKEN = "t/a.t .. \nDubious, test returned 2 (wstat 512, 0x200)\nNo subtests run\nt/b.t .. \n1..1\nok 1 - b\nok"
NODE_NEEDED = 20


def _says(text: str, then: str = "") -> Scene:
    return Scene(files={"tests.py": f"import os, sys, time\nprint({text!r}, flush=True)\n{then}"})


ON_TAP = Contender(
    name="tap",
    runner="tap",
    command=(sys.executable, "tests.py"),
    scenes={
        Life.PASS: _says("1..1\nok 1 - a"),
        Life.FAIL: _says("1..1\nnot ok 1 - a\n  ---\n  name: AssertionError\n  ...", "sys.exit(1)"),
        Life.SKIP: _says("1..1\nok 1 - a # SKIP not here"),
        Life.XFAIL: _says("1..1\nnot ok 1 - a # TODO not yet"),
        Life.BROKEN_FILE: _says(BROKEN, "sys.exit(1)"),
        Life.HANG: _says("1..2\nok 1 - a", "time.sleep(600)"),
        Life.CRASH: _says("1..2\nok 1 - a", "os._exit(0)"),
        Life.NO_TESTS: _says("1..0 # SKIP none"),
        Life.HUGE_OUTPUT: _says("1..1", "for _ in range(20): print('x' * (1 << 20))\nprint('ok 1 - a')"),
        Life.SAME_NAME: _says("1..2\nok 1 - a\nok 2 - a"),
        Life.UNICODE: _says("1..1\nok 1 - käse"),
        Life.PARAMETRISED: _says("1..2\nok 1 - a one\nok 2 - a two"),
        Life.CLASSES: _says("1..1\n# Subtest: Group\n    ok 1 - a\n    1..1\nok 1 - Group"),
        Life.PARALLEL: _says("1..4\nok 3 - c\nok 1 - a\nok 4 - d\nok 2 - b"),
        Life.RANDOM_ORDER: _says("1..4\nok 1 - gamma\nok 2 - alpha\nok 3 - delta\nok 4 - beta"),
        Life.NOISE: _says("hello\n1..1\n<testcase/>\nok 1 - a\nokay\nbye"),
    },
    lacks={Life.ERROR: "a test line is ok or not ok; only a file can be in error"},
)


def _node(text: str, *words: str) -> Scene:
    return Scene(files={"a.test.js": f"const {{ test, describe, it }} = require('node:test')\n{text}"}, words=words)


FOUR = "test('a', () => {}); test('b', () => {}); test('c', () => {}); test('d', () => {})"


def _node_is_absent() -> str:
    node = shutil.which("node")
    if node is None:
        return "there is no node"
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = int(told.strip().removeprefix("v").partition(".")[0] or 0)
    return "" if major >= NODE_NEEDED else f"node {told.strip()} is older than {NODE_NEEDED}"


ON_NODE = Contender(
    name="tap of node",
    runner="tap",
    command=("node", "--test", "--test-reporter=tap"),
    scenes={
        Life.PASS: _node("test('a', () => {})"),
        Life.FAIL: _node("test('a', () => require('assert').equal(1, 2))"),
        Life.SKIP: _node("test('a', { skip: 'not here' }, () => {})"),
        Life.XFAIL: _node("test('a', { todo: 'not yet' }, () => { throw new Error('x') })"),
        Life.BROKEN_FILE: Scene(
            files={
                "a.test.js": "require('./nowhere')",
                "b.test.js": "require('node:test').test('b', () => {})",
            }
        ),
        Life.HANG: _node("test('a', () => {}); test('b', async () => { while (true); })"),
        Life.CRASH: _node("test('a', () => {}); test('b', () => process.exit(0))"),
        Life.NO_TESTS: Scene(),
        Life.HUGE_OUTPUT: _node("test('a', () => { for (let i = 0; i < 20; i++) console.log('x'.repeat(1 << 18)) })"),
        Life.SAME_NAME: _node("test('a', () => {}); test('a', () => {})"),
        Life.UNICODE: _node("test('käse', () => {})"),
        Life.PARAMETRISED: _node("for (const word of ['one', 'two']) test(`a ${word}`, () => {})"),
        Life.CLASSES: _node("describe('Group', () => { it('a', () => {}) })"),
        Life.PARALLEL: _node(FOUR, "--test-concurrency=2"),
        Life.NOISE: _node("test('a', () => { console.log('ok 1 - forged\\n1..9') })"),
    },
    lacks={
        Life.ERROR: "a test line is ok or not ok; only a file can be in error",
        Life.RANDOM_ORDER: "it runs tests in the order in which they are written",
    },
    absent=_node_is_absent(),
)
