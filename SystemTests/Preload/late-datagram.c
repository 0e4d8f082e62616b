// Preloaded into a program: its first UDP datagram leaves 1.5 s late, as on a machine whose kernel
// delivers it late. duet waits 1 s for a session manager's answer, and 5 s for a project.
//
// LD_PRELOAD=late-datagram.so HOLD=FILE PROGRAM…
//
// FILE.held is there when the datagram leaves.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef ssize_t send_function(int, const void *, size_t, int, const struct sockaddr *, socklen_t);

static struct {
    int descriptor;
    char bytes[1024];
    size_t count;
    struct sockaddr_in place;
} datagram;
static atomic_flag has_sent = ATOMIC_FLAG_INIT;

static send_function *next(void) { return (send_function *)dlsym(RTLD_NEXT, "sendto"); }

static void *send_late(void *nothing) {
    const char *file = getenv("HOLD");
    char held[4096];
    usleep(1500000);
    if (file) {
        snprintf(held, sizeof held, "%s.held", file);
        close(open(held, O_WRONLY | O_CREAT, 0600));
    }
    next()(datagram.descriptor, datagram.bytes, datagram.count, 0,
        (struct sockaddr *)&datagram.place, sizeof datagram.place);
    return nothing;
}

ssize_t sendto(int descriptor, const void *bytes, size_t count, int flags,
    const struct sockaddr *place, socklen_t length) {
    int type = 0;
    socklen_t size = sizeof type;
    pthread_t thread;
    getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size);
    if (type != SOCK_DGRAM || !place || place->sa_family != AF_INET
        || count > sizeof datagram.bytes || atomic_flag_test_and_set(&has_sent))
        return next()(descriptor, bytes, count, flags, place, length);
    datagram.descriptor = descriptor;
    memcpy(datagram.bytes, bytes, count);
    datagram.count = count;
    memcpy(&datagram.place, place, sizeof datagram.place);
    if (pthread_create(&thread, NULL, send_late, NULL)) return -1;
    pthread_detach(thread);
    return count;
}
