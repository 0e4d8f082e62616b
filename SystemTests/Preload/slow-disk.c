// Preloaded into a program: makes access take 0.1 s for every path in the folder "disk" beside FILE,
// like a network disk that is far away.
//
// LD_PRELOAD=slow-disk.so HOLD=FILE PROGRAM…
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int access(const char *path, int mode) {
    int (*next)(const char *, int) = dlsym(RTLD_NEXT, "access");
    const char *file = getenv("HOLD");
    const char *name = file ? strrchr(file, '/') : NULL;
    if (name && !strncmp(path, file, name + 1 - file)
        && !strncmp(path + (name + 1 - file), "disk/", 5))
        usleep(100000);
    return next(path, mode);
}
