# LC_ALL=C awk -f scripts/embed.awk lesson/exercises/* >exercises_text.c
# Makes of some text files the table exercise_files of cmd/lesson_exercises.h. A line becomes a string of its own,
# because C11 promises no more than 4095 characters in one string.

BEGIN { print "// Made from lesson/exercises/ by scripts/embed.awk.\n#include \"cmd/lesson_exercises.h\"" }
FNR == 1 {
    close_file()
    name = FILENAME
    sub(/.*\//, "", name)
    table = table "    {\"" name "\", lines_" files + 0 "},\n"
    print "\nstatic const char *const lines_" files++ "[] = {"
}
{
    gsub(/[\\"?]/, "\\\\&") # the question mark, because of trigraphs
    gsub(/\t/, "\\t")
    print "    \"" $0 "\","
}
END {
    close_file()
    print "\nconst ExerciseFile exercise_files[] = {\n" table "    {0},\n};"
}

function close_file() { if (files > 0) print "    0,\n};" }
