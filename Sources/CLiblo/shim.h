// liblo, and what SessionManager needs of C beside it: the members of its union of arguments, and
// what Swift's Glibc does not show of sockets.
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

// Asks the kernel to tell of datagrams that found nobody, ip(7). False: errno says why.
static inline int cliblo_report_refusals(int descriptor) {
    const int on = 1;
    return !setsockopt(descriptor, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
}

// Takes one such report away; whether there was one.
static inline int cliblo_take_refusal(int descriptor) {
    char datagram[64];
    return recv(descriptor, datagram, sizeof datagram, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0;
}
