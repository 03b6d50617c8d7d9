#!/bin/sh
#SBATCH --job-name=polydag-workers
#SBATCH --array=0-9
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@30
# Ten workers with four units at a time each. They end when there has been nothing to do for ten minutes; at the time limit they hand
# back what is not finished. The address, with its token, is in a file that only you can read; the hub writes it to its store:
#   POLYDAG_NATS_FILE=~/hub-store/address sbatch deploy/slurm/workers.sh
set -eu
export POLYDAG_NATS_FILE="${POLYDAG_NATS_FILE:?name the file with the address of the hub}" # polydag reads it as --nats-file
exec polydag worker --jobs "${SLURM_CPUS_PER_TASK:-1}" --set name="slurm-${SLURM_ARRAY_JOB_ID:-0}-${SLURM_ARRAY_TASK_ID:-0}" \
	--set nats-wait=10m --set idle="${WORKER_IDLE:-10m}" --max-memory "${SLURM_MEM_PER_NODE:-4096}M"
