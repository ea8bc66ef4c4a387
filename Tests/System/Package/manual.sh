# SPDX-License-Identifier: Apache-2.0
# Whether the manual pages have all that the program knows. Read by test.sh.
page() { zcat "$work/root/usr/share/man/$1" | sed 's/\\-/-/g; s/\\f[BRI]//g'; }

# Every command that the program's help knows, by its completions, which the parser makes from the commands themselves.
missing_commands() {
    local missing=0 command
    page man1/martlet.1.gz >"$work/martlet.1"
    for command in $(inside martlet help | sed -n '/^SUBCOMMANDS/,$ s/^  \([a-z-]*\) .*/\1/p'); do
        grep -q "^.SS \"martlet $command" "$work/martlet.1" || { echo "martlet(1) lacks $command"; missing=1; }
    done
    [ "$(grep -c '^.SS' "$work/martlet.1")" -gt 10 ] && return $missing
}

# Every key of the complete example, which a test of its own holds to the table of keys.
missing_keys() {
    local missing=0 key
    page man5/martlet.toml.5.gz >"$work/martlet.toml.5"
    for key in $(sed -n 's/^\(# \)\?\([a-z_]*\) = .*/\2/p' "$work/root/usr/share/doc/martlet/examples/martlet.toml" | sort -u); do
        grep -q "^$key (" "$work/martlet.toml.5" || { echo "martlet.toml(5) lacks $key"; missing=1; }
    done
    [ "$(grep -c '^.TP' "$work/martlet.toml.5")" -gt 50 ] && return $missing
}
