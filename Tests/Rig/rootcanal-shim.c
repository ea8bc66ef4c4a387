// SPDX-License-Identifier: Apache-2.0
// Preloaded into RootCanal: it listens on loopback only, and every accepted socket has TCP_NODELAY.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static int without_delay(int descriptor)
{
    int one = 1;
    if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return descriptor;
}

int accept(int listener, struct sockaddr *address, socklen_t *length)
{
    int (*next)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "accept");
    return without_delay(next(listener, address, length));
}

int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags)
{
    int (*next)(int, struct sockaddr *, socklen_t *, int) = dlsym(RTLD_NEXT, "accept4");
    return without_delay(next(listener, address, length, flags));
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
    int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    struct sockaddr_in loopback;
    if (address->sa_family == AF_INET) {
        loopback = *(const struct sockaddr_in *)address;
        if (loopback.sin_addr.s_addr == INADDR_ANY) loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address = (const struct sockaddr *)&loopback;
    }
    return next(descriptor, address, length);
}
