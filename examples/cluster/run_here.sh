#!/usr/bin/env bash
# run_here.sh SINEW FOLDER: plays two tasks of a SLURM array with the job script on this machine, with a short job.
set -euo pipefail
sinew=$1 folder=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
rm -rf "$folder"
export SINEW=$sinew OUT=$folder/results RUNS=4 STEPS=20
export SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=1 SLURM_ARRAY_TASK_COUNT=2
for task in 0 1; do SLURM_ARRAY_TASK_ID=$task examples/cluster/sweep.sbatch; done
"$sinew" rollout --merge "$OUT" "$folder/all.npz"
test -s "$folder/all.npz"
