# The package bitter.deb, unpacked into a directory of its own: what is in it, and that the program works with each of
# its libraries that this processor can run, which differ by no more than rounding. `make deb` runs this.
. tests/support/shell

package=$repository/bitter.deb
root=$scratch/root
check "it can be unpacked" dpkg-deb -x "$package" "$root"
field() {
    dpkg-deb -f "$package" "$1"
}
check "it has the program's version" test "bitter $(field Version)" = \
    "bitter $(sed -n 's/^#define BITTER_VERSION "\(.*\)"/\1/p' "$repository/base/version.h")"
check "it is for this architecture" test "$(field Architecture)" = "$(dpkg --print-architecture)"
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

# --- the library that the loader chooses ---
BITTER=$root/usr/bin/bitter
export LD_LIBRARY_PATH="$root/usr/lib/bitter"
small='--layers 2 --heads 2 --width 64 --context 64 --batch 4 --threads 1 --data builtin:tales:bytes=100000'
loaded() {
    LD_DEBUG=libs "$BITTER" --version 2>&1 | sed -n 's|.*calling init: .*/lib/bitter/\(.*\)|\1|p'
}
can_run() { # LEVEL
    /lib64/ld-linux-x86-64.so.2 --help 2>/dev/null | grep -q "$1 (supported"
}
# with LEVEL TUNABLES LIBRARY KERNELS: with these features of the processor switched off.
with() {
    level=$1 library=$3 kernels=$4
    if [ "$level" != oldest ] && ! can_run "$level"; then
        skip "$library" "this processor or loader does not know $level"
        return
    fi
    export GLIBC_TUNABLES="glibc.cpu.hwcaps=$2"
    check "$level: the loader takes $library" test "$(loaded)" = "$library"
    # shellcheck disable=SC2086
    succeed "$level: train" train $small --steps 30 --eval-tokens 4000 --out "$level"
    check "$level: its kernels are $kernels" grep -q "\"kernels\": \"$kernels" "$level/config.json"
    succeed "$level: eval" eval "$level" --eval-tokens 4000
    tail -n 1 "$level/log.csv" | cut -d , -f 1,4,5 >>"$scratch/losses"
    unset GLIBC_TUNABLES
}
if [ "$(field Architecture)" = amd64 ]; then
    with x86-64-v4 x glibc-hwcaps/x86-64-v4/libbitter.so own-64
    with x86-64-v3 -AVX512F glibc-hwcaps/x86-64-v3/libbitter.so own-32
    with oldest -AVX512F,-AVX2 libbitter.so own-16
else
    with oldest x libbitter.so own-
fi
check "the losses after 30 steps agree" awk -F , '
    NR == 1 { training = $2; validation = $3 }
    { if ($1 != 30 || ($2 - training) ^ 2 > 1e-8 || ($3 - validation) ^ 2 > 1e-8) bad = 1 }
    END { exit bad || NR == 0 }' "$scratch/losses"

# --- what needs more than the library ---
unset LD_LIBRARY_PATH
BITTER=$root/usr/bin/bitter-double
succeed "the build in double" gradcheck --pos rope
succeed "lesson" lesson
check "lesson shows lines of code" says 'posenc/rotation/rope\.c'
finish
