#!/bin/bash
# A failing rank stops all ranks within 10 seconds, with its message and an exit code.
# Usage: failure_test.sh "MPIRUN AND FLAGS" PROGRAM
set -u
failed=0

expect() {  # ranks, how, exit code (any: not zero), text ...
  local ranks=$1 how=$2 wanted=$3 output code text
  output=$(timeout 10 $launch -n "$ranks" "$program" "$how" 2>&1)
  code=$?
  if [[ $code == 124 ]]; then echo "$how: still running after 10 s"; failed=1; fi
  if [[ $wanted == any && $code == 0 || $wanted != any && $code != "$wanted" ]]; then
    echo "$how: exit code $code, not $wanted"
    failed=1
  fi
  for text in "${@:4}"; do
    if [[ $output != *"$text"* ]]; then echo "$how: '$text' is missing in: $output"; failed=1; fi
  done
}

launch=$1
program=$2
expect 2 throw 1 "error: rank 1: the disk is full"
expect 2 config 2 'error: rank 0: unknown model "gpt-80"'
expect 2 kill any "signal 9"
expect 2 stall 1 "no progress for 2 s while waiting for all_reduce (sum) of 8 float32 over data among ranks 0 1" \
  "without word from rank 1"
expect 2 mismatch 1 \
  "rank 0 issued all_reduce (sum) of 8 float32 over data, number 1 on comm_data (block 3) while rank 1 issued" \
  "all_reduce (sum) of 7 float32 over data"
expect 2 groups 1 "all_reduce (sum) of 8 float32 over x+data" "all_reduce (sum) of 8 float32 over data"
expect 2 streams 1 "without word from rank" "on comm_x" "on comm_y"
expect 4 deadlock 1 "no progress for 2 s while waiting for all_reduce (sum) of 8 float32 over" \
  "without word from rank" "waits for this one in"
exit $failed
