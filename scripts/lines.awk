# SPDX-License-Identifier: MIT
# LC_ALL=C awk -f scripts/lines.awk FILE.c... >lines_text.c
# Makes the table code_lines of lab/lesson/lines.h: every function of these files with the line in which it begins.
# After clang-format, that line begins in column 0 and contains a parenthesis; prototypes and arrays end otherwise.

BEGIN {
    print "// Made by scripts/lines.awk.\n#include \"lab/lesson/lines.h\"\n\nconst CodeLine code_lines[] = {"
}
FNR == 1 { first = 0 }
/^[A-Za-z_].*\(/ { first = FNR; name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
/[;=]$|= *\{$/ { first = 0 }
/\{$/ && first { print "    {\"" name "\", \"" FILENAME "\", " first "},"; first = 0 }
END { print "    {0},\n};" }
