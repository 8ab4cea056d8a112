#!/bin/sh
# SPDX-License-Identifier: MIT
# A picture of docs/schemes.md or posenc/README.md: sh scripts/pictures.sh ./bitter NAME >docs/NAME.svg
# NAME: places, pair, diagonals, cope or reflection; without a name, the names are printed.
set -eu
bitter=${1:?"usage: sh scripts/pictures.sh BITTER [NAME]"}
here=$(dirname "$0")
case ${2:-} in
'') echo places pair diagonals cope reflection && exit ;;
places) said=$("$bitter" train --pos help) ;;
*) said=$("$bitter" lesson) ;;
esac
printf '%s\n' "$said" | awk -v picture="$2" -f "$here/svg.awk" -f "$here/pictures.awk"
