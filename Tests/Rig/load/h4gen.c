// SPDX-License-Identifier: Apache-2.0
/*
 * h4gen - a fake BLE controller that speaks H4 on a socket and floods the host.
 *
 * It answers the HCI commands a host sends while it starts, then either
 *   adv     floods LE Advertising Reports            (after LE Set Scan Enable)
 *   extadv  floods LE Extended Advertising Reports   (after scan enable, old or extended)
 *   notify  accepts connections, serves one service with one notifying
 *           characteristic, floods ATT Handle Value Notifications
 *           (after the CCCD of every connection has been written)
 *   raw     no handshake: writes the notification stream at once and closes
 *           (for bare parser floors)
 * and measures the CPU, memory and I/O of the process on the other end.
 *
 * It says "h4gen: listening" and, once the flood may begin, "h4gen: ready" on standard error, and one JSON line on
 * standard output when the flood is over. README.md has the flags.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MAXCONN 1024
#define START_RATE 100    /* packets a second until the file of --go is there */
#define FIRST_HANDLE 0x0040

enum { M_ADV, M_EXTADV, M_NOTIFY, M_RAW };
enum { F_MFG, F_BTHOME };

static struct {
    int tcp_port;
    const char *path;
    int seqpacket;
    int mode;
    int adv_format;
    const char *adv_file;
    uint64_t count;
    double seconds;     /* alternative to count */
    double rate;        /* packets per second, 0 = as fast as the socket takes */
    int size;           /* notification value length */
    int adv_len;        /* AD bytes */
    int addrs;          /* distinct advertisers */
    int conns;          /* links that must be subscribed before the flood */
    int mtu;            /* ATT server MTU */
    int frag;           /* ACL fragment size, 0 = whole PDU in one ACL packet */
    int split;          /* cut the stream into writes of this many bytes (0 = off) */
    int chunk;          /* bytes per write in a flood */
    int sndbuf;
    int delay_ms;       /* pause between ready and flood */
    const char *go;     /* until this file is there, packets go at START_RATE and are not counted */
    int ext;            /* claim extended advertising */
    int linger_ms;
    int verbose;
    int pid;
    int acl_len, acl_num;
    int reports;        /* advertising reports per event */
    const char *label;
} o = { .tcp_port = 0, .mode = M_NOTIFY, .count = 1000000, .size = 20, .adv_len = 31,
        .addrs = 100, .conns = 1, .mtu = 247, .chunk = 65536, .delay_ms = 300,
        .linger_ms = 0, .acl_len = 251, .acl_num = 16, .reports = 1, .label = "" };

static int fd = -1;
static pid_t peer = 0;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void die(const char *m) { perror(m); exit(1); }
static void dbg(const char *f, ...)
{
    if (!o.verbose) return;
    va_list a; va_start(a, f); vfprintf(stderr, f, a); va_end(a);
}

/* ---------- output: control queue (FIFO of whole packets) + flood buffer ---------- */
static uint8_t *ctl; static size_t ctl_len, ctl_off, ctl_cap;
static uint8_t *fl;  static size_t fl_len, fl_off;         /* flood bytes being written */
static uint16_t *fl_sz; static size_t fl_n, fl_i;          /* packet sizes (seqpacket) */
static uint64_t blocked;                                   /* EAGAIN count */
static uint64_t writes, bytes_out;

static void put(const uint8_t *p, size_t n)
{
    if (ctl_off == ctl_len) ctl_off = ctl_len = 0;
    if (ctl_len + n + 4 > ctl_cap) {
        ctl_cap = (ctl_len + n + 4) * 2;
        ctl = realloc(ctl, ctl_cap);
    }
    memcpy(ctl + ctl_len, p, n);
    ctl_len += n;
}

static size_t h4_len(const uint8_t *p, size_t n)
{
    if (n < 1) return 0;
    switch (p[0]) {
    case 1: return n < 4 ? 0 : 4u + p[3];
    case 2: return n < 5 ? 0 : 5u + p[3] + ((size_t)p[4] << 8);
    case 3: return n < 4 ? 0 : 4u + p[3];
    case 4: return n < 3 ? 0 : 3u + p[2];
    case 5: return n < 5 ? 0 : 5u + ((p[3] + ((size_t)p[4] << 8)) & 0x3fff);
    }
    fprintf(stderr, "h4gen: bad H4 type 0x%02x from the host\n", p[0]);
    exit(2);
}

/* returns 1 when everything is out, 0 when the socket is full */
static int flush_buf(uint8_t *b, size_t *off, size_t len)
{
    while (*off < len) {
        size_t n = len - *off;
        if (o.seqpacket) n = h4_len(b + *off, n);
        else if (o.split && n > (size_t)o.split) n = o.split;
        ssize_t r = send(fd, b + *off, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (r < 0) {
            if (errno == EAGAIN || errno == ENOBUFS) { blocked++; return 0; }
            if (errno == EINTR) continue;
            fprintf(stderr, "h4gen: host closed the socket (%s)\n", strerror(errno));
            return -1;
        }
        writes++; bytes_out += r;
        *off += r;
    }
    return 1;
}

static int flush_seq_flood(void)
{
    static struct mmsghdr mm[64];
    static struct iovec iv[64];
    while (fl_i < fl_n) {
        int k = 0; size_t off = fl_off;
        for (; k < 64 && fl_i + k < fl_n; k++) {
            iv[k].iov_base = fl + off; iv[k].iov_len = fl_sz[fl_i + k];
            memset(&mm[k], 0, sizeof mm[k]);
            mm[k].msg_hdr.msg_iov = &iv[k]; mm[k].msg_hdr.msg_iovlen = 1;
            off += fl_sz[fl_i + k];
        }
        int r = sendmmsg(fd, mm, k, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (r < 0) {
            if (errno == EAGAIN || errno == ENOBUFS) { blocked++; return 0; }
            if (errno == EINTR) continue;
            return -1;
        }
        writes++;
        for (int j = 0; j < r; j++) { fl_off += fl_sz[fl_i]; bytes_out += fl_sz[fl_i]; fl_i++; }
    }
    return 1;
}

/* ---------- HCI answers ---------- */
static uint64_t le_mask = 0x1f;
static int scanning, flood_ready;
static uint64_t ready_at;
static uint64_t n_cmds;

static void evt(uint8_t code, const uint8_t *p, int n)
{
    uint8_t b[260] = { 4, code, (uint8_t)n };
    memcpy(b + 3, p, n);
    put(b, 3 + n);
}
static void cc(uint16_t op, const uint8_t *ret, int n)     /* Command Complete */
{
    uint8_t b[256] = { 1, op & 0xff, op >> 8 };
    memcpy(b + 3, ret, n);
    evt(0x0e, b, 3 + n);
}
static void cc0(uint16_t op) { uint8_t s = 0; cc(op, &s, 1); }
static void cs(uint16_t op, uint8_t st)                    /* Command Status */
{
    uint8_t b[4] = { st, 1, op & 0xff, op >> 8 };
    evt(0x0f, b, 4);
}

static void addr_of(uint32_t i, uint8_t a[6])              /* static random, LE order */
{
    a[0] = i; a[1] = i >> 8; a[2] = i >> 16; a[3] = 0x50; a[4] = 0x5e; a[5] = 0xc0;
}

struct conn {
    int up, sub, mtu;
    uint8_t addr[6];
    uint32_t seq;
    uint8_t rx[1024]; int rxn, rxneed;
};
static struct conn C[MAXCONN];
static int n_up, n_sub;

static void connect_now(uint16_t op, int at, const uint8_t *a)
{
    int i;
    for (i = 0; i < MAXCONN && C[i].up; i++) ;
    if (i == MAXCONN) { cs(op, 0x09); return; }
    cs(op, 0);
    memset(&C[i], 0, sizeof C[i]);
    C[i].up = 1; C[i].mtu = 23; memcpy(C[i].addr, a, 6);
    n_up++;
    uint16_t h = FIRST_HANDLE + i;
    uint8_t b[40]; int n = 0;
    int enh = (le_mask >> 9) & 1;
    b[n++] = enh ? 0x0a : 0x01;
    b[n++] = 0; b[n++] = h; b[n++] = h >> 8; b[n++] = 0;   /* status, handle, central */
    b[n++] = at; memcpy(b + n, a, 6); n += 6;
    if (enh) { memset(b + n, 0, 12); n += 12; }
    b[n++] = 0x06; b[n++] = 0;      /* 7.5 ms */
    b[n++] = 0; b[n++] = 0;         /* latency */
    b[n++] = 0xf4; b[n++] = 1;      /* supervision timeout */
    b[n++] = 0;                     /* clock accuracy */
    evt(0x3e, b, n);
}

/* ---------- the Filter Accept List: type and address of each entry ---------- */
#define MAXFAL 16
static uint8_t fal[MAXFAL][7];
static int n_fal;

static int find_fal(const uint8_t *e)
{
    for (int i = 0; i < n_fal; i++) if (!memcmp(fal[i], e, 7)) return i;
    return -1;
}
static void connect_listed(uint16_t op)                    /* to the first entry without a link; else it stays pending */
{
    for (int i = 0; i < n_fal; i++) {
        int up = 0;
        for (int j = 0; j < MAXCONN; j++) up |= C[j].up && !memcmp(C[j].addr, fal[i] + 1, 6);
        if (!up) { connect_now(op, fal[i][0], fal[i] + 1); return; }
    }
    cs(op, 0);
}

static void on_cmd(const uint8_t *p, int n)
{
    uint16_t op = p[1] | p[2] << 8;
    const uint8_t *a = p + 4; int an = p[3];
    uint8_t r[256] = { 0 };
    (void)n;
    n_cmds++;
    dbg("cmd 0x%04x len %d\n", op, an);
    switch (op) {
    case 0x0c35: return;                                    /* host num completed: no answer */
    case 0x0c31: r[0] = 0x01; cc(op, r, 1); return;         /* no controller-to-host flow control */
    case 0x1001: { uint8_t v[9] = { 0, 0x0b, 2, 0, 0x0b, 0xff, 0xff, 2, 0 }; cc(op, v, 9); return; }
    case 0x1002: {
        uint8_t *c = r + 1;
        c[0] = 0x20; c[2] = 0x80; c[5] = 0xc0; c[14] = 0xa8; c[15] = 0x22;
        c[25] = 0xf7; c[26] = 0xff; c[27] = 0xff; c[28] = 0x0f;
        c[33] = 0xf0; c[34] = 0xf9; c[35] = 0x7f;
        if (o.ext) { c[36] = 0xfe; c[37] = 0xe3; }
        cc(op, r, 65); return; }
    case 0x1003: r[5] = 0x60; cc(op, r, 9); return;         /* LE, no BR/EDR */
    case 0x1004: r[1] = a[0]; r[2] = 0; r[7] = 0x60; cc(op, r, 11); return;
    case 0x1005: { uint8_t v[8] = { 0, o.acl_len, o.acl_len >> 8, 0, o.acl_num, 0, 0, 0 }; cc(op, v, 8); return; }
    case 0x1009: { uint8_t v[7] = { 0, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06 }; cc(op, v, 7); return; }
    case 0x0c14: memcpy(r + 1, "h4gen", 6); cc(op, r, 249); return;
    case 0x0c2d: case 0x1405: memcpy(r + 1, a, 2); r[3] = 0xc4; cc(op, r, 4); return;
    case 0x2001: le_mask = 0; for (int i = 0; i < 8; i++) le_mask |= (uint64_t)a[i] << (8 * i); cc0(op); return;
    case 0x2002: { uint8_t v[4] = { 0, o.acl_len, o.acl_len >> 8, o.acl_num }; cc(op, v, 4); return; }
    case 0x2060: { uint8_t v[7] = { 0, o.acl_len, o.acl_len >> 8, o.acl_num, 0, 0, 0 }; cc(op, v, 7); return; }
    case 0x2003: r[1] = 0x2f; r[2] = o.ext ? 0x11 : 0x01; cc(op, r, 9); return;
    case 0x2007: r[1] = 0; cc(op, r, 2); return;
    case 0x200f: r[1] = MAXFAL; cc(op, r, 2); return;
    case 0x202a: case 0x203b: case 0x204a: r[1] = 16; cc(op, r, 2); return;
    case 0x203a: r[1] = 0x72; r[2] = 0x06; cc(op, r, 3); return;
    case 0x204b: r[1] = 0xec; r[2] = 8; cc(op, r, 3); return;
    case 0x2036: cc(op, r, 2); return;
    case 0x2017: for (int i = 0; i < 16; i++) r[1 + i] = a[i] ^ a[16 + i]; cc(op, r, 17); return; /* not AES */
    case 0x2018: for (int i = 0; i < 8; i++) r[1 + i] = random(); cc(op, r, 9); return;
    case 0x201c: memset(r + 1, 0xff, 5); r[6] = 3; cc(op, r, 9); return;
    case 0x2022: case 0x201a: case 0x201b: case 0x2020: case 0x2021: memcpy(r + 1, a, 2); cc(op, r, 3); return;
    case 0x2015: memcpy(r + 1, a, 2); memset(r + 3, 0xff, 4); r[7] = 0x1f; cc(op, r, 8); return;
    case 0x2023: { uint8_t v[5] = { 0, 251, 0, 0x48, 0x08 }; cc(op, v, 5); return; }
    case 0x202b: case 0x202c: cc(op, r, 7); return;
    case 0x202f: { uint8_t v[9] = { 0, 251, 0, 0x48, 0x08, 251, 0, 0x48, 0x08 }; cc(op, v, 9); return; }
    case 0x2030: memcpy(r + 1, a, 2); r[3] = 2; r[4] = 2; cc(op, r, 5); return;
    case 0x200c: case 0x2042:
        cc0(op);
        if (op == 0x2042 || an >= 1) scanning = a[0];
        if (scanning && o.mode != M_NOTIFY && !flood_ready) { flood_ready = 1; ready_at = now_ns(); }
        return;
    case 0x200d: if (a[4]) connect_listed(op); else connect_now(op, a[5], a + 6); return;
    case 0x2043: if (a[0]) connect_listed(op); else connect_now(op, a[2], a + 3); return;
    case 0x2010: n_fal = 0; cc0(op); return;
    case 0x2011:
        if (find_fal(a) < 0 && n_fal == MAXFAL) { r[0] = 0x07; cc(op, r, 1); return; }
        if (find_fal(a) < 0) memcpy(fal[n_fal++], a, 7);
        cc0(op); return;
    case 0x2012: { int i = find_fal(a); if (i >= 0) memcpy(fal[i], fal[--n_fal], 7); cc0(op); return; }
    case 0x200e: {
        cc0(op);
        uint8_t b[19] = { 0x01, 0x02 }; evt(0x3e, b, 19); return; }
    case 0x0406: {
        cs(op, 0);
        int i = ((a[0] | a[1] << 8) & 0xfff) - FIRST_HANDLE;
        if (i >= 0 && i < MAXCONN && C[i].up) { C[i].up = 0; n_up--; if (C[i].sub) n_sub--; }
        uint8_t b[4] = { 0, a[0], a[1], 0x16 }; evt(0x05, b, 4); return; }
    case 0x041d: {
        cs(op, 0);
        uint8_t b[8] = { 0, a[0], a[1], 0x0b, 0xff, 0xff, 1, 0 }; evt(0x0c, b, 8); return; }
    case 0x2016: {
        cs(op, 0);
        uint8_t b[12] = { 0x04, 0, a[0], a[1], 0x21, 0x01 }; evt(0x3e, b, 12); return; }
    case 0x2013: {
        cs(op, 0);
        uint8_t b[10] = { 0x03, 0, a[0], a[1], a[4], a[5], a[6], a[7], a[8], a[9] }; evt(0x3e, b, 10); return; }
    case 0x2032: {
        cs(op, 0);
        uint8_t b[6] = { 0x0c, 0, a[0], a[1], 2, 2 }; evt(0x3e, b, 6); return; }
    case 0x2019: cs(op, 0x1a); return;                       /* no encryption here */
    case 0x2025: {
        cs(op, 0);
        uint8_t b[66] = { 0x08, 0x01 }; evt(0x3e, b, 66); return; }
    default: cc0(op); return;
    }
}

/* ---------- ATT server of every fake sensor ---------- */
#define SVC 0x181a
#define CHR 0x2a6e
static void acl_out(uint16_t h, uint16_t cid, const uint8_t *p, int n)
{
    uint8_t b[600] = { 2, h, (h >> 8) | 0x20, (n + 4), (n + 4) >> 8, n, n >> 8, cid, cid >> 8 };
    memcpy(b + 9, p, n);
    put(b, 9 + n);
}
static void att_err(uint16_t h, uint8_t op, uint16_t hd, uint8_t e)
{
    uint8_t b[5] = { 0x01, op, hd, hd >> 8, e };
    acl_out(h, 4, b, 5);
}
static void on_att(int ci, const uint8_t *p, int n)
{
    struct conn *c = &C[ci]; uint16_t h = FIRST_HANDLE + ci;
    uint16_t s = n >= 3 ? p[1] | p[2] << 8 : 0, e = n >= 5 ? p[3] | p[4] << 8 : 0;
    static const uint16_t types[5] = { 0, 0x2800, 0x2803, CHR, 0x2902 };
    dbg("att[%d] op 0x%02x len %d\n", ci, p[0], n);
    switch (p[0]) {
    case 0x02: {
        uint8_t b[3] = { 0x03, o.mtu, o.mtu >> 8 };
        c->mtu = s < o.mtu ? s : o.mtu;
        acl_out(h, 4, b, 3); return; }
    case 0x04: {
        uint8_t b[64] = { 0x05, 1 }; int k = 2;
        for (int i = 1; i <= 4; i++) if (i >= s && i <= e) {
            b[k++] = i; b[k++] = 0; b[k++] = types[i]; b[k++] = types[i] >> 8; }
        if (k == 2) att_err(h, 4, s, 0x0a); else acl_out(h, 4, b, k);
        return; }
    case 0x06:
        if (s <= 1 && n >= 9 && (p[7] | p[8] << 8) == SVC && (p[5] | p[6] << 8) == 0x2800) {
            uint8_t b[5] = { 0x07, 1, 0, 4, 0 }; acl_out(h, 4, b, 5);
        } else att_err(h, 6, s, 0x0a);
        return;
    case 0x08: {
        uint16_t t = n >= 7 ? p[5] | p[6] << 8 : 0;
        if (n == 7 && t == 0x2803 && s <= 2 && e >= 2) {
            uint8_t b[9] = { 0x09, 7, 2, 0, 0x12, 3, 0, CHR & 0xff, CHR >> 8 }; acl_out(h, 4, b, 9);
        } else if (n == 7 && t == CHR && s <= 3 && e >= 3) {
            uint8_t b[6] = { 0x09, 4, 3, 0, 0x2a, 0x08 }; acl_out(h, 4, b, 6);
        } else if (n == 7 && t == 0x2902 && s <= 4 && e >= 4) {
            uint8_t b[6] = { 0x09, 4, 4, 0, c->sub, 0 }; acl_out(h, 4, b, 6);
        } else att_err(h, 8, s, 0x0a);
        return; }
    case 0x10:
        if (s <= 1 && n == 7 && (p[5] | p[6] << 8) == 0x2800) {
            uint8_t b[8] = { 0x11, 6, 1, 0, 4, 0, SVC & 0xff, SVC >> 8 }; acl_out(h, 4, b, 8);
        } else att_err(h, 0x10, s, 0x0a);
        return;
    case 0x0a:
        if (s == 3) { uint8_t b[3] = { 0x0b, 0x2a, 0x08 }; acl_out(h, 4, b, 3); }
        else if (s == 4) { uint8_t b[3] = { 0x0b, c->sub, 0 }; acl_out(h, 4, b, 3); }
        else att_err(h, 0x0a, s, 0x01);
        return;
    case 0x12: case 0x52:
        if (s == 4 && n >= 4) {
            int was = c->sub;
            c->sub = p[3] & 3;
            if (p[0] == 0x12) { uint8_t b = 0x13; acl_out(h, 4, &b, 1); }
            if (!was && c->sub) n_sub++;
            if (was && !c->sub) n_sub--;
            if (n_sub >= o.conns && !flood_ready && o.mode == M_NOTIFY) { flood_ready = 1; ready_at = now_ns(); }
        } else if (p[0] == 0x12) att_err(h, 0x12, s, 0x03);
        return;
    default:
        if (p[0] & 1 || p[0] == 0x1e || p[0] & 0x40) return;  /* responses, confirmation, commands */
        att_err(h, p[0], s, 0x06);
    }
}

static uint64_t acl_in;
static void on_acl(const uint8_t *p, int n)
{
    uint16_t h = (p[1] | p[2] << 8) & 0xfff; int pb = (p[2] >> 4) & 3;
    int i = h - FIRST_HANDLE;
    acl_in++;
    uint8_t nocp[5] = { 1, h, h >> 8, 1, 0 };
    evt(0x13, nocp, 5);
    if (i < 0 || i >= MAXCONN || !C[i].up) return;
    struct conn *c = &C[i];
    const uint8_t *d = p + 5; int dn = n - 5;
    if (pb != 1) { c->rxn = 0; c->rxneed = dn >= 2 ? (d[0] | d[1] << 8) + 4 : 4; }
    if (c->rxn + dn > (int)sizeof c->rx) { c->rxn = 0; return; }
    memcpy(c->rx + c->rxn, d, dn); c->rxn += dn;
    if (c->rxn < c->rxneed) return;
    uint16_t cid = c->rx[2] | c->rx[3] << 8;
    if (cid == 4 && c->rxneed > 4) on_att(i, c->rx + 4, c->rxneed - 4);
    else if (cid == 6) { uint8_t b[2] = { 0x05, 0x05 }; acl_out(h, 6, b, 2); }
    else if (cid == 5 && c->rx[4] == 0x12) { uint8_t b[6] = { 0x13, c->rx[5], 2, 0, 0, 0 }; acl_out(h, 5, b, 6); }
    c->rxn = 0;
}

/* ---------- the flood ---------- */
static uint64_t sent;
static uint8_t tpl[1024]; static int tpl_len;
static uint32_t rr;
static int sub_list[MAXCONN], n_sub_list;
static uint32_t *adv_seq;

static void le32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static void le64(uint8_t *p, uint64_t v) { memcpy(p, &v, 8); }

/* advertising data from a file, a packet a line in hexadecimal digits: sent in turn, by one address after the other */
static struct { uint8_t len, ad[31]; } *file_ad;
static uint32_t n_file_ad;
static void read_adv_file(void)
{
    FILE *f = fopen(o.adv_file, "r");
    char line[80];
    if (!f) { perror(o.adv_file); exit(2); }
    while (fgets(line, sizeof line, f)) {
        int n = 0; unsigned x;
        file_ad = realloc(file_ad, (n_file_ad + 1) * sizeof *file_ad);
        while (n < 31 && sscanf(line + 2 * n, "%2x", &x) == 1) file_ad[n_file_ad].ad[n++] = x;
        file_ad[n_file_ad++].len = n;
    }
    fclose(f);
    if (!n_file_ad) { fprintf(stderr, "%s is empty\n", o.adv_file); exit(2); }
}

/* AD structures; returns length; *mark = offset of seq/timestamp (mfg) or counter (bthome) */
static int make_ad(uint8_t *b, int len, int *mark)
{
    int n = 0;
    b[n++] = 2; b[n++] = 1; b[n++] = 6;
    if (o.adv_format == F_MFG) {
        b[n++] = 15; b[n++] = 0xff; b[n++] = 0xff; b[n++] = 0xff;
        *mark = n; memset(b + n, 0, 12); n += 12;
    } else {                                     /* BTHome v2: packet id, temperature, humidity */
        b[n++] = 0x0c; b[n++] = 0x16; b[n++] = 0xd2; b[n++] = 0xfc; b[n++] = 0x40;
        b[n++] = 0x00; *mark = n; b[n++] = 0;
        b[n++] = 0x02; b[n++] = 0xca; b[n++] = 0x09;
        b[n++] = 0x03; b[n++] = 0xbf; b[n++] = 0x13;
    }
    if (len - n >= 3) {
        int k = len - n - 1;
        b[n++] = k; b[n++] = 9;
        for (int i = 0; i < k - 1; i++) b[n++] = "sensor-0123456789abcdefghijklmnopqrstuvwxyz"[i % 40];
    }
    return n;
}

static int ad_mark, ad_off;
static void make_tpl(void)
{
    uint8_t *t = tpl; int n = 0;
    if (o.mode == M_NOTIFY || o.mode == M_RAW) {
        int att = 3 + o.size, l2 = 4 + att;
        t[n++] = 2; t[n++] = 0; t[n++] = 0x20; t[n++] = l2; t[n++] = l2 >> 8;
        t[n++] = att; t[n++] = att >> 8; t[n++] = 4; t[n++] = 0;
        t[n++] = 0x1b; t[n++] = 3; t[n++] = 0;
        for (int i = 0; i < o.size; i++) t[n++] = i;
        tpl_len = n;
        return;
    }
    uint8_t ad[256]; int m = 0;
    int adn = make_ad(ad, o.adv_len, &m);
    if (o.mode == M_ADV) {
        int per = 10 + adn;
        t[n++] = 4; t[n++] = 0x3e; t[n++] = 2 + per; t[n++] = 0x02; t[n++] = 1;
        t[n++] = 0x00; t[n++] = 1; ad_off = n; n += 6; t[n++] = adn;
        ad_mark = n + m; memcpy(t + n, ad, adn); n += adn; t[n++] = 0xc4;
    } else {
        int per = 24 + adn;
        t[n++] = 4; t[n++] = 0x3e; t[n++] = 2 + per; t[n++] = 0x0d; t[n++] = 1;
        t[n++] = 0x13; t[n++] = 0; t[n++] = 1; ad_off = n; n += 6;
        t[n++] = 1; t[n++] = 0; t[n++] = 0xff; t[n++] = 0x7f; t[n++] = 0xc4;
        t[n++] = 0; t[n++] = 0; t[n++] = 0; memset(t + n, 0, 6); n += 6;
        t[n++] = adn; ad_mark = n + m; memcpy(t + n, ad, adn); n += adn;
    }
    tpl_len = n;
}

static int gen_one(uint8_t *b, uint64_t ts)
{
    int n = tpl_len;
    memcpy(b, tpl, n);
    if (o.mode == M_NOTIFY || o.mode == M_RAW) {
        int ci;
        if (o.mode == M_RAW) { ci = rr++ % o.conns; }
        else ci = sub_list[rr++ % n_sub_list];
        uint16_t h = FIRST_HANDLE + ci;
        b[1] = h; b[2] = 0x20 | (h >> 8);
        if (o.size >= 4) le32(b + 12, C[ci].seq);
        if (o.size >= 12) le64(b + 16, ts);
        C[ci].seq++;
        if (o.frag && n - 5 > o.frag) {
            uint8_t x[1024]; int k = 0, left = n - 5, off = 5, first = 1;
            while (left > 0) {
                int m = left < o.frag ? left : o.frag;
                x[k++] = 2; x[k++] = h; x[k++] = (h >> 8) | (first ? 0x20 : 0x10); x[k++] = m; x[k++] = 0;
                memcpy(x + k, b + off, m); k += m; off += m; left -= m; first = 0;
            }
            memcpy(b, x, k); n = k;
        }
        return n;
    }
    uint32_t i = rr++ % o.addrs;
    addr_of(i, b + ad_off);
    if (n_file_ad) {
        uint32_t k = (rr - 1) % n_file_ad;
        int len = file_ad[k].len;
        b[2] = 12 + len; b[ad_off + 6] = len;
        memcpy(b + ad_off + 7, file_ad[k].ad, len);
        b[ad_off + 7 + len] = 0xc4;
        return ad_off + 8 + len;
    }
    if (o.adv_format == F_MFG) { le32(b + ad_mark, adv_seq[i]); le64(b + ad_mark + 4, ts); }
    else { b[ad_mark] = adv_seq[i]; b[ad_mark + 2] = adv_seq[i] * 7; }
    adv_seq[i]++;
    return n;
}

static void fill(uint64_t want)
{
    uint64_t ts = now_ns();
    if (o.mode == M_NOTIFY) {
        n_sub_list = 0;
        for (int i = 0; i < MAXCONN && n_sub_list < n_sub; i++) if (C[i].up && C[i].sub) sub_list[n_sub_list++] = i;
        if (!n_sub_list) return;
    }
    fl_len = fl_off = fl_n = fl_i = 0;
    while (want-- && fl_len + 700 < (size_t)o.chunk + 700) {
        int n = gen_one(fl + fl_len, ts);
        if (o.seqpacket) {                        /* remember packet borders */
            size_t q = fl_len, e = fl_len + n;
            while (q < e) { size_t l = h4_len(fl + q, e - q); fl_sz[fl_n++] = l; q += l; }
        }
        fl_len += n;
        sent++;
    }
}

/* ---------- the process on the other end ---------- */
struct use { uint64_t cpu_ns; double usr, sys; long hwm, rss; uint64_t rb, wb, wch, syscr; };

static int find_by_inode(unsigned long ino)
{
    char want[64]; snprintf(want, sizeof want, "socket:[%lu]", ino);
    DIR *d = opendir("/proc"); struct dirent *e;
    while (d && (e = readdir(d))) {
        int pid = atoi(e->d_name); if (pid <= 0 || pid == getpid()) continue;
        char p[300]; snprintf(p, sizeof p, "/proc/%d/fd", pid);
        DIR *f = opendir(p); struct dirent *g;
        while (f && (g = readdir(f))) {
            char q[600], l[128]; snprintf(q, sizeof q, "%s/%s", p, g->d_name);
            ssize_t k = readlink(q, l, sizeof l - 1);
            if (k > 0) { l[k] = 0; if (!strcmp(l, want)) { closedir(f); closedir(d); return pid; } }
        }
        if (f) closedir(f);
    }
    if (d) closedir(d);
    return 0;
}
static void find_peer(void)
{
    if (o.pid) { peer = o.pid; return; }
    if (o.path) {
        struct ucred u; socklen_t l = sizeof u;
        if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &l)) peer = u.pid;
        return;
    }
    struct sockaddr_in a, m; socklen_t l = sizeof a, l2 = sizeof m;
    getpeername(fd, (void *)&a, &l); getsockname(fd, (void *)&m, &l2);
    for (int v = 0; v < 2; v++) {
        FILE *f = fopen(v ? "/proc/net/tcp6" : "/proc/net/tcp", "r"); char s[512];
        while (f && fgets(s, sizeof s, f)) {
            char la[64], ra[64]; unsigned st; unsigned long ino = 0;
            if (sscanf(s, " %*d: %63s %63s %x %*s %*s %*s %*d %*d %lu", la, ra, &st, &ino) != 4) continue;
            unsigned lp, rp; char *c1 = strrchr(la, ':'), *c2 = strrchr(ra, ':');
            if (!c1 || !c2) continue;
            lp = strtoul(c1 + 1, 0, 16); rp = strtoul(c2 + 1, 0, 16);
            if (lp == ntohs(a.sin_port) && rp == ntohs(m.sin_port) && ino) {
                int pid = find_by_inode(ino);
                if (pid) { peer = pid; fclose(f); return; }
            }
        }
        if (f) fclose(f);
    }
}
static int get_use(struct use *u)
{
    memset(u, 0, sizeof *u);
    if (!peer) return -1;
    char p[400], s[2048]; FILE *f;
    snprintf(p, sizeof p, "/proc/%d/stat", peer);
    if (!(f = fopen(p, "r"))) return -1;
    size_t k = fread(s, 1, sizeof s - 1, f); s[k] = 0; fclose(f);
    char *q = strrchr(s, ')'); unsigned long ut = 0, st = 0;
    if (q) sscanf(q + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &ut, &st);
    double hz = sysconf(_SC_CLK_TCK); u->usr = ut / hz; u->sys = st / hz;
    snprintf(p, sizeof p, "/proc/%d/task", peer);
    DIR *d = opendir(p); struct dirent *e;
    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.') continue;
        char r[700]; snprintf(r, sizeof r, "%s/%s/schedstat", p, e->d_name);
        if ((f = fopen(r, "r"))) { unsigned long long v; if (fscanf(f, "%llu", &v) == 1) u->cpu_ns += v; fclose(f); }
    }
    if (d) closedir(d);
    snprintf(p, sizeof p, "/proc/%d/status", peer);
    if ((f = fopen(p, "r"))) {
        while (fgets(s, sizeof s, f)) { sscanf(s, "VmHWM: %ld", &u->hwm); sscanf(s, "VmRSS: %ld", &u->rss); }
        fclose(f);
    }
    snprintf(p, sizeof p, "/proc/%d/io", peer);
    if ((f = fopen(p, "r"))) {
        unsigned long long v;
        while (fgets(s, sizeof s, f)) {
            if (sscanf(s, "read_bytes: %llu", &v) == 1) u->rb = v;
            if (sscanf(s, "write_bytes: %llu", &v) == 1) u->wb = v;
            if (sscanf(s, "wchar: %llu", &v) == 1) u->wch = v;
            if (sscanf(s, "syscr: %llu", &v) == 1) u->syscr = v;
        }
        fclose(f);
    }
    return 0;
}
static int outq(void) { int v = 0; if (ioctl(fd, SIOCOUTQ, &v)) return 0; return v; }

/* ---------- set-up ---------- */
static void usage(void)
{
    fprintf(stderr,
    "h4gen (--tcp PORT | --unix PATH | --seqpacket PATH) --mode adv|extadv|notify|raw [...]\n"
    "  --count N        packets in the flood (1000000)\n"
    "  --seconds S      stop after S seconds instead\n"
    "  --rate R         packets per second, 0 = as fast as the socket takes (0)\n"
    "  --size B         notification value bytes, 1..500 (20)\n"
    "  --adv-len B      advertising data bytes (31; up to 229 with extadv)\n"
    "  --adv-format F   mfg (sequence number and timestamp) | bthome (mfg)\n"
    "  --adv-file FILE  advertising data, a packet a line in hexadecimal digits (adv only)\n"
    "  --addrs N        distinct advertisers (100)\n"
    "  --conns K        links that must subscribe before the flood (1)\n"
    "  --mtu M          ATT server MTU (247)\n"
    "  --acl-len B --acl-num N   LE Read Buffer Size answer (251, 16)\n"
    "  --frag B         cut each PDU into ACL fragments of B bytes (off)\n"
    "  --split B        cut the byte stream into writes of B bytes (off)\n"
    "  --chunk B        bytes per write in a flood (65536)\n"
    "  --sndbuf B       SO_SNDBUF\n"
    "  --ext            claim LE Extended Advertising\n"
    "  --delay-ms D     pause between ready and flood (300)\n"
    "  --go FILE        send 100 packets a second, beside those counted, until FILE is there\n"
    "  --linger-ms D    keep the socket open after the report (0)\n"
    "  --pid P          process to account (default: found from the socket)\n"
    "  --label TEXT  --verbose\n");
    exit(64);
}

int main(int argc, char **argv)
{
    static struct option L[] = {
        {"tcp",1,0,'t'},{"unix",1,0,'u'},{"seqpacket",1,0,'q'},{"mode",1,0,'m'},{"count",1,0,'n'},
        {"seconds",1,0,'S'},{"rate",1,0,'r'},{"size",1,0,'s'},{"adv-len",1,0,'l'},{"adv-format",1,0,'F'},{"adv-file",1,0,'i'},
        {"addrs",1,0,'a'},{"conns",1,0,'k'},{"mtu",1,0,'M'},{"acl-len",1,0,'A'},{"acl-num",1,0,'N'},
        {"frag",1,0,'f'},{"split",1,0,'x'},{"chunk",1,0,'c'},{"sndbuf",1,0,'b'},{"ext",0,0,'e'},
        {"delay-ms",1,0,'d'},{"linger-ms",1,0,'g'},{"go",1,0,'G'},{"pid",1,0,'p'},{"label",1,0,'L'},{"verbose",0,0,'v'},
        {"help",0,0,'h'},{0,0,0,0} };
    int ch;
    while ((ch = getopt_long(argc, argv, "h", L, 0)) != -1) switch (ch) {
    case 't': o.tcp_port = atoi(optarg); break;
    case 'u': o.path = optarg; break;
    case 'q': o.path = optarg; o.seqpacket = 1; break;
    case 'm': o.mode = !strcmp(optarg, "adv") ? M_ADV : !strcmp(optarg, "extadv") ? M_EXTADV :
                       !strcmp(optarg, "notify") ? M_NOTIFY : !strcmp(optarg, "raw") ? M_RAW : -1;
              if (o.mode < 0) usage();
              break;
    case 'n': o.count = strtoull(optarg, 0, 0); break;
    case 'S': o.seconds = atof(optarg); break;
    case 'r': o.rate = atof(optarg); break;
    case 's': o.size = atoi(optarg); break;
    case 'l': o.adv_len = atoi(optarg); break;
    case 'F': o.adv_format = !strcmp(optarg, "bthome") ? F_BTHOME : F_MFG; break;
    case 'i': o.adv_file = optarg; break;
    case 'a': o.addrs = atoi(optarg); break;
    case 'k': o.conns = atoi(optarg); break;
    case 'M': o.mtu = atoi(optarg); break;
    case 'A': o.acl_len = atoi(optarg); break;
    case 'N': o.acl_num = atoi(optarg); break;
    case 'f': o.frag = atoi(optarg); break;
    case 'x': o.split = atoi(optarg); break;
    case 'c': o.chunk = atoi(optarg); break;
    case 'b': o.sndbuf = atoi(optarg); break;
    case 'e': o.ext = 1; break;
    case 'd': o.delay_ms = atoi(optarg); break;
    case 'G': o.go = optarg; break;
    case 'g': o.linger_ms = atoi(optarg); break;
    case 'p': o.pid = atoi(optarg); break;
    case 'L': o.label = optarg; break;
    case 'v': o.verbose = 1; break;
    default: usage();
    }
    if (!o.tcp_port && !o.path) usage();
    if (o.mode == M_EXTADV) o.ext = 1;
    if (o.size < 1 || o.size > 500 || o.conns < 1 || o.conns > MAXCONN || o.addrs < 1) usage();
    if (o.adv_len < 18) o.adv_len = 18;
    if (o.mode == M_ADV && o.adv_len > 31) o.adv_len = 31;
    if (o.adv_len > 229) o.adv_len = 229;
    if (o.adv_file) read_adv_file();
    signal(SIGPIPE, SIG_IGN);
    fl = malloc(o.chunk + 8192); fl_sz = malloc(sizeof *fl_sz * (o.chunk / 8 + 4096));
    adv_seq = calloc(o.addrs, sizeof *adv_seq);
    make_tpl();

    int ls;
    if (o.tcp_port) {
        ls = socket(AF_INET, SOCK_STREAM, 0); int one = 1;
        setsockopt(ls, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(o.tcp_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        if (bind(ls, (void *)&a, sizeof a)) die("bind");
    } else {
        ls = socket(AF_UNIX, o.seqpacket ? SOCK_SEQPACKET : SOCK_STREAM, 0);
        struct sockaddr_un a = { .sun_family = AF_UNIX };
        snprintf(a.sun_path, sizeof a.sun_path, "%s", o.path);
        unlink(o.path);
        if (bind(ls, (void *)&a, sizeof a)) die("bind");
    }
    if (listen(ls, 1)) die("listen");
    fprintf(stderr, "h4gen: listening\n");
    fd = accept(ls, 0, 0);
    if (fd < 0) die("accept");
    if (o.tcp_port) { int one = 1; setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); }
    if (o.sndbuf) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &o.sndbuf, sizeof o.sndbuf);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    find_peer();
    if (o.mode == M_RAW) { flood_ready = 1; ready_at = now_ns(); o.delay_ms = 0; }

    static uint8_t in[65536]; size_t inn = 0;
    struct use u0 = {0}, u1 = {0}, uc;
    uint64_t t_first = 0, t_sent = 0, t_done = 0, last_adv = 0, last_cpu = 0, last_move = 0, blocked_ns = 0;
    enum { WAIT, FLOOD, DRAIN, DONE } ph = WAIT;
    uint32_t beacon = 0;
    int eof = 0;
    uint64_t goal = o.seconds > 0 ? (o.rate > 0 ? (uint64_t)(o.rate * o.seconds) : UINT64_MAX) : o.count;
    struct rusage g0, g1;
    /* the rate at present, and the packets that went out at another one */
    double rate = o.go ? START_RATE : o.rate;
    uint64_t before = 0, last_asked = 0;

    while (ph != DONE) {
        uint64_t t = now_ns();
        static int said;
        if (flood_ready && !said) { said = 1; fprintf(stderr, "h4gen: ready\n"); }
        if (ph == WAIT && flood_ready && t - ready_at >= (uint64_t)o.delay_ms * 1000000ull && ctl_off == ctl_len) {
            ph = FLOOD; get_use(&u0); getrusage(RUSAGE_SELF, &g0);
            u1 = u0; writes = bytes_out = blocked = 0; t_first = now_ns(); t = t_first;
        }
        /* let a scanning host see the sensors it is to connect to */
        if (ph == WAIT && o.mode == M_NOTIFY && scanning && t - last_adv > 20000000ull) {
            uint8_t b[40] = { 0x02, 1, 0, 1 }; addr_of(beacon++ % o.conns, b + 4);
            b[10] = 3; b[11] = 2; b[12] = 1; b[13] = 6; b[14] = 0xc4;
            if (o.ext) {
                uint8_t x[64] = { 0x0d, 1, 0x13, 0, 1 }; memcpy(x + 5, b + 4, 6);
                x[11] = 1; x[13] = 0xff; x[14] = 0x7f; x[15] = 0xc4; x[25] = 3; x[26] = 2; x[27] = 1; x[28] = 6;
                evt(0x3e, x, 29);
            } else evt(0x3e, b, 15);
            last_adv = t;
        }
        int full = 0;
        /* control packets only at a packet border of the flood */
        int border = o.seqpacket || fl_off == fl_len;
        if (border && ctl_off < ctl_len) {
            int r = flush_buf(ctl, &ctl_off, ctl_len);
            if (r < 0) eof = 1; else if (!r) full = 1;
        }
        if (ph == FLOOD && o.go && t - last_asked > 20000000ull && fl_off == fl_len) {
            last_asked = t;
            if (access(o.go, F_OK) == 0) {
                fprintf(stderr, "h4gen: goes after %llu packets\n", (unsigned long long)sent);
                before = sent; if (o.seconds == 0) goal += sent; t_first = t; rate = o.rate; o.go = 0;
            }
        }
        if (ph == FLOOD && !full && !eof) {
            if (fl_off == fl_len) {
                uint64_t want = o.go ? UINT64_MAX - sent : goal - sent;
                if (rate > 0) {
                    uint64_t due = before + (uint64_t)(rate * ((t - t_first) / 1e9)) + 1;
                    if (!o.go && due > goal) due = goal;
                    want = due > sent ? due - sent : 0;
                }
                if (o.seconds > 0 && !o.go && t - t_first >= (uint64_t)(o.seconds * 1e9)) { want = 0; goal = sent; }
                if (want) fill(want);
            }
            if (fl_off < fl_len) {
                int r = o.seqpacket ? flush_seq_flood() : flush_buf(fl, &fl_off, fl_len);
                if (r < 0) eof = 1; else if (!r) full = 1;
            }
            if (!o.go && sent >= goal && fl_off == fl_len) {
                ph = DRAIN; t_sent = now_ns(); t_done = t_sent; last_move = t_sent;
                get_use(&u1); last_cpu = u1.cpu_ns;
                if (o.mode == M_RAW) { shutdown(fd, SHUT_WR); }
            }
        }
        if (ph == DRAIN || eof) {
            t = now_ns();
            static uint64_t next;
            if (eof && ph != FLOOD && ph != DRAIN) { fprintf(stderr, "h4gen: host went away before the flood\n"); exit(3); }
            if (eof) { if (ph == FLOOD) t_sent = t_done = t; ph = DONE; break; }
            if (t >= next) {
                next = t + 20000000ull;
                if (get_use(&uc) == 0 && uc.cpu_ns) {
                    if (uc.cpu_ns - last_cpu > 1500000 || outq() > 0) { last_move = t; t_done = t; u1 = uc; }
                    last_cpu = uc.cpu_ns;
                    if (uc.hwm) u1.hwm = uc.hwm;
                    if (t - last_move > 400000000ull) { ph = DONE; break; }
                } else { ph = DONE; break; }
            }
        }
        struct pollfd pf = { .fd = fd, .events = POLLIN };
        int to = 20;
        if (full) pf.events |= POLLOUT;
        else if (ph == FLOOD) to = rate > 0 ? 1 : 0;
        else if (ph == WAIT && flood_ready) to = 1;
        if (eof) continue;
        uint64_t p0 = now_ns();
        int pr = poll(&pf, 1, to);
        if (ph == FLOOD && full) blocked_ns += now_ns() - p0;
        if (pr > 0 && (pf.revents & (POLLIN | POLLHUP | POLLERR))) {
            ssize_t r = recv(fd, in + inn, sizeof in - inn, MSG_DONTWAIT);
            if (r == 0 || (r < 0 && errno != EAGAIN && errno != EINTR)) { eof = 1; continue; }
            if (r > 0) {
                inn += r;
                size_t off = 0;
                while (off < inn) {
                    size_t l = h4_len(in + off, inn - off);
                    if (!l || off + l > inn) break;
                    if (in[off] == 1) on_cmd(in + off, l);
                    else if (in[off] == 2) on_acl(in + off, l);
                    off += l;
                }
                memmove(in, in + off, inn - off); inn -= off;
            }
        }
    }
    getrusage(RUSAGE_SELF, &g1);
    double el = (t_done - t_first) / 1e9, cpu = (u1.cpu_ns - u0.cpu_ns) / 1e9;
    double gc = (g1.ru_utime.tv_sec - g0.ru_utime.tv_sec) + (g1.ru_stime.tv_sec - g0.ru_stime.tv_sec) +
                (g1.ru_utime.tv_usec - g0.ru_utime.tv_usec + g1.ru_stime.tv_usec - g0.ru_stime.tv_usec) / 1e6;
    static const char *mn[] = { "adv", "extadv", "notify", "raw" };
    printf("{\"label\":\"%s\",\"mode\":\"%s\",\"transport\":\"%s\",\"packets\":%llu,\"bytes\":%llu,\"size\":%d,"
           "\"links\":%d,\"addrs\":%d,\"rate_asked\":%.0f,\"write_s\":%.3f,\"drained_s\":%.3f,\"rate\":%.0f,"
           "\"host_cpu_s\":%.3f,\"host_user_s\":%.2f,\"host_sys_s\":%.2f,\"host_cpu_s_per_M\":%.3f,"
           "\"host_peak_rss_kib\":%ld,\"host_write_bytes\":%llu,\"host_wchar\":%llu,\"host_syscr\":%llu,"
           "\"gen_cpu_s\":%.3f,\"gen_blocked_s\":%.3f,\"host_cmds\":%llu,\"host_acl\":%llu,\"host_died\":%d}\n",
           o.label, mn[o.mode], o.tcp_port ? "tcp" : o.seqpacket ? "seqpacket" : "unix",
           (unsigned long long)sent, (unsigned long long)bytes_out,
           o.mode == M_NOTIFY || o.mode == M_RAW ? o.size : o.adv_len, o.mode == M_NOTIFY ? n_sub : 0, o.addrs, o.rate,
           (t_sent - t_first) / 1e9, el, sent / el, cpu, u1.usr - u0.usr, u1.sys - u0.sys, cpu * 1e6 / sent,
           u1.hwm, (unsigned long long)(u1.wb - u0.wb), (unsigned long long)(u1.wch - u0.wch),
           (unsigned long long)(u1.syscr - u0.syscr), gc, blocked_ns / 1e9,
           (unsigned long long)n_cmds, (unsigned long long)acl_in, eof);
    fflush(stdout);
    if (o.linger_ms) usleep(o.linger_ms * 1000);
    close(fd);
    if (o.path) unlink(o.path);
    return 0;
}
