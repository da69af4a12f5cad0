#!/usr/bin/env bash
# Clang of ziglang 0.17.1, x86-64: `__builtin_cpu_supports` is 0 for every feature, even for sse2, which all processors
# of that architecture have, and even after `__builtin_cpu_init()`.
#
# Expected: the answers of GCC on the same machine.
# Seen: no warning and no error, but 0. Code that chooses its fast path by this function silently takes the slow one when
# `zig cc` has built it. (ziglang 0.16.0 does not link the same file: `__cpu_model` is undefined.)
#
#   gcc: 1, after initialization 1
#   zig: 0, after initialization 0
#
# For Clerestory see engine/values/net.pyx: a wheel from `zig cc` evaluates positions without AVX2; its answers have the
# same bits. Fails if the behaviour has changed. Needs x86-64 and gcc.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ziglang==0.17.1
cat > "$folder/supports.c" <<'C'
#include <stdio.h>

int main(void) {
    int before = __builtin_cpu_supports("sse2") != 0;
    __builtin_cpu_init();
    printf("%d, after initialization %d\n", before, __builtin_cpu_supports("sse2") != 0);
    return 0;
}
C
export ZIG_GLOBAL_CACHE_DIR="$folder/cache" ZIG_LOCAL_CACHE_DIR="$folder/cache"
gcc -O2 -o "$folder/by_gcc" "$folder/supports.c"
"$folder/venv/bin/python" -m ziglang cc -O2 -o "$folder/by_zig" "$folder/supports.c"
gcc=$("$folder/by_gcc")
zig=$("$folder/by_zig")
printf 'gcc: %s\nzig: %s\n' "$gcc" "$zig"
[[ $gcc == "1, after initialization 1" && $zig == "0, after initialization 0" ]] ||
    { echo "the behaviour has changed"; exit 1; }
