#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Speed of text models for CUDA on this GPU, next to a plain drive of the same library: rounds of both in turn.
#
#     tests/gpu/bench.sh [--rounds N] [--runs N] [--log FILE] MODEL_DIR...
#
# Each MODEL_DIR holds a model.pte of ExecuTorch 1.2 with one method and its aoti_cuda_blob.ptd; a prompt of 512 tokens is
# read and 256 are written. PTERIS names the program, default: the build's; BENCH_CUDA and GPU_CYCLES, those beside it.
# Needs nvcc and gcc (plain-drive.cu, timing-driver.c). Prints one table; everything else goes to the log.

here=$(cd "$(dirname "$0")" && pwd)
PTERIS=${PTERIS:-$here/../../build/app/pteris}
BENCH_CUDA=${BENCH_CUDA:-$here/../../build/tests/bench/bench-cuda}
GPU_CYCLES=${GPU_CYCLES:-$here/../../build/tests/bench/gpu-cycles}
TOKENIZER=${TOKENIZER:-$here/../data/tokenizers/hf_smollm/tokenizer.json}
rounds=3
runs=3
log=/dev/null
while :; do
  case $1 in
  --rounds) rounds=$2; shift 2 ;;
  --runs) runs=$2; shift 2 ;;
  --log) log=$2; shift 2 ;;
  *) break ;;
  esac
done
: >"$log"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
nvcc -O3 -arch=native --cudart shared -Xlinker -export-dynamic "$here/plain-drive.cu" -o "$folder/plain-drive" -ldl || exit 1
gcc -O2 -shared -fPIC "$here/timing-driver.c" -o "$folder/timing.so" -Wl,--no-as-needed -lcuda || exit 1

# RESULT COMMAND...: the last line of its output, a JSON object, is added to that file.
measure() {
  result=$1
  shift
  "$@" >"$folder/out" 2>"$folder/err" || echo "$result failed: $(tail -3 "$folder/err")"
  { echo "== $*"; cat "$folder/out" "$folder/err"; } >>"$log"
  tail -1 "$folder/out" >>"$folder/$result"
}

# MODEL_DIR RUNS
bench() {
  timeout 120 "$PTERIS" bench "$1" --tokenizer "$TOKENIZER" --trust --json --prompt-tokens 512 --new-tokens 256 \
    --repeat "$2"
}

plain() {
  timeout 120 "$folder/plain-drive" "$@"
}

for model; do
  name=$(basename "$model")
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    measure "$name.pteris" bench "$model" "$runs"
    measure "$name.plain" plain "$model" 512 256 "$runs"
    measure "$name.keep" plain --keep "$model" 512 256 "$runs"
  done
  export PTERIS_CUDA="$folder/timing.so"
  measure "$name.timed" bench "$model" 2
  unset PTERIS_CUDA
  cp "$folder/err" "$folder/$name.gpu"
  export PTERIS_CUDA_GRAPHS=0
  measure "$name.eager" bench "$model" 2
  unset PTERIS_CUDA_GRAPHS
  timeout 60 "$BENCH_CUDA" "$model/aoti_cuda_blob.ptd" >"$folder/$name.upload" 2>&1
done

python3 - "$folder" "$@" <<'EOF'
import json, os, re, statistics, sys
folder = sys.argv[1]


def lines(name):
    try:
        return [json.loads(x) for x in open(f"{folder}/{name}") if x.startswith("{")]
    except OSError:
        return []


def median(name, key):
    values = [x[key] for x in lines(name) if key in x]
    return statistics.median(values) if values else float("nan")


for path in sys.argv[2:]:
    name = os.path.basename(path.rstrip("/"))
    ours, plain, keep = (f"{name}.{x}" for x in ("pteris", "plain", "keep"))
    print(f"\n{name}, medians of {len(lines(ours))} rounds")
    print(f"{'':34} {'Pteris':>10} {'plain':>10} {'ratio':>7} {'kept':>10} {'ratio':>7}")
    rows = [("prefill of 512, tokens/s", "prefill_tokens_per_s", "prefill_tokens_per_s"),
            ("  beside the last row alone", "prefill_tokens_per_s", "prefill_last_row_tokens_per_s"),
            ("decode of 256, tokens/s", "decode_tokens_per_s", "decode_tokens_per_s")]
    for title, mine, theirs in rows:
        a, b, c = median(ours, mine), median(plain, theirs), median(keep, theirs)
        print(f"{title:34} {a:10.1f} {b:10.1f} {a / b:6.2f}x {c:10.1f} {a / c:6.2f}x")
    print(f"decode without graphs, tokens/s    {median(name + '.eager', 'decode_tokens_per_s'):10.1f}")
    step = 1e6 / median(ours, "decode_tokens_per_s")
    gpu = re.findall(r"GPU time of .*median ([\d.]+)", open(f"{folder}/{name}.gpu").read())
    if gpu:
        print(f"a step: {step:.1f} us, of which the GPU works {gpu[-1]} us: the host costs {step - float(gpu[-1]):.1f} us")
    whole = [median(plain, x) for x in ("context_s", "library_s", "constants_s")]
    a, b = median(ours, "load_s"), sum(whole)
    print(f"load, all of it, s                 {a:10.3f} {b:10.3f} {b / a:6.2f}x   (plain: context {whole[0]:.3f}, library "
          f"{whole[1]:.3f}, weights {whole[2]:.3f}: {median(plain, 'constants_gb_per_s'):.2f} GB/s)")
    print(open(f"{folder}/{name}.upload").read().rstrip())
    for title, results in ("Pteris", lines(ours)), ("plain", lines(plain) + lines(keep)):
        print(f"tokens, {title}:", *{str(x["tokens"]) for x in results if "tokens" in x})
EOF
for model; do
  echo
  timeout 200 "$GPU_CYCLES" "$model" 50 1000
done
