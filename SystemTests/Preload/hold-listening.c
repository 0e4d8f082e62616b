// Preloaded into a program: makes listen hang for a Unix socket that is none of libjack's, between the
// moment when the socket has a place and that in which it can be connected to.
//
// LD_PRELOAD=hold-listening.so HOLD=FILE PROGRAM…
//
// When FILE exists, it is renamed to FILE.held. The call then hangs until FILE.held is removed,
// 30 s at most.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int listen(int descriptor, int backlog) {
    int (*next)(int, int) = dlsym(RTLD_NEXT, "listen");
    const char *file = getenv("HOLD");
    struct sockaddr_un place = {0};
    socklen_t size = sizeof place;
    char held[4096];
    if (file && !getsockname(descriptor, (struct sockaddr *)&place, &size)
        && place.sun_family == AF_UNIX && !strstr(place.sun_path, "/jack")) {
        snprintf(held, sizeof held, "%s.held", file);
        if (!rename(file, held))
            for (int n = 0; n < 3000 && !access(held, F_OK); n++) usleep(10000);
    }
    return next(descriptor, backlog);
}
