#pragma once
#include <curl/curl.h>
#include <stddef.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic macros, which Swift
// does not see: one typed function for each kind of value.

typedef size_t (*commute_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode commute_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode commute_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode commute_curl_set_error_buffer(CURL *easy, char *buffer) {
  return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

static inline CURLcode commute_curl_set_headers(CURL *easy, struct curl_slist *lines) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines);
}

// Copies the body: libcurl then repeats it by itself where a kept connection turns out dead.
static inline CURLcode commute_curl_set_body(CURL *easy, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

static inline CURLcode commute_curl_set_sinks(CURL *easy, commute_curl_sink head,
                                              commute_curl_sink body, void *context) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  return curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode commute_curl_only_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

// Without it, giving up a transfer waits for its name look-up, and so do all other transfers.
static inline CURLcode commute_curl_leave_lookups_behind(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
  return CURLE_OK;
#endif
}

static inline long commute_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline CURLMcode commute_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// The result of a finished transfer lies in a union.
static inline CURLcode commute_multi_result(const CURLMsg *message) {
  return message->data.result;
}
