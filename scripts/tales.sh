#!/bin/sh
# sh scripts/tales.sh data/made/tales/tales.txt >tales_text.c
# Checks the words and plots of builtin:tales and writes them as the tables that data/made/tales/tables.h declares.
# tales.txt describes its notation. A mistake in it ends in one sentence, "FILE:LINE: ...", and exit code 2.
parts=$(dirname "$0")/tales
LC_ALL=C exec awk -f "$parts/sections.awk" -f "$parts/statements.awk" -f "$parts/tables.awk" "$1"
