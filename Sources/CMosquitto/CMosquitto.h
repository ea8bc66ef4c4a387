// SPDX-License-Identifier: Apache-2.0
#include <mosquitto.h>
#include <mqtt_protocol.h>

#include "ProgramPages.h"
#include "TLSContext.h"

// Linux calls of the gateway's edges that Swift's Glibc module leaves out: the publisher's wake-up and the state of
// the kernel's clock.
#include <sys/eventfd.h>
#include <sys/timex.h>
