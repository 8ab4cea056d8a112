#!/bin/sh
# SPDX-License-Identifier: MIT
# The book of the recorded experiments: sh scripts/book.sh prints its path, which is TEXT, or
# ../shared/data/war-and-peace.txt.gz. It may be plain or .gz.
set -eu
book=${TEXT:-../shared/data/war-and-peace.txt.gz}
[ -f "$book" ] || {
    echo "book.sh: there is no $book; set TEXT to a long book as plain text (such as Project Gutenberg's number 2600)" >&2
    exit 2
}
echo "$book"
