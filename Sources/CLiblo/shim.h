// liblo, and what SessionManager needs of C beside it: the members of liblo's union of arguments,
// and options of sockets that Swift's Glibc hides.
#pragma once
#include <lo/lo.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

// Argument `index`, which must be a string ('s').
static inline const char *cliblo_text(lo_message message, int index) {
    return &lo_message_get_argv(message)[index]->s;
}

// Argument `index`, which must be a 32-bit integer ('i').
static inline int32_t cliblo_number(lo_message message, int index) {
    return lo_message_get_argv(message)[index]->i;
}

// Asks the kernel to report datagrams that reached no listener, ip(7). When false, errno says why.
static inline int cliblo_report_refusals(int descriptor) {
    const int on = 1;
    return !setsockopt(descriptor, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
}

// Removes one report of an undelivered datagram; returns whether there was one.
static inline int cliblo_take_refusal(int descriptor) {
    char datagram[64];
    return recv(descriptor, datagram, sizeof datagram, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0;
}
