// libcurl, which is loaded when one of its functions is called for the first time: with it come thirty
// other libraries, and most songs need none of them. The functions of `curl_` that ccurl.c defines are
// libcurl's, by its own header; the linker misses any other.
#pragma once
#include <curl/curl.h>

/// Why libcurl cannot be loaded, NULL where it is. Then no function makes anything: `curl_url` and
/// the like return NULL, and others an error.
const char *ccurl_failure(void);

// libcurl's functions for options and infos are variadic, and Swift cannot call these: here is one
// wrapper for each type of value.

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_write(CURL *easy, curl_write_callback callback);
CURLcode ccurl_set_header(CURL *easy, curl_write_callback callback);

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
/// Callbacks for the sockets that a transfer opens, and that its connections close later.
void ccurl_set_sockets(
    CURL *easy, void *context, curl_sockopt_callback opened, curl_closesocket_callback close);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value);

// Ways to give a password. Negotiate and NTLM_WB are left out: they ask a domain's servers, or run a
// helper, and the transfer's thread would wait (docs/decisions/password-basic-first.md).
static const long ccurl_auth_basic = CURLAUTH_BASIC;
static const long ccurl_auth_digest = CURLAUTH_DIGEST;
static const long ccurl_auth_ntlm = CURLAUTH_NTLM;
