#!/bin/sh
# SPDX-License-Identifier: MIT
# Write bitter-VERSION.tar.gz, which contains the files of the last commit and always has the same bytes, and bitter.rb,
# the Homebrew formula for it. To publish both, put the tarball's address into the formula.
set -eu
if ! git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
    echo "dist.sh: a tarball is made of what git has committed, and here is no clone made by git" >&2
    exit 2
fi
git diff --quiet HEAD || echo "dist.sh: changes that are not committed are left out" >&2
name=bitter-$(git show HEAD:base/version.h | sed -n 's/^#define BITTER_VERSION "\(.*\)"/\1/p')
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD >"$name.tar"
gzip -9nf "$name.tar"
if command -v sha256sum >/dev/null; then sum=$(sha256sum <"$name.tar.gz"); else sum=$(shasum -a 256 <"$name.tar.gz"); fi
awk -v url="file://$PWD/$name.tar.gz" -v sum="${sum%% *}" '
    NR > 1 { print }
    /^  desc / { print "  url \"" url "\"\n  sha256 \"" sum "\"" }' packaging/bitter.rb >bitter.rb
grep -E '^  (url|sha256) ' bitter.rb
