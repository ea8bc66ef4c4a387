// SPDX-License-Identifier: Apache-2.0
// The kernel's HCI socket interface as libbluetooth-dev declares it, plus what Swift cannot import: macros and ioctls.
#ifndef CBLUEZ_H
#define CBLUEZ_H
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

/// Fills `info` for adapter `info->dev_id`; 0 or -1 with errno. Needs no privilege.
static inline int cbluez_device_info(int descriptor, struct hci_dev_info *info) {
    return ioctl(descriptor, HCIGETDEVINFO, info);
}

/// Powers an adapter down; 0 or -1 with errno. Needs CAP_NET_ADMIN and a raw-channel socket.
static inline int cbluez_device_down(int descriptor, int device) {
    return ioctl(descriptor, HCIDEVDOWN, device);
}
#endif
