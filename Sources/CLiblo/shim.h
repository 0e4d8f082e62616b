// liblo, and what SessionManager needs of C beside it: the members of liblo's union of arguments,
// and options of sockets that Swift's Glibc hides.
#pragma once
#include <errno.h>
#include <lo/lo.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
// Needs time.h before it.
#include <linux/errqueue.h>

// Argument `index`, which must be a string ('s').
static inline const char *cliblo_text(lo_message message, int index) {
    return &lo_message_get_argv(message)[index]->s;
}

// Argument `index`, which must be a 32-bit integer ('i').
static inline int32_t cliblo_number(lo_message message, int index) {
    return lo_message_get_argv(message)[index]->i;
}

// Asks the kernel to report datagrams that were not delivered, ip(7). When false, errno says why.
static inline int cliblo_ask_for_reports(int descriptor) {
    const int on = 1;
    return !setsockopt(descriptor, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
}

// Removes one report of an undelivered datagram; returns its errno, or 0 when there was none.
static inline int cliblo_take_report(int descriptor) {
    char datagram[64];
    union {
        struct cmsghdr header;
        char bytes[512];
    } control;
    struct iovec part = {.iov_base = datagram, .iov_len = sizeof datagram};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof control
    };
    if (recvmsg(descriptor, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return 0;
    for (struct cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each))
        if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_RECVERR)
            return (int)((const struct sock_extended_err *)CMSG_DATA(each))->ee_errno;
    return ECONNREFUSED;
}
