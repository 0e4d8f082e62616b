#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

// Standard input, which duet has made a socket.
static const int socket_number = 0;

void wire_receive(void *body, size_t size) {
    char *next = body;
    while (size > 0) {
        ssize_t count = recv(socket_number, next, size, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _Exit(0);
        next += count;
        size -= (size_t)count;
    }
}

enum wire_kind wire_next(uint32_t *size) {
    uint32_t head[2];
    wire_receive(head, sizeof head);
    if (head[1] > WIRE_LARGEST) _Exit(2);
    *size = head[1];
    return head[0];
}

void wire_send2(enum wire_kind kind, const void *first, size_t first_size, const void *second,
                size_t second_size) {
    uint32_t head[2] = {kind, (uint32_t)(first_size + second_size)};
    struct iovec parts[] = {{head, sizeof head},
                            {(void *)first, first_size},
                            {(void *)second, second_size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    while (message.msg_iovlen > 0) {
        ssize_t count = sendmsg(socket_number, &message, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) _Exit(0);
        size_t sent = (size_t)count;
        while (message.msg_iovlen > 0 && sent >= message.msg_iov->iov_len) {
            sent -= message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen > 0) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + sent;
            message.msg_iov->iov_len -= sent;
        }
    }
}

void wire_send(enum wire_kind kind, const void *body, size_t size) {
    wire_send2(kind, body, size, NULL, 0);
}
