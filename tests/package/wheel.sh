# The wheel $PACKAGE, installed by pip into an environment of its own: the program works there with each of its
# libraries that this processor can run, and uses only the wheel's own. `make wheel` runs this.
. tests/support/shell

if ! python3 -m venv "$scratch/venv" >"$scratch/said" 2>&1; then
    lacks "the wheel" "python3 -m venv" python3-venv
    finish
fi
bin=$scratch/venv/bin
check "pip installs it" "$bin/pip" install --no-index --quiet "$repository/$PACKAGE"
BITTER=$bin/bitter
run --version
check "bitter has its version" says "^bitter $(sed -n 's/^#define BITTER_VERSION "\(.*\)"/\1/p' "$repository/base/version.h")\$"
outside() { # libraries from outside the environment, but for those of every Linux
    for file in "$bin/bitter" "$bin/bitter-double"; do
        LD_DEBUG=libs "$file" --version 2>&1 | sed -n 's/.*calling init: //p' | grep -v "^$scratch/venv/" |
            grep -vE '/(ld-linux[^/]*|libc|libm|libgcc_s|libdl|librt|libpthread)\.so[.0-9]*$'
    done
}
check "its libraries are its own" test -z "$(outside)"
check "it has the licence of each" test "$(find "$scratch"/venv/lib/python*/site-packages/bitter-*/licenses -type f | wc -l)" -gt 5
paths() { # where its files look for libraries: beside themselves
    find "$bin/bitter" "$bin/bitter-double" "$scratch/venv/lib/bitter" -type f -exec objdump -p {} + |
        awk '$1 == "RPATH" || $1 == "RUNPATH" { print $2 }' | sort -u
}
check "and none is looked for where it was built" test "$(paths)" = '$ORIGIN/../lib/bitter'
names_tree() {
    grep -rlF "$repository" "$bin/bitter" "$bin/bitter-double" "$scratch/venv/lib/bitter"
}
check "nothing in it names the directory where it was built" test -z "$(names_tree)"
. "$repository/tests/package/kernels"
with_each_library "$(uname -m)"
cp "$repository/docs/train.md" book.txt
succeed "train on a text" train book.txt --layers 1 --width 16 --heads 2 --context 8 --steps 5 --out run
succeed "sample" sample run "The"
succeed "gradcheck, which starts the twin" gradcheck --pos rope
check "pip removes it" "$bin/pip" uninstall --yes --quiet bitter
check "nothing of it is left" test ! -e "$bin/bitter" -a ! -e "$scratch/venv/lib/bitter/libbitter.so"
finish
