// Preloaded into a JACK client: makes the thread of libjack (jack2) hang that answers the server,
// as where the whole process is held up.
//
// LD_PRELOAD=hold-accept.so HOLD=FILE CLIENT…
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

int accept(int descriptor, struct sockaddr *address, socklen_t *length) {
    int (*next)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "accept");
    const char *file = getenv("HOLD");
    struct sockaddr_un place = {0};
    socklen_t size = sizeof place;
    char held[4096];
    if (file && !getsockname(descriptor, (struct sockaddr *)&place, &size)
        && place.sun_family == AF_UNIX && strstr(place.sun_path, "/jack")) {
        snprintf(held, sizeof held, "%s.held", file);
        if (!rename(file, held))
            for (int n = 0; n < 3000 && !access(held, F_OK); n++) usleep(10000);
    }
    return next(descriptor, address, length);
}
