// SPDX-License-Identifier: Apache-2.0
//
// sd-bus of libsystemd. Its variadic functions are not imported by Swift, and not needed: messages are made and read piece
// by piece.
#ifndef MARTLET_CSDBUS_H
#define MARTLET_CSDBUS_H

#include <systemd/sd-bus.h>

#endif
