#!/bin/sh
# SPDX-License-Identifier: MIT
# Print the line under a recorded result: sh scripts/machine.sh "COMMAND" RUN. The processor is the one in the run's
# config.json.
set -eu
echo "Command: \`$1\`. Machine: $(sed -n 's/.*"cpu": "\(.*\)".*/\1/p' "$2/config.json"), $(getconf _NPROCESSORS_ONLN) cores."
