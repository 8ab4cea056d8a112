#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the man page bitter(1), made from the output of `bitter --help` and `bitter COMMAND --help`. The arguments are
# the command that starts bitter.
set -eu
export LC_ALL=C

# escape: standard input, escaped so that roff prints it unchanged, except for dots at the beginning of a line.
escape() {
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g'
}

# help_of COMMAND BITTER...: two commands run in the twin program, which a program under an emulator cannot start.
help_of() {
    command=$1
    shift
    case $command in
    gradcheck | lesson) "$@-double" "$command" --help ;;
    *) "$@" "$command" --help ;;
    esac
}

"$@" --help | sed -n 's/^bitter \([0-9.]*\): \(.*\)/.TH BITTER 1 "" "bitter \1" "User Commands"\
.SH NAME\
bitter \\- \2/p'
cat <<'END'
.SH SYNOPSIS
.B bitter
.I COMMAND
.RI [ options ]
.br
.B bitter \-\-version
.SH COMMANDS
END
"$@" --help | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1|\2/p' | escape | sed 's/\([^|]*\)|/.TP\
.B \1\
/'
cat <<'END'
.PP
Each command is described in a section of its own.
Behind the text of an option stand, in square brackets, its default and its range.
END
for command in $("$@" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    help_of "$command" "$@" | escape | awk -v command="$command" '
    function text(line) {
        sub(/^ */, "", line)
        print (line ~ /^[.\047]/ ? "\\&" : "") line
    }
    function option(line,    end, name, value) {
        end = index(line, "  ")
        name = substr(line, 1, end - 1)
        value = name ~ /^\\-h,/ ? "" : substr(name, index(name " ", " "))
        print ".TP\n\\fB" substr(name, 1, length(name) - length(value)) "\\fI" value "\\fR"
        text(substr(line, end))
    }
    /^usage: / { # usage shows the name by which the program was called
        called = substr($0, 8, index($0, " " command " [options]") - 8)
        sub(/.* \[options\]/, "[options]")
        print ".SH " toupper(command) "\n.B bitter " command "\n" $0 "\n.PP"
        next
    }
    /^options \[/ { options = 1; next }
    /^examples:$/ { examples = 1; print ".SS Examples\n.nf"; next }
    options && /^[A-Z][^.]*:$/ { sub(/:$/, ""); print ".SS " $0; next }
    examples && (at = index($0, called " ")) { $0 = substr($0, 1, at - 1) "bitter" substr($0, at + length(called)) }
    options && /^  \\-/ { option(substr($0, 3)); next }
    NF { text($0) }
    END { if (examples) print ".fi" }'
done
cat <<'END'
.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
The work failed: a file could not be written, memory ran out, a check did not hold.
.TP
.B 2
The command line, or a file that was given, is wrong. Nothing was written.
.TP
.B 3
A loss or a gradient became infinite or NaN, or training diverged.
.TP
.B 130
Interrupted. Training has saved a checkpoint, from which it continues with
.BR \-\-resume .
.SH ENVIRONMENT
.TP
.B OMP_NUM_THREADS
The number of threads for commands without
.BR \-\-threads .
.TP
.B OPENBLAS_CORETYPE
The kernels that OpenBLAS uses for large matrix products, for example Haswell.
END
