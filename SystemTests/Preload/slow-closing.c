// Preloaded into a JACK client: makes jack_client_close slow.
//
// While the file that $HOLD names is there, $HOLD.held appears when a client begins to close, and
// goes when it has closed, 0.2 s later.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int jack_client_close(void *client) {
    int (*close_client)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "jack_client_close");
    const char *hold = getenv("HOLD");
    if (hold == NULL || access(hold, F_OK) != 0) return close_client(client);
    char held[4096];
    snprintf(held, sizeof held, "%s.held", hold);
    close(open(held, O_CREAT | O_WRONLY, 0600));
    usleep(200000);
    int result = close_client(client);
    unlink(held);
    return result;
}
