#!/bin/sh
# SPDX-License-Identifier: MIT
# Copy the recorded files of a comparison: sh scripts/keep_report.sh DIR RESULTS
# The page report.html, larger than everything else together, stays in DIR with the plots that only it shows.
# results.csv omits losses by position in longer windows, which only the page shows, and, of rates that were not chosen,
# all but what they were judged by.
set -eu
mkdir -p "$2"
rm -f "$2"/plot-*.svg "$2/report.html"
cp "$1"/report.tex "$1"/compare.json "$2"
sed '/^- plot-[0-9]*\.svg, which report.html shows: /d' "$1/report.md" | cat -s | sed '${/^$/d;}' >"$2/report.md"
sed -n 's/^!\[.*](\(plot-[0-9]*\.svg\))$/\1/p' "$1/report.md" | while read -r plot; do cp "$1/$plot" "$2"; done
# The number of columns before a quoted name with commas varies, so the row is read from the right: "chosen" is the sixth.
awk -F, '$(NF - 3) != "beyond" && (NR == 1 || $(NF - 5) != 0) || $(NF - 3) ~ /^(choose|loss|diverged|steps|tokens|seconds|batches)$/' "$1/results.csv" \
    >"$2/results.csv.new"
mv "$2/results.csv.new" "$2/results.csv"
