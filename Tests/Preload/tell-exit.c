// Preloaded into a program: tells whether it ends by exit(3) or by quick_exit(3).
//
// LD_PRELOAD=tell-exit.so HOLD=FILE PROGRAM…
//
// After exit FILE.held is there, after quick_exit FILE.quick.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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
static void tell_quick_exit(void) { make("quick"); }

__attribute__((constructor)) static void prepare(void) {
    atexit(tell_exit);
    at_quick_exit(tell_quick_exit);
}
