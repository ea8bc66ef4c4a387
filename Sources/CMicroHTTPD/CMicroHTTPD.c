// SPDX-License-Identifier: Apache-2.0

#include "CMicroHTTPD.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

#define FUNCTIONS(each) \
    each(MHD_start_daemon) each(MHD_stop_daemon) each(MHD_suspend_connection) each(MHD_resume_connection) \
    each(MHD_create_response_from_buffer) each(MHD_create_response_from_callback) each(MHD_add_response_header) \
    each(MHD_queue_response) each(MHD_destroy_response) each(MHD_get_connection_values) each(MHD_get_connection_info)

#define DECLARE(name) static __typeof__(&name) call_##name;
FUNCTIONS(DECLARE)

const char *http_open(void) {
    static void *library;
    if (library != NULL) return NULL;
    void *opened = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) return dlerror();
#define FIND(name) \
    if ((call_##name = (__typeof__(&name))dlsym(opened, #name)) == NULL) return dlerror();
    FUNCTIONS(FIND)
    library = opened;
    return NULL;
}

// The library's own notes on bad requests are for nobody: each can be had by anybody, as often as they like.
static void ignore(void *context, const char *format, va_list arguments) {
    (void)context, (void)format, (void)arguments;
}

struct MHD_Daemon *http_start(const struct HTTPSettings *settings) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    if (settings->address->sa_family == AF_INET6) flags |= MHD_USE_IPv6;
    // What is NULL ends the list.
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"},
        {MHD_OPTION_END, 0, NULL},
    };
    if (settings->certificate != NULL) {
        flags |= MHD_USE_TLS;
    } else {
        tls[0].option = MHD_OPTION_END;
    }
    return call_MHD_start_daemon(
        flags, 0, NULL, NULL, settings->answer, settings->context, MHD_OPTION_EXTERNAL_LOGGER, ignore, NULL,
        MHD_OPTION_SOCK_ADDR, settings->address,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        settings->connections_of_peer, MHD_OPTION_CONNECTION_TIMEOUT, settings->timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->memory, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context, MHD_OPTION_NOTIFY_CONNECTION,
        settings->changed, settings->context, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

void http_stop(struct MHD_Daemon *daemon) { call_MHD_stop_daemon(daemon); }
void http_suspend(struct MHD_Connection *connection) { call_MHD_suspend_connection(connection); }
void http_resume(struct MHD_Connection *connection) { call_MHD_resume_connection(connection); }

struct MHD_Response *http_response(const void *octets, size_t count) {
    return call_MHD_create_response_from_buffer(count, (void *)octets, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *http_stream(
    size_t block, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release) {
    return call_MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block, read, context, release);
}

enum MHD_Result http_add_header(struct MHD_Response *response, const char *name, const char *value) {
    return call_MHD_add_response_header(response, name, value);
}

enum MHD_Result http_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    enum MHD_Result result = call_MHD_queue_response(connection, status, response);
    call_MHD_destroy_response(response);
    return result;
}

void http_values(struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator each, void *context) {
    call_MHD_get_connection_values(connection, kind, each, context);
}

int http_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = call_MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

const struct sockaddr *http_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = call_MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}
