#!/bin/bash
# A failing rank stops all ranks within 10 seconds, with its message and an exit code.
# Usage: failure_test.sh "MPIRUN AND FLAGS" PROGRAM
set -u
failed=0

expect() {  # how, exit code (any: not zero), text
  local output code
  output=$(timeout 10 $launch "$program" "$1" 2>&1)
  code=$?
  if [[ $code == 124 ]]; then echo "$1: still running after 10 s"; failed=1; fi
  if [[ $2 == any && $code == 0 || $2 != any && $code != "$2" ]]; then echo "$1: exit code $code, not $2"; failed=1; fi
  if [[ $output != *"$3"* ]]; then echo "$1: '$3' is missing in: $output"; failed=1; fi
}

launch=$1
program=$2
expect throw 1 "error: rank 1: the disk is full"
expect config 2 'error: rank 0: unknown model "gpt-80"'
expect mismatch 1 "all_reduce (sum) of 7 float32 over data"
expect mismatch 1 "all_reduce (sum) of 8 float32 over data"
expect kill any "signal 9"
expect groups 1 "rank 0: no progress for 2 s while waiting for all_reduce (sum) of 8 float32 over x+data"
expect groups 1 "rank 1: no progress for 2 s while waiting for all_reduce (sum) of 8 float32 over data"
expect stall 1 "no progress for 2 s while waiting for all_reduce (sum) of 8 float32 over data among ranks 0 1"
exit $failed
