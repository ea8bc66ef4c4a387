// SPDX-License-Identifier: Apache-2.0
// The kernel's HCI socket interface as libbluetooth-dev declares it, plus what Swift cannot import: macros and ioctls.
#ifndef CBLUEZ_H
#define CBLUEZ_H
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

/// Fills `info` for adapter `info->dev_id`; 0 or -1 with errno. Needs no privilege.
static inline int cbluez_device_info(int descriptor, struct hci_dev_info *info) {
    return ioctl(descriptor, HCIGETDEVINFO, info);
}

/// Sends a packet over a Unix socket, and with it `descriptor` unless that is negative; octets sent, or -1 with errno.
static inline ssize_t cbluez_send_descriptor(int socket, const void *octets, size_t count, int descriptor) {
    struct iovec part = {(void *)octets, count};
    union { struct cmsghdr header; char octets[CMSG_SPACE(sizeof(int))]; } control = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Receives a packet over a Unix socket, and in `descriptor` the one that came with it, closed on exec, or -1; octets
/// received, or -1 with errno.
static inline ssize_t cbluez_receive_descriptor(int socket, void *octets, size_t capacity, int *descriptor) {
    struct iovec part = {octets, capacity};
    union { struct cmsghdr header; char octets[CMSG_SPACE(sizeof(int))]; } control = {0};
    // Room for one: the padding of CMSG_SPACE would be filled with a second.
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(sizeof(int))};
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = received < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS
        && header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return received;
}
#endif
