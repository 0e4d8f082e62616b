#pragma once
#include <curl/curl.h>

// libcurl's functions for options and infos are variadic, and Swift cannot call these: here is one
// wrapper for each type of value.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_write(CURL *easy, curl_write_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
}
static inline CURLcode ccurl_set_header(CURL *easy, curl_write_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
// Callbacks for the sockets that a transfer opens, and that its connections close later.
static inline void ccurl_set_sockets(
    CURL *easy, void *context, curl_sockopt_callback opened, curl_closesocket_callback close) {
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
}
// Ways to give a password. Negotiate and NTLM_WB are left out: they ask a domain's servers, or run a
// helper, and the transfer's thread would wait (docs/decisions/password-basic-first.md).
static const long ccurl_auth_basic = CURLAUTH_BASIC;
static const long ccurl_auth_digest = CURLAUTH_DIGEST;
static const long ccurl_auth_ntlm = CURLAUTH_NTLM;

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}
