// libjack, and what JackIO needs of C beside it: wrappers for variadic functions, marks for Swift's
// checker of realtime code, and a child process that cannot outlive its parent.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/session.h>
#include <jack/statistics.h>
#include <jack/transport.h>
#include <linux/memfd.h>
#include <poll.h>
#include <jack/uuid.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CJACK_NO_LOCKS __attribute__((swift_attr("@_noLocks")))

// jack_client_open is variadic. With `server` NULL libjack chooses the server.
static inline jack_client_t *cjack_client_open(const char *name, uint32_t options,
                                               uint32_t *status, const char *server) {
    jack_status_t result = (jack_status_t)0;
    jack_client_t *client =
        server ? jack_client_open(name, (jack_options_t)(options | JackServerName), &result, server)
               : jack_client_open(name, (jack_options_t)options, &result);
    *status = (uint32_t)result;
    return client;
}

// jack.h, jack_port_get_buffer: the buffer must be fetched anew in every process cycle.
CJACK_NO_LOCKS static inline float *cjack_port_buffer(jack_port_t *port, uint32_t frames) {
    return (float *)jack_port_get_buffer(port, frames);
}

// Writes the transport's frame at the beginning of this cycle; returns whether the transport rolls.
// jack.h allows this in the process callback.
CJACK_NO_LOCKS static inline bool cjack_transport(jack_client_t *client, uint32_t *frame) {
    jack_position_t position;
    jack_transport_state_t state = jack_transport_query(client, &position);
    *frame = position.frame;
    return state == JackTransportRolling || state == JackTransportLooping;
}

// Processor time of the calling thread in nanoseconds; a system call.
CJACK_NO_LOCKS static inline uint64_t cjack_thread_nanoseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// How many bytes the process may lock into memory; UINT64_MAX without limit, 0 when unknown.
static inline uint64_t cjack_locked_memory_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit)) return 0;
    return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

// Connects to the Unix socket `path`; -1 when nothing accepts the connection. Never waits: when the
// socket's queue is full, because its program stands still, the result is -1, too.
static inline int cjack_socket_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0) return -1;
    if (!connect(socket_, (struct sockaddr *)&address, sizeof address)) return socket_;
    close(socket_);
    return -1;
}

// Whether the other end of a connection has been closed.
static inline int cjack_has_hung_up(int socket_) {
    struct pollfd state = {.fd = socket_, .events = 0};
    return poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR));
}

// Blocks until `child` has ended. Does not reap it: before cjack_reap no other process gets its id.
static inline void cjack_wait_end(int child) {
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR) continue;
}

// Reaps an ended child; returns its exit code, or 128 + the signal that ended it.
static inline int cjack_reap(int child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Makes a file in memory, closed on exec; -1 with errno when it cannot. Swift's Glibc hides
// memfd_create.
static inline int cjack_memory_file(const char *name) {
    return (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

// Lets a file in memory grow no more: a write beyond its end fails with EPERM (fcntl(2)).
static inline void cjack_seal_memory_file(int file) {
    // F_ADD_SEALS and F_SEAL_GROW, which are GNU extensions.
    fcntl(file, 1033, 0x0004);
}

// Starts `path` in a process group of its own, with standard output in `output`, standard error in
// `errors` and nothing on standard input. The child gets SIGTERM when the calling THREAD ends
// (prctl(2), PR_SET_PDEATHSIG), so that thread must live as long as the child is wanted. Returns
// the child's process id, or −errno. posix_spawn cannot ask for that signal.
static inline int cjack_spawn(const char *path, char *const *arguments, char *const *environment,
                              int output, int errors) {
    int report[2];
    if (pipe2(report, O_CLOEXEC)) return -errno;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) {
        int error = errno;
        close(report[0]);
        close(report[1]);
        return -error;
    }
    if (child == 0) {
        // Only async-signal-safe calls from here on: at the fork another thread may have held any
        // lock, and nobody releases it in the child.
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
        errno = 0;  // signal() refuses some numbers
        int null = open("/dev/null", O_RDONLY);
        if (setpgid(0, 0) || prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent || null < 0 ||
            dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0)
            goto failed;
        // None of our descriptors stay open in the child but the report, which exec closes.
        if (report[1] > 3) close_range(3, (unsigned)report[1] - 1, 0);
        close_range((unsigned)report[1] + 1, ~0u, 0);
        execve(path, arguments, environment);
    failed:;
        int error = errno ? errno : ECHILD;
        if (write(report[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    close(report[1]);
    int error = 0;
    ssize_t count;
    do count = read(report[0], &error, sizeof error);
    while (count < 0 && errno == EINTR);
    close(report[0]);
    if (count == (ssize_t)sizeof error) return -error;
    return (int)child;
}
