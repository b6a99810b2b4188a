#!/bin/sh
# Runs a command in a network namespace that has only loopback, so that no CLI can reach its provider.
# With --can-be instead of a command: whether such a namespace can be made here.
can_be_alone() {
    unshare -rn true 2>/dev/null && unshare -rn ip link set lo up 2>/dev/null
}

if [ "$1" = --can-be ]; then
    can_be_alone
    exit
fi
if can_be_alone; then
    exec unshare -rn sh -c 'ip link set lo up && exec "$@"' sh "$@"
fi
echo "no network namespace can be made here: the CLIs are told of loopback only, and could reach out all the same" >&2
exec "$@"
