#!/usr/bin/env bash
# Clang 22.1.8 of ziglang 0.17.1, target wasm32-wasi, -O2 and -O3: the high half of a product of two 64-bit numbers,
# written as four products of 32 bits because WebAssembly has no wide multiplication, becomes a call of the library
# function `__multi3`.
#
# Expected: a target without an instruction for a wide product keeps the four multiplications.
# Seen: they are recognized as a wide product, which is then expanded to the call. A search whose keys are such hashes
# spent a tenth of its time in that function; with the function hidden from the compiler, the same code has five
# multiplications and no call.
#
#   as written:       1 call of __multi3, 1 i64.mul
#   with a barrier:   0 calls of __multi3, 5 i64.mul
#
# For Clerestory see engine/shared/hash.pxd. Fails if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ziglang==0.17.1
cat > "$folder/product.c" <<'C'
#include <stdint.h>

#ifndef BARRIER
#define BARRIER(x)
#endif

uint64_t high_half(uint64_t a, uint64_t b) {
    uint64_t low = (uint32_t) a, high = a >> 32, less = (uint32_t) b, more = b >> 32;
    uint64_t carried = low * less >> 32, inner, outer;
    BARRIER(carried);
    inner = high * less + carried;
    outer = low * more + (uint32_t) inner;
    return high * more + (inner >> 32) + (outer >> 32) ^ a * b;
}
C
export ZIG_GLOBAL_CACHE_DIR="$folder/cache" ZIG_LOCAL_CACHE_DIR="$folder/cache"
compiled() { # name, then options
    name=$1
    shift
    "$folder/venv/bin/python" -m ziglang cc -target wasm32-wasi -O2 -g0 -w "$@" -S -o "$folder/$name.s" "$folder/product.c"
    echo "$name: $(grep -c 'call.*__multi3' "$folder/$name.s") calls of __multi3, $(grep -c i64.mul "$folder/$name.s") i64.mul"
}
"$folder/venv/bin/python" -m ziglang cc --version | head -1
written=$(compiled written)
barrier=$(compiled barrier '-DBARRIER(x)=__asm__("" : "+r"(x))')
printf '%s\n' "$written" "$barrier"
[[ $written == "written: 1 calls of __multi3, 1 i64.mul" && $barrier == "barrier: 0 calls of __multi3, 5 i64.mul" ]] ||
    { echo "the behaviour has changed"; exit 1; }
