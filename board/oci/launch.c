// SPDX-License-Identifier: Apache-2.0
// /usr/local/bin/martlet in the image: runs /usr/bin/martlet with CAP_NET_ADMIN where the container has it, and without
// where it has not.
//
// The kernel gives hci0 only to a process with CAP_NET_ADMIN, and Docker's --cap-add gives that to root alone. So this file
// carries it as a permitted capability, which the kernel grants within the container's bounding set. It is no effective one:
// with that, the kernel would not start this program at all in a container that lacks it, not even for `martlet version`.
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char program[] = "/usr/bin/martlet";

// Makes the capability survive the execve of a program that carries none. Without it, or with no_new_privs, there is
// nothing to pass on: the gateway then says of hci0 what it lacks.
static void pass_on(int capability) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    memset(sets, 0, sizeof sets);
    if (syscall(SYS_capget, &header, sets) != 0) return;
    struct __user_cap_data_struct *set = &sets[CAP_TO_INDEX(capability)];
    if (!(set->permitted & CAP_TO_MASK(capability))) return;
    set->inheritable |= CAP_TO_MASK(capability);
    if (syscall(SYS_capset, &header, sets) != 0) return;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
}

int main(int count, char **arguments) {
    (void)count;
    pass_on(CAP_NET_ADMIN);
    execv(program, arguments);
    fprintf(stderr, "%s: %s\n", program, strerror(errno));
    return 127;
}
