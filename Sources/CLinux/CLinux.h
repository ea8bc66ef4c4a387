// SPDX-License-Identifier: Apache-2.0
// Linux calls that Swift's Glibc module leaves out: a wake-up for poll(2), epoll(7) for thousands of sockets, and the state
// of the kernel's clock.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timex.h>
