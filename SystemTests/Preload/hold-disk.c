// Preloaded into a program: makes stat, access, open, pread, write, rename and unlink hang for every file in the
// folder "disk" beside FILE, like a network disk whose server is gone.
//
// LD_PRELOAD=hold-disk.so HOLD=FILE [HOLD_ONLY=CALL] [DISK_RATE=NUMBER] PROGRAM…
//
// When FILE exists, it is renamed to FILE.held. All these calls, or the one that HOLD_ONLY names,
// then hang until FILE.held is removed, 60 s at most. With DISK_RATE, pread brings so many bytes a second.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether `path` lies in the folder.
static int is_on_disk(const char *path) {
    const char *file = getenv("HOLD");
    const char *name = file ? strrchr(file, '/') : NULL;
    return name && !strncmp(path, file, name + 1 - file)
        && !strncmp(path + (name + 1 - file), "disk/", 5);
}

static void hold(const char *call, const char *path) {
    const char *only = getenv("HOLD_ONLY");
    if ((only && strcmp(only, call)) || !is_on_disk(path)) return;
    char held[4096];
    snprintf(held, sizeof held, "%s.held", getenv("HOLD"));
    rename(getenv("HOLD"), held);
    struct stat facts;
    for (int n = 0; n < 6000 && !lstat(held, &facts); n++) usleep(10000);
}

int stat(const char *path, struct stat *facts) {
    int (*next)(const char *, struct stat *) = dlsym(RTLD_NEXT, "stat");
    hold("stat", path);
    return next(path, facts);
}

int access(const char *path, int mode) {
    int (*next)(const char *, int) = dlsym(RTLD_NEXT, "access");
    hold("access", path);
    return next(path, mode);
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

// The path of an open file; empty where it has none.
static const char *path_of(int file, char path[4096]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, 4095);
    path[length > 0 ? length : 0] = 0;
    return path;
}

ssize_t write(int file, const void *bytes, size_t count) {
    ssize_t (*next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    char path[4096];
    hold("write", path_of(file, path));
    return next(file, bytes, count);
}

static ssize_t paced_pread(const char *call, int file, void *bytes, size_t count, off_t offset) {
    ssize_t (*next)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, call);
    char path[4096];
    hold("pread", path_of(file, path));
    ssize_t got = next(file, bytes, count, offset);
    const char *rate = getenv("DISK_RATE");
    if (rate && is_on_disk(path) && got > 0) usleep(got * 1000000 / atol(rate));
    return got;
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    return paced_pread("pread", file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off_t offset) {
    return paced_pread("pread64", file, bytes, count, offset);
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
