// SPDX-License-Identifier: Apache-2.0
#include <mosquitto.h>
#include <mqtt_protocol.h>

#include "TLSContext.h"
