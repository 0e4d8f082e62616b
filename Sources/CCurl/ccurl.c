// The header's checks of types are macros by the names of functions that are defined here.
#define CURL_DISABLE_TYPECHECK
#define _GNU_SOURCE
#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

#define EACH(X)                                                                                        \
    X(curl_easy_cleanup) X(curl_easy_getinfo) X(curl_easy_header) X(curl_easy_init) X(curl_easy_pause) \
    X(curl_easy_setopt) X(curl_easy_strerror) X(curl_free) X(curl_getdate) X(curl_global_init)         \
    X(curl_multi_add_handle) X(curl_multi_cleanup) X(curl_multi_info_read) X(curl_multi_init)          \
    X(curl_multi_perform) X(curl_multi_poll) X(curl_multi_remove_handle) X(curl_multi_setopt)          \
    X(curl_slist_append) X(curl_slist_free_all) X(curl_url) X(curl_url_cleanup) X(curl_url_get) X(curl_url_set)

/// The functions of the loaded library; all NULL until then.
#define FIELD(name) __typeof__(&name) name;
static struct { EACH(FIELD) } lib;

static char failure[256];

static void load(void) {
    void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return;
    }
#define FIND(name)                                                              \
    if (!(lib.name = (__typeof__(&name))dlsym(handle, #name))) {                \
        snprintf(failure, sizeof failure, "libcurl.so.4 is too old: no " #name); \
        return;                                                                 \
    }
    EACH(FIND)
    // OpenSSL's exit handler is left out. It frees what OpenSSL holds for each thread, and `exit` may be
    // called just when the thread of a transfer ends, which frees the same. libcurl may be built with
    // another library.
    int (*initialize)(uint64_t, const void *) =
        (int (*)(uint64_t, const void *))dlsym(handle, "OPENSSL_init_crypto");
    const uint64_t without_exit_handler = 0x00080000; // crypto.h: OPENSSL_INIT_NO_ATEXIT
    if (initialize) initialize(without_exit_handler, NULL);
}

static bool is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return !*failure;
}

const char *ccurl_failure(void) { return is_loaded() ? NULL : failure; }

/// Defines a function of libcurl's: its result, or `otherwise` where there is no libcurl.
#define FORWARD(type, name, parameters, arguments, otherwise) \
    type name parameters { return is_loaded() ? lib.name arguments : (otherwise); }
#define FORWARD_VOID(name, parameters, arguments) \
    void name parameters { if (is_loaded()) lib.name arguments; }

FORWARD(CURLcode, curl_global_init, (long flags), (flags), CURLE_FAILED_INIT)
FORWARD(time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused), -1)
FORWARD_VOID(curl_free, (void *memory), (memory))

FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text),
        (list, text), NULL)
FORWARD_VOID(curl_slist_free_all, (struct curl_slist *list), (list))

FORWARD(CURLU *, curl_url, (void), (), NULL)
FORWARD_VOID(curl_url_cleanup, (CURLU *url), (url))
// Some versions of the header say `const CURLU *`, so it is defined by another name.
CURLUcode url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) __asm__("curl_url_get");
CURLUcode url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    return is_loaded() ? lib.curl_url_get(url, part, text, flags) : CURLUE_BAD_HANDLE;
}
FORWARD(CURLUcode, curl_url_set, (CURLU *url, CURLUPart part, const char *text, unsigned int flags),
        (url, part, text, flags), CURLUE_BAD_HANDLE)

FORWARD(CURL *, curl_easy_init, (void), (), NULL)
FORWARD_VOID(curl_easy_cleanup, (CURL *easy), (easy))
FORWARD(CURLcode, curl_easy_pause, (CURL *easy, int what), (easy, what), CURLE_FAILED_INIT)
FORWARD(const char *, curl_easy_strerror, (CURLcode code), (code), failure)
FORWARD(CURLHcode, curl_easy_header,
        (CURL *easy, const char *name, size_t index, unsigned int origin, int request,
         struct curl_header **header),
        (easy, name, index, origin, request, header), CURLHE_NOT_BUILT_IN)

FORWARD(CURLM *, curl_multi_init, (void), (), NULL)
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi), CURLM_BAD_HANDLE)
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy), (multi, easy), CURLM_BAD_HANDLE)
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy), (multi, easy),
        CURLM_BAD_HANDLE)
FORWARD(CURLMcode, curl_multi_perform, (CURLM *multi, int *running), (multi, running),
        CURLM_BAD_HANDLE)
FORWARD(CURLMcode, curl_multi_poll,
        (CURLM *multi, struct curl_waitfd *others, unsigned int count, int milliseconds, int *ready),
        (multi, others, count, milliseconds, ready), CURLM_BAD_HANDLE)
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), (multi, left), NULL)

#define SET(name, type)                                                           \
    CURLcode name(CURL *easy, CURLoption option, type value) {                    \
        return is_loaded() ? lib.curl_easy_setopt(easy, option, value) : CURLE_FAILED_INIT; \
    }
SET(ccurl_set_long, long)
SET(ccurl_set_string, const char *)
SET(ccurl_set_pointer, void *)

static CURLcode set_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
    return is_loaded() ? lib.curl_easy_setopt(easy, option, callback) : CURLE_FAILED_INIT;
}
CURLcode ccurl_set_write(CURL *easy, curl_write_callback callback) {
    return set_callback(easy, CURLOPT_WRITEFUNCTION, callback);
}
CURLcode ccurl_set_header(CURL *easy, curl_write_callback callback) {
    return set_callback(easy, CURLOPT_HEADERFUNCTION, callback);
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return is_loaded() ? lib.curl_multi_setopt(multi, option, value) : CURLM_BAD_HANDLE;
}
void ccurl_set_sockets(
    CURL *easy, void *context, curl_sockopt_callback opened, curl_closesocket_callback close) {
    if (!is_loaded()) return;
    lib.curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
    lib.curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened);
    lib.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    lib.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
}

#define GET(name, type)                                                          \
    CURLcode name(CURL *easy, CURLINFO info, type *value) {                      \
        return is_loaded() ? lib.curl_easy_getinfo(easy, info, value) : CURLE_FAILED_INIT; \
    }
GET(ccurl_get_long, long)
GET(ccurl_get_offset, curl_off_t)
GET(ccurl_get_string, const char *)
