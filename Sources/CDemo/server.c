#define _GNU_SOURCE
#include "CDemo.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool send_all(int connection, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = send(connection, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (count <= 0) return false;
        done += (size_t)count;
    }
    return true;
}

// Answers one request with a whole file, or for "Range: bytes=N-" with the rest from byte N on.
static void answer(int connection) {
    char request[8192];
    size_t fill = 0;
    do {
        ssize_t count = recv(connection, request + fill, sizeof request - 1 - fill, 0);
        if (count <= 0) return;
        fill += (size_t)count;
        request[fill] = 0;
    } while (!strstr(request, "\r\n\r\n") && fill < sizeof request - 1);

    const unsigned char *bytes = NULL;
    size_t size = 0, from = 0;
    if (!strncmp(request, "GET /song.mp3 ", 14)) bytes = cdemo_song, size = cdemo_song_size;
    if (!strncmp(request, "GET /voice.mp3 ", 15)) bytes = cdemo_voice, size = cdemo_voice_size;
    const char *range = strcasestr(request, "\r\nRange: bytes=");
    bool is_part = range && sscanf(range + 15, "%zu-", &from) == 1 && from < size;
    if (!is_part) from = 0;

    char head[256];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %s\r\nConnection: close\r\nAccept-Ranges: bytes\r\n"
                          "Content-Length: %zu\r\n",
                          !bytes ? "404 Not Found" : is_part ? "206 Partial Content" : "200 OK",
                          size - from);
    if (is_part)
        length += snprintf(head + length, sizeof head - (size_t)length,
                           "Content-Range: bytes %zu-%zu/%zu\r\n", from, size - 1, size);
    length += snprintf(head + length, sizeof head - (size_t)length, "\r\n");
    if (send_all(connection, head, (size_t)length) && bytes)
        send_all(connection, bytes + from, size - from);
}

// Serves one connection after the other: the files are small, and clients read them at once.
static void *serve(void *argument) {
    int listener = (int)(intptr_t)argument;
    for (;;) {
        int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            return NULL;
        }
        answer(connection);
        close(connection);
    }
}

int cdemo_serve(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -errno;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    int error = 0;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4) ||
        getsockname(listener, (struct sockaddr *)&address, &length)) {
        error = errno;
    } else {
        // Blocked on the new thread: signals go to the threads that expect them.
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(&thread, NULL, serve, (void *)(intptr_t)listener);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (error) {
        close(listener);
        return -error;
    }
    pthread_detach(thread);
    return ntohs(address.sin_port);
}
