// SPDX-License-Identifier: Apache-2.0

#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(each) \
    each(curl_global_init) each(curl_easy_init) each(curl_easy_setopt) each(curl_easy_perform) \
    each(curl_easy_getinfo) each(curl_easy_cleanup) each(curl_easy_strerror) each(curl_slist_append) \
    each(curl_slist_free_all)

// The header checks the types of arguments by macros of these names.
#undef curl_easy_setopt
#undef curl_easy_getinfo

#define DECLARE(name) static __typeof__(&name) call_##name;
FUNCTIONS(DECLARE)

struct CurlStop {
    atomic_bool is_set;
};

CurlStop *curl_stop_make(void) { return calloc(1, sizeof(struct CurlStop)); }
void curl_stop_set(CurlStop *stop) { atomic_store(&stop->is_set, true); }
void curl_stop_free(CurlStop *stop) { free(stop); }

static const char *find(void *library) {
#define FIND(name) \
    if ((call_##name = (__typeof__(&name))dlsym(library, #name)) == NULL) return dlerror();
    FUNCTIONS(FIND)
    return call_curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "libcurl does not start";
}

const char *curl_open(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *library;
    const char *error = NULL;
    pthread_mutex_lock(&lock);
    if (library == NULL) {
        void *opened = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
        error = opened == NULL ? dlerror() : find(opened);
        if (error == NULL) library = opened;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

// The outcome of a request is its status. The body is for nobody, and read so far that the connection ends well.
struct Reading {
    size_t left;
};

static size_t take(char *octets, size_t size, size_t count, void *context) {
    (void)octets;
    struct Reading *reading = context;
    size_t length = size * count;
    if (length > reading->left) return 0;
    reading->left -= length;
    // An empty piece is no failure.
    return length;
}

static int go_on(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(&((CurlStop *)context)->is_set);
}

// The host of a URL, without name, password, path and query, which may be secrets.
static void copy_host(const char *url, char *host, size_t size) {
    host[0] = 0;
    const char *start = strstr(url, "://");
    if (start == NULL) return;
    start += 3;
    size_t length = strcspn(start, "/?#");
    const char *at = memchr(start, '@', length);
    if (at != NULL) {
        length -= (size_t)(at + 1 - start);
        start = at + 1;
    }
    snprintf(host, size, "%.*s", (int)(length < size ? length : size - 1), start);
    // The server chooses these octets, and people read them: a host has no others.
    for (char *octet = host; *octet != 0; octet++) {
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]", *octet) == NULL) *octet = '?';
    }
}

static void set_up(CURL *curl, const struct CurlRequest *request, struct curl_slist *headers, char *error) {
#define SET(option, value) call_curl_easy_setopt(curl, option, value)
    SET(CURLOPT_ERRORBUFFER, error);
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (request->ca_file != NULL) {
        SET(CURLOPT_CAINFO, request->ca_file);
        SET(CURLOPT_CAPATH, NULL);
    }
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout);
    SET(CURLOPT_TIMEOUT_MS, request->timeout);
    // Signals are for a process with one thread.
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, request->body);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->count);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_USERAGENT, request->user_agent);
    // Each request has a connection of its own: requests are rare.
    SET(CURLOPT_FORBID_REUSE, 1L);
#undef SET
}

struct CurlOutcome curl_post(const struct CurlRequest *request, CurlStop *stop) {
    struct CurlOutcome outcome;
    memset(&outcome, 0, sizeof outcome);
    outcome.code = CURLE_OUT_OF_MEMORY;
    CURL *curl = call_curl_easy_init();
    char type[128];
    snprintf(type, sizeof type, "Content-Type: %s", request->content_type);
    struct curl_slist *headers = call_curl_slist_append(NULL, type);
    // Without this header the library waits a second for the server's leave to send.
    if (headers != NULL) call_curl_slist_append(headers, "Expect:");
    if (headers != NULL && request->header != NULL) call_curl_slist_append(headers, request->header);
    if (curl != NULL && headers != NULL) {
        struct Reading body = {request->limit}, header = {request->limit};
        set_up(curl, request, headers, outcome.error);
        call_curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
        call_curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
        call_curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take);
        call_curl_easy_setopt(curl, CURLOPT_HEADERDATA, &header);
        call_curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        call_curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, go_on);
        call_curl_easy_setopt(curl, CURLOPT_XFERINFODATA, stop);
        outcome.code = call_curl_easy_perform(curl);
        call_curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &outcome.status);
        char *location = NULL;
        call_curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &location);
        if (location != NULL) copy_host(location, outcome.redirect, sizeof outcome.redirect);
    }
    if (outcome.code != CURLE_OK && outcome.error[0] == 0) {
        snprintf(outcome.error, sizeof outcome.error, "%s", call_curl_easy_strerror(outcome.code));
    }
    call_curl_slist_free_all(headers);
    if (curl != NULL) call_curl_easy_cleanup(curl);
    return outcome;
}
