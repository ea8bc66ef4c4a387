# SPDX-License-Identifier: Apache-2.0
# seed-settings.awk: the values of a TOML file's tables, a line each: TABLE.KEY, a tabulator, the value. Only of the tables
# in TABLES ("device", "system wlan ssh"), which hold nothing but KEY = "…", KEY = ["…", …] on one line or several, numbers,
# true and false. What is more than that is said on lines that begin with "!". With REST, lines of all other tables go to that file as they are, and on the
# same line.

# Takes a string off the front of `rest`: its value is in `text`. 0: there is none.
function take_string(    quote, at, character) {
    sub(/^[ \t]+/, "", rest)
    quote = substr(rest, 1, 1)
    if (quote != "\"" && quote != "'") return 0
    text = ""
    for (at = 2; at <= length(rest); at++) {
        character = substr(rest, at, 1)
        if (character == quote) {
            rest = substr(rest, at + 1)
            sub(/^[ \t]+/, "", rest)
            return 1
        }
        if (character == "\\" && quote == "\"") {
            at++
            character = substr(rest, at, 1)
            if (character != "\\" && character != "\"") return 0
        }
        if (character < " " || character == "\177") return 0
        text = text character
    }
    return 0
}

function done_with() { return rest == "" || rest ~ /^#/ }
function riddle() { printf "!line %d cannot be read; it has to look like: key = \"value\"\n", NR; array = "" }

# Takes the strings of `array` off the front of `rest`, up to its end or that of the line.
function take_strings() {
    while (take_string()) {
        found = found array "\t" text "\n"
        if (substr(rest, 1, 1) != ",") break
        rest = substr(rest, 2)
    }
    if (done_with()) return
    if (substr(rest, 1, 1) != "]") { riddle(); return }
    rest = substr(rest, 2)
    sub(/^[ \t]+/, "", rest)
    if (!done_with()) { riddle(); return }
    printf "%s", found
    array = ""
}

BEGIN {
    count = split(TABLES, names, " ")
    for (i = 1; i <= count; i++) known[names[i]] = 1
}

NR == 1 { sub(/^\357\273\277/, "") }  # the mark that Windows puts in front
{ sub(/\r$/, "") }

array == "" && /^[ \t]*\[/ {
    table = $0
    gsub(/^[ \t]*\[[ \t]*|[ \t]*\][ \t]*(#.*)?$/, "", table)
}

REST != "" { print (table in known ? "" : $0) > REST }

!(table in known) { next }

array != "" { rest = $0; take_strings(); next }

/^[ \t]*(#.*)?$/ || /^[ \t]*\[/ { next }

match($0, /^[ \t]*[A-Za-z0-9_-]+[ \t]*=/) {
    key = substr($0, 1, RLENGTH - 1)
    gsub(/[ \t]/, "", key)
    rest = substr($0, RLENGTH + 1)
    sub(/^[ \t]+/, "", rest)
    if (substr(rest, 1, 1) == "[") {
        rest = substr(rest, 2)
        array = table "." key
        found = ""
        take_strings()
        next
    }
    if (match(rest, /^(true|false|[0-9]+)[ \t]*(#|$)/)) {
        sub(/[ \t]*(#.*)?$/, "", rest)
        print table "." key "\t" rest
        next
    }
    if (take_string() && done_with()) { print table "." key "\t" text; next }
}

{ riddle() }

END { if (array != "") print "!" array " has no end: there is no ] after it" }
