# Where scripts/extend.sh has its runs; $out is its directory.
# run_of METHOD STAGE: the run of a method, frozen or tuned.
run_of() {
    if [ "$2" = tuned ]; then echo "$out/$1-ft"; elif [ "$1" = none ]; then echo "$out/base"; else echo "$out/$1"; fi
}
