#!/bin/sh
# Copy what is recorded of a comparison: sh scripts/keep_report.sh DIR RESULTS
# The page report.html stays in DIR: it is larger than everything else together.
set -eu
mkdir -p "$2"
rm -f "$2"/plot-*.svg "$2/report.html"
cp "$1"/report.md "$1"/report.tex "$1"/results.csv "$1"/compare.json "$1"/plot-*.svg "$2"
