# The package $PACKAGE, unpacked into a directory of its own: its files, and that the program works with each of its
# libraries that this processor can run. `make deb` runs this. LAUNCH: a command that starts its programs.
. tests/support/shell

package=$repository/$PACKAGE
root=$scratch/root
check "it can be unpacked" dpkg-deb -x "$package" "$root"
field() {
    dpkg-deb -f "$package" "$1"
}
check "it has the program's version" test "bitter $(field Version)" = \
    "bitter $(sed -n 's/^#define BITTER_VERSION "\(.*\)"/\1/p' "$repository/base/version.h")"
architecture=$(field Architecture)
[ -n "${LAUNCH:-}" ] || check "it is for this architecture" test "$architecture" = "$(dpkg --print-architecture)"
field Depends >"$scratch/depends"
for name in libc6 libgomp1 libjansson4 libpcre2-8-0 zlib1g; do
    check "it depends on $name" grep -qE "(^|, )$name( |,|$)" "$scratch/depends"
done
for file in share/man/man1/bitter.1.gz share/doc/bitter/copyright share/doc/bitter/README.md; do
    check "it has $file" test -s "$root/usr/$file"
done
check "everything in it can be read by all" test -z "$(find "$root" ! -perm -a=r)"
names_tree() { # the source tree must not be needed
    grep -rlF "$repository" "$root"
}
check "nothing in it names the directory where it was built" test -z "$(names_tree)"

BITTER=$root/usr/bin/bitter
twin=$root/usr/bin/bitter-double
if [ -n "${LAUNCH:-}" ]; then # the package is for another architecture
    for name in bitter bitter-double; do
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$LAUNCH" "$root/usr/bin/$name" >"$scratch/$name"
        chmod +x "$scratch/$name"
    done
    BITTER=$scratch/bitter twin=$scratch/bitter-double
fi
. "$repository/tests/package/kernels"
case $architecture in amd64) with_each_library x86_64 ;; *) with_each_library other ;; esac

# --- commands that need more than the library ---
BITTER=$twin
succeed "the build in double" gradcheck --pos rope
succeed "lesson" lesson
check "lesson shows lines of code" says 'posenc/rotation/rope\.c'
finish
