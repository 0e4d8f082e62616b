// The program's own ELF header, which the linker places at the beginning of its first segment.
#pragma once
#include <elf.h>

static inline const Elf64_Ehdr *clink_header(void) {
    extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));
    return &__ehdr_start;
}
