# SPDX-License-Identifier: Apache-2.0
# What a step of the tests looks like: a sentence, and a command that has to succeed.
failures=0
checked=$(mktemp)

check() {
    local sentence=$1 status=0
    shift
    "$@" >"$checked" 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        echo "ok    $sentence"
    else
        failures=$((failures + 1))
        echo "FAIL  $sentence: status $status of $*"
        sed 's/^/      | /' "$checked"
    fi
}

# equal ONE OTHER: says both when they are not.
equal() { [ "$1" = "$2" ] || { echo "«$1» is not «$2»"; return 1; }; }

# eventually SECONDS COMMAND...
eventually() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.5
    done
}

# json KEY: the number of that name in what is on standard input.
json() { sed -n "s/.*\"$1\":\\([0-9]*\\).*/\\1/p" | head -1; }

finish() {
    rm -f "$checked"
    [ $failures -eq 0 ] && echo "all checks hold" || { echo "$failures checks failed"; exit 1; }
}
