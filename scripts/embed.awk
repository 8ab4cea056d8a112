# SPDX-License-Identifier: MIT
# LC_ALL=C awk -f scripts/embed.awk table=exercise_files header=lab/lesson/lines.h lesson/exercises/* >FILE.c
# Turns text files into a table of EmbeddedFile (base/file/text.h), which `header` declares. Each line becomes a string
# of its own, because C11 guarantees no more than 4095 characters in one string.

NR == 1 { print "// Made by scripts/embed.awk.\n#include \"" header "\"" }
FNR == 1 {
    close_file()
    name = FILENAME
    sub(/.*\//, "", name)
    rows = rows "    {\"" name "\", lines_" files + 0 "},\n"
    print "\nstatic const char *const lines_" files++ "[] = {"
}
{
    gsub(/[\\"?]/, "\\\\&") # the question mark, because of trigraphs
    gsub(/\t/, "\\t")
    print "    \"" $0 "\","
}
END {
    close_file()
    print "\nconst EmbeddedFile " table "[] = {\n" rows "    {0},\n};"
}

function close_file() { if (files > 0) print "    0,\n};" }
