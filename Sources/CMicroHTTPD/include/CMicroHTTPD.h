// SPDX-License-Identifier: Apache-2.0

// GNU libmicrohttpd, opened when it is wanted: linked, it and GnuTLS would cost each gateway 2.8 MB of memory, also those
// without a page. Also a face for functions with a variable number of arguments, which Swift cannot call.

#pragma once
#include <microhttpd.h>

// Constants that Swift would otherwise have by names that depend on the version of the header.
static const enum MHD_Result http_yes = MHD_YES;
static const enum MHD_Result http_no = MHD_NO;
static const enum MHD_ValueKind http_headers = MHD_HEADER_KIND;
static const enum MHD_ConnectionNotificationCode http_started = MHD_CONNECTION_NOTIFY_STARTED;
static const enum MHD_ValueKind http_query = MHD_GET_ARGUMENT_KIND;

/// Opens the library. Returns NULL, or what is wrong: valid until the next call.
const char *http_open(void);

struct HTTPSettings {
    const struct sockaddr *address;
    /// PEM, ended by a zero; both NULL without TLS.
    const char *certificate;
    const char *key;
    unsigned int connections;
    unsigned int connections_of_peer;
    /// Seconds without a sign of life.
    unsigned int timeout;
    /// Octets that a connection may use for what it has read: the longest header.
    size_t memory;
    MHD_AccessHandlerCallback answer;
    MHD_RequestCompletedCallback completed;
    /// A connection was made, or is about to be closed.
    MHD_NotifyConnectionCallback changed;
    void *context;
};

/// Serves on a thread of the library's. NULL where that cannot be, with errno.
struct MHD_Daemon *http_start(const struct HTTPSettings *settings);

/// Returns when no callback runs any more. Nothing may be suspended.
void http_stop(struct MHD_Daemon *daemon);

void http_suspend(struct MHD_Connection *connection);
void http_resume(struct MHD_Connection *connection);

/// The response's octets are copied. NULL without memory.
struct MHD_Response *http_response(const void *octets, size_t count);

/// A response whose octets `read` gives, until it says that there are no more; then, or when the peer goes, `release` is
/// called.
struct MHD_Response *http_stream(
    size_t block, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release);

enum MHD_Result http_add_header(struct MHD_Response *response, const char *name, const char *value);

/// Sends a response, and gives it up.
enum MHD_Result http_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);

/// Calls for each header, or for each argument of the query.
void http_values(struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator each, void *context);

/// The socket of a connection; -1 where it is not known.
int http_descriptor(struct MHD_Connection *connection);

/// The peer's address; NULL where it is not known.
const struct sockaddr *http_peer(struct MHD_Connection *connection);
