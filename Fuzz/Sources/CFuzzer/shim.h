// libFuzzer as a library: the toolchain ships it without a header.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *count, char ***arguments, int (*attack)(const uint8_t *bytes, size_t count));
