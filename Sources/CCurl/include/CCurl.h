// SPDX-License-Identifier: Apache-2.0

// libcurl, opened when something is to be sent: linked, it and the libraries that it is linked with would be in each gateway.
// Also a face for functions with a variable number of arguments, which Swift cannot call.

#pragma once
#include <curl/curl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/// A POST by HTTPS. Redirects are not followed. The texts end with a zero.
struct CurlRequest {
    const char *_Nonnull url;
    /// `Name: value`; NULL for none.
    const char *_Nullable header;
    const char *_Nonnull user_agent;
    const char *_Nonnull content_type;
    const void *_Nonnull body;
    size_t count;
    /// Certificates to trust, in PEM; NULL: those of the system.
    const char *_Nullable ca_file;
    /// For the connection, and for all; in milliseconds.
    long connect_timeout;
    long timeout;
    /// Octets of the answer, header and body each, that are read at most.
    size_t limit;
};

/// The outcome of a request.
struct CurlOutcome {
    /// `CURLE_OK`: the server has answered.
    CURLcode code;
    /// The answer's status; 0 without an answer. Also known where the rest of the answer is too long.
    long status;
    /// What is wrong, in words; empty where nothing is. It may name the host, and no other part of the URL.
    char error[CURL_ERROR_SIZE];
    /// The host of a redirect's Location; empty without one.
    char redirect[256];
};

/// A sign to stop, seen within a second.
typedef struct CurlStop CurlStop;
CurlStop *_Nullable curl_stop_make(void);
void curl_stop_set(CurlStop *_Nonnull stop);
void curl_stop_free(CurlStop *_Nullable stop);

/// Opens the library. Returns NULL, or what is wrong: valid until the next call. Any thread.
const char *_Nullable curl_open(void);

/// Sends, and waits for the answer. The library is open.
struct CurlOutcome curl_post(const struct CurlRequest *_Nonnull request, CurlStop *_Nonnull stop);
