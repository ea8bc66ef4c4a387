// SPDX-License-Identifier: Apache-2.0
//
// floor PORT adv|extadv|notify LINKS - the least that a host can do with h4gen's flood: read the socket, find the packets, parse
// them down to the value or to the manufacturer's data, and check each sequence number. Nothing is remembered of a peer but that
// number; there is no queue, no thread and no callback. What a real host costs is compared with this.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_ADVERTISER_OCTETS = 1 << 24, HANDLES = 4096 };

static int fd;
static uint64_t callbacks, gaps;
static uint32_t *expected_of_address, expected_of_handle[HANDLES];
static uint16_t answered;      // the opcode of the command that was answered last
static int connected = -1, subscribed;

static uint16_t u16(const uint8_t *p) { return p[0] | p[1] << 8; }
static uint32_t u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }

static void send_all(const uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done <= 0) { perror("write"); exit(1); }
        p += done; n -= done;
    }
}

static void count(uint32_t sequence, uint32_t *expected)
{
    callbacks++;
    if (sequence != *expected) gaps++;
    *expected = sequence + 1;
}

// AD structures: a length, a type, and data. Core 5.4, Vol 3, Part C, 11.
static void advertisement(const uint8_t *address, const uint8_t *data, size_t n)
{
    for (size_t i = 0; i + 1 < n && data[i] > 0; i += data[i] + 1) {
        if (i + 1 + data[i] > n) return;
        if (data[i + 1] == 0xFF && data[i] >= 7) {
            count(u32(data + i + 4), &expected_of_address[address[0] | address[1] << 8 | address[2] << 16]);
            return;
        }
    }
}

static void event(const uint8_t *p, size_t n)
{
    if (p[1] == 0x0E && n >= 6) answered = u16(p + 4);
    if (p[1] == 0x0F && n >= 7) answered = u16(p + 5);
    if (p[1] != 0x3E || n < 5) return;
    size_t at = 5;
    switch (p[3]) {
    case 0x01: case 0x0A: connected = u16(p + 5) & 0x0FFF; break;
    case 0x02:
        for (int left = p[4]; left > 0 && at + 9 <= n && at + 10 + p[at + 8] <= n; left--) {
            advertisement(p + at + 2, p + at + 9, p[at + 8]);
            at += 10 + p[at + 8];
        }
        break;
    case 0x0D:
        for (int left = p[4]; left > 0 && at + 24 <= n && at + 24 + p[at + 23] <= n; left--) {
            advertisement(p + at + 3, p + at + 24, p[at + 23]);
            at += 24 + p[at + 23];
        }
        break;
    }
}

// One L2CAP frame in one packet, as the generator sends them.
static void data(const uint8_t *p, size_t n)
{
    uint16_t handle = u16(p + 1) & 0x0FFF;
    if (n < 10 || u16(p + 7) != 0x0004) return;
    if (p[9] == 0x13) subscribed++;
    if (p[9] == 0x1B && n >= 16) count(u32(p + 12), &expected_of_handle[handle]);
}

static size_t length(const uint8_t *p, size_t n)
{
    if (n < 5) return 0;
    size_t whole = p[0] == 0x04 ? 3 + p[2] : p[0] == 0x02 ? 5 + u16(p + 3) : 0;
    if (!whole) { fprintf(stderr, "no packet begins with %02x\n", p[0]); exit(1); }
    return whole <= n ? whole : 0;
}

// Reads once, and takes what is whole; 0 at the end.
static int turn(void)
{
    static uint8_t buffer[1 << 17];
    static size_t filled;
    ssize_t got = read(fd, buffer + filled, sizeof buffer - filled);
    if (got <= 0) return 0;
    filled += got;
    size_t at = 0, whole;
    while ((whole = length(buffer + at, filled - at))) {
        if (buffer[at] == 0x04) event(buffer + at, whole); else data(buffer + at, whole);
        at += whole;
    }
    memmove(buffer, buffer + at, filled -= at);
    return 1;
}

static void command(uint16_t opcode, const uint8_t *parameters, uint8_t n)
{
    uint8_t packet[64] = { 0x01, opcode & 0xFF, opcode >> 8, n };
    memcpy(packet + 4, parameters, n);
    answered = 0;
    send_all(packet, 4 + n);
    while (answered != opcode) if (!turn()) { fprintf(stderr, "no answer to %04x\n", opcode); exit(1); }
}

static void subscribe(int links)
{
    for (int i = 0; i < links; i++) {
        uint8_t create[25] = { 0x60, 0, 0x30, 0, 0, 1, i, i >> 8, 0, 0x50, 0x5E, 0xC0, 0, 6, 0, 6, 0, 0, 0, 0xF4, 1 };
        connected = -1;
        command(0x200D, create, sizeof create);
        while (connected < 0) if (!turn()) exit(1);
        // The CCCD has handle 4: Core 5.4, Vol 3, Part G, 3.3.3.3.
        uint8_t write_request[] = { 0x02, connected, connected >> 8, 9, 0, 5, 0, 4, 0, 0x12, 4, 0, 1, 0 };
        int before = subscribed;
        send_all(write_request, sizeof write_request);
        while (subscribed == before) if (!turn()) exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) { fprintf(stderr, "floor PORT adv|extadv|notify LINKS\n"); return 2; }
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])) };
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    expected_of_address = calloc(FIRST_ADVERTISER_OCTETS, sizeof *expected_of_address);
    if (fd < 0 || !expected_of_address || connect(fd, (void *)&to, sizeof to)) { perror("floor"); return 1; }
    command(0x0C03, NULL, 0);
    if (!strcmp(argv[2], "adv")) {
        command(0x200B, (uint8_t[]){ 0, 0x10, 0, 0x10, 0, 0, 0 }, 7);
        command(0x200C, (uint8_t[]){ 1, 0 }, 2);
    } else if (!strcmp(argv[2], "extadv")) {
        command(0x2041, (uint8_t[]){ 0, 0, 1, 0, 0x10, 0, 0x10, 0 }, 8);
        command(0x2042, (uint8_t[]){ 1, 0, 0, 0, 0, 0 }, 6);
    } else {
        subscribe(atoi(argv[3]));
    }
    while (turn()) ;
    printf("{\"callbacks\": %llu, \"gaps\": %llu}\n", (unsigned long long)callbacks, (unsigned long long)gaps);
    return 0;
}
