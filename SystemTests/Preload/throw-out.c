// Preloaded into a JACK client: breaks the server's connection to a client of this process, as a
// server does that throws the client out.
//
// LD_PRELOAD=throw-out.so THROWN_OUT=NAME HOLD=FILE CLIENT…
//
// The connection to the client whose name ends with NAME breaks as soon as FILE exists.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void *break_when_asked(void *connection) {
    for (int n = 0; n < 6000 && access(getenv("HOLD"), F_OK); n++) usleep(10000);
    shutdown((int)(intptr_t)connection, SHUT_RDWR);
    return NULL;
}

// libjack (jack2) listens at jack_CLIENT_UID_0 for the server, which sends the client its
// notifications there.
int accept(int listener, struct sockaddr *address, socklen_t *length) {
    int (*take)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "accept");
    int connection = take(listener, address, length);
    struct sockaddr_un own = {0};
    socklen_t size = sizeof own;
    char name[64];
    snprintf(name, sizeof name, "%s_%d_", getenv("THROWN_OUT"), (int)getuid());
    pthread_t thread;
    if (connection >= 0 && !getsockname(listener, (struct sockaddr *)&own, &size)
        && own.sun_family == AF_UNIX && strstr(own.sun_path, name))
        pthread_create(&thread, NULL, break_when_asked, (void *)(intptr_t)connection);
    return connection;
}
