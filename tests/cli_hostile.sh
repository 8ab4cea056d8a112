# Places that are against us: no /tmp to write to, and directories of comparisons that somebody prepared to have
# commands run, or files elsewhere overwritten.
. tests/support

small='--layers 1 --heads 2 --width 16 --context 16 --batch 4 --threads 1 --steps 5 --seeds 2'
small="$small --data builtin:tales:bytes=40000 --eval-tokens 1000"

# --- a /tmp that cannot be written to ---
place=$(mktemp -d /var/tmp/bitter-test.XXXXXX 2>/dev/null) || place=
readonly_tmp='mount -t tmpfs -o ro none /tmp && cd "$0" && exec "$@"'
if [ -n "$place" ] && cp "$BITTER" "$place/bitter" 2>/dev/null &&
    unshare -rm sh -c "$readonly_tmp" "$place" ./bitter --help >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    check "compare needs no /tmp" env TMPDIR="$place" unshare -rm sh -c "$readonly_tmp" "$place" ./bitter compare \
        $small --out r none
else
    skip "compare needs no /tmp" "no mount namespaces here"
fi
[ -z "$place" ] || rm -rf "$place"
finish
