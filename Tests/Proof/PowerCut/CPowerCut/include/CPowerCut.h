// SPDX-License-Identifier: Apache-2.0
// A layer over SQLite's Unix file system that tells what is asked of it: whoever keeps that can rebuild the disk as a
// power cut at any moment would have left it.
#ifndef CPOWERCUT_H
#define CPOWERCUT_H
#include <stddef.h>
#include <stdint.h>

enum power_cut_kind {
    /// A file was opened that would be made if it did not exist.
    POWER_CUT_OPEN,
    /// `count` octets at `offset`.
    POWER_CUT_WRITE,
    /// The file has `offset` octets now.
    POWER_CUT_TRUNCATE,
    /// What was written to the file is on the disk.
    POWER_CUT_SYNC,
    /// So are the names of its folder.
    POWER_CUT_SYNC_FOLDER,
    POWER_CUT_DELETE,
};

struct power_cut_operation {
    enum power_cut_kind kind;
    /// The whole path of the file.
    const char *path;
    int64_t offset;
    const uint8_t *octets;
    size_t count;
};

/// Called once an operation has succeeded, on its thread; never two calls at a time.
typedef void (*power_cut_observer)(void *context, const struct power_cut_operation *operation);

/// Makes the layer SQLite's default file system for databases that are opened from now on; 0 or SQLite's error.
int power_cut_install(void);

/// Tells `observer` of the files whose path begins with `prefix`; a number to end it with, or -1: there are too many.
int power_cut_watch(const char *prefix, power_cut_observer observer, void *context);

/// No call of the observer is under way when this returns, and none comes.
void power_cut_unwatch(int watch);
#endif
