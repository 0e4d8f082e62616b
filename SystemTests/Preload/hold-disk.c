// Preloaded into a program: makes stat, open, write, rename and unlink hang for every file in the folder
// "disk" beside FILE, like a network disk whose server is gone.
//
// LD_PRELOAD=hold-disk.so HOLD=FILE [HOLD_ONLY=CALL] PROGRAM…
//
// When FILE exists, it is renamed to FILE.held. All these calls, or the one that HOLD_ONLY names,
// then hang until FILE.held is removed, 30 s at most.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void hold(const char *call, const char *path) {
    const char *only = getenv("HOLD_ONLY");
    if (only && strcmp(only, call)) return;
    const char *file = getenv("HOLD");
    const char *name = file ? strrchr(file, '/') : NULL;
    char held[4096];
    if (!name || strncmp(path, file, name + 1 - file) || strncmp(path + (name + 1 - file), "disk/", 5))
        return;
    snprintf(held, sizeof held, "%s.held", file);
    rename(file, held);
    struct stat facts;
    for (int n = 0; n < 3000 && !lstat(held, &facts); n++) usleep(10000);
}

int stat(const char *path, struct stat *facts) {
    int (*next)(const char *, struct stat *) = dlsym(RTLD_NEXT, "stat");
    hold("stat", path);
    return next(path, facts);
}

int open(const char *path, int flags, ...) {
    int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    hold("open", path);
    return next(path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t count) {
    ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        hold("write", path);
    }
    return next(file, bytes, count);
}

int rename(const char *path, const char *to) {
    int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    hold("rename", path);
    return next(path, to);
}

int unlink(const char *path) {
    int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
    hold("unlink", path);
    return next(path);
}
