# The names of the runs of scripts/extend.sh in its directory $out; sourced by its scripts.
# run_of METHOD STAGE: print the run of a method, frozen or fine-tuned (tuned).
run_of() {
    if [ "$2" = tuned ]; then echo "$out/$1-ft"; elif [ "$1" = none ]; then echo "$out/base"; else echo "$out/$1"; fi
}
