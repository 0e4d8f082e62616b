// Preloaded into a program: tells whether it ends by exit(3) or by quick_exit(3), and whether OpenSSL
// registers a function that exit(3) is to call.
//
// LD_PRELOAD=tell-exit.so HOLD=FILE PROGRAM…
//
// After exit FILE.held is there, after quick_exit FILE.quick, and FILE.libcrypto where the program uses
// OpenSSL. FILE.openssl is made when libcrypto registers a function.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make(const char *ending) {
    const char *file = getenv("HOLD");
    char name[4096];
    if (!file) return;
    snprintf(name, sizeof name, "%s.%s", file, ending);
    int descriptor = open(name, O_WRONLY | O_CREAT, 0600);
    if (descriptor >= 0) close(descriptor);
}

static void tell_exit(void) { make("held"); }
static void tell_quick_exit(void) {
    make("quick");
    if (dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_NOLOAD)) make("libcrypto");
}

__attribute__((constructor)) static void prepare(void) {
    atexit(tell_exit);
    at_quick_exit(tell_quick_exit);
}

// What atexit(3) calls.
int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
    int (*next)(void (*)(void *), void *, void *) =
        (int (*)(void (*)(void *), void *, void *))dlsym(RTLD_NEXT, "__cxa_atexit");
    Dl_info place;
    if (dladdr((void *)function, &place) && strstr(place.dli_fname, "libcrypto")) make("openssl");
    return next(function, argument, library);
}
