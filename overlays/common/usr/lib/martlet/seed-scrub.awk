# SPDX-License-Identifier: Apache-2.0
# seed-scrub.awk: the same file, octet for octet as long, with every character of a secret's value an asterisk. Secrets are
# what is called password, passkey, psk or token, whatever goes before that. A value over several lines goes to its end.
function stars(count,    text) {
    text = ""
    while (count-- > 0) text = text "*"
    return text
}

open != "" {
    at = index($0, open)
    if (at == 0) { print stars(length($0)); next }
    $0 = stars(at - 1) substr($0, at)
    open = ""
    print
    next
}

match($0, /^[ \t#]*["']?[A-Za-z0-9_.-]*(password|passkey|psk|token)["']?[ \t]*=[ \t]*/) {
    before = substr($0, 1, RLENGTH)
    value = substr($0, RLENGTH + 1)
    if (value ~ /^(true|false)/) { print; next }
    quotes = substr(value, 1, 3)
    if (quotes == "\"\"\"" || quotes == "'''") {
        inner = substr(value, 4)
        at = index(inner, quotes)
        if (at == 0) { open = quotes; print before quotes stars(length(inner)) }
        else print before quotes stars(at - 1) substr(inner, at)
        next
    }
    # The last quote of the line: an asterisk too many, in a comment, is better than one too few.
    quote = substr(value, 1, 1)
    if (quote != "\"" && quote != "'") { print before stars(length(value)); next }
    last = length(value)
    while (last > 1 && substr(value, last, 1) != quote) last--
    if (last == 1) { print before stars(length(value)); next }
    print before quote stars(last - 2) substr(value, last)
    next
}

# Inline tables, and whatever else has a secret somewhere in the line.
/(password|passkey|psk|token)["']?[ \t]*=/ {
    at = match($0, /(password|passkey|psk|token)["']?[ \t]*=/)
    print substr($0, 1, at + RLENGTH - 1) stars(length($0) - at - RLENGTH + 1)
    next
}
{ print }
