// SPDX-License-Identifier: Apache-2.0
#include "CPowerCut.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_WATCHES = 64 };

static struct {
    char *prefix;
    power_cut_observer observer;
    void *context;
} watches[MAXIMUM_WATCHES];
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;

static void tell(struct power_cut_operation operation) {
    if (!operation.path) return;
    pthread_mutex_lock(&watching);
    for (int i = 0; i < MAXIMUM_WATCHES; i++) {
        if (watches[i].prefix && !strncmp(operation.path, watches[i].prefix, strlen(watches[i].prefix)))
            watches[i].observer(watches[i].context, &operation);
    }
    pthread_mutex_unlock(&watching);
}

int power_cut_watch(const char *prefix, power_cut_observer observer, void *context) {
    int found = -1;
    pthread_mutex_lock(&watching);
    for (int i = 0; i < MAXIMUM_WATCHES && found < 0; i++) {
        if (watches[i].prefix) continue;
        watches[i].prefix = strdup(prefix);
        watches[i].observer = observer;
        watches[i].context = context;
        found = i;
    }
    pthread_mutex_unlock(&watching);
    return found;
}

void power_cut_unwatch(int watch) {
    if (watch < 0 || watch >= MAXIMUM_WATCHES) return;
    pthread_mutex_lock(&watching);
    free(watches[watch].prefix);
    watches[watch].prefix = NULL;
    pthread_mutex_unlock(&watching);
}

// MARK: - A file

/// The Unix file follows in the same allocation.
struct file {
    sqlite3_file head;
    sqlite3_file *below;
    const char *path;
    /// The first sync of a log or of a rollback journal syncs the names of its folder as well (os_unix.c, unixSync).
    int syncs_folder;
};

#define BELOW(f) (((struct file *)(f))->below)

static int file_close(sqlite3_file *f) { return BELOW(f)->pMethods->xClose(BELOW(f)); }

static int file_read(sqlite3_file *f, void *octets, int count, sqlite3_int64 offset) {
    return BELOW(f)->pMethods->xRead(BELOW(f), octets, count, offset);
}

static int file_write(sqlite3_file *f, const void *octets, int count, sqlite3_int64 offset) {
    int code = BELOW(f)->pMethods->xWrite(BELOW(f), octets, count, offset);
    if (code == SQLITE_OK)
        tell((struct power_cut_operation){POWER_CUT_WRITE, ((struct file *)f)->path, offset, octets, (size_t)count});
    return code;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
    int code = BELOW(f)->pMethods->xTruncate(BELOW(f), size);
    if (code == SQLITE_OK) tell((struct power_cut_operation){POWER_CUT_TRUNCATE, ((struct file *)f)->path, size, NULL, 0});
    return code;
}

static int file_sync(sqlite3_file *f, int flags) {
    struct file *file = (struct file *)f;
    int code = BELOW(f)->pMethods->xSync(BELOW(f), flags);
    if (code != SQLITE_OK) return code;
    tell((struct power_cut_operation){POWER_CUT_SYNC, file->path, 0, NULL, 0});
    if (file->syncs_folder) tell((struct power_cut_operation){POWER_CUT_SYNC_FOLDER, file->path, 0, NULL, 0});
    file->syncs_folder = 0;
    return code;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) { return BELOW(f)->pMethods->xFileSize(BELOW(f), size); }
static int file_lock(sqlite3_file *f, int level) { return BELOW(f)->pMethods->xLock(BELOW(f), level); }
static int file_unlock(sqlite3_file *f, int level) { return BELOW(f)->pMethods->xUnlock(BELOW(f), level); }
static int file_reserved(sqlite3_file *f, int *held) { return BELOW(f)->pMethods->xCheckReservedLock(BELOW(f), held); }
static int file_control(sqlite3_file *f, int code, void *value) {
    return BELOW(f)->pMethods->xFileControl(BELOW(f), code, value);
}
static int file_sector(sqlite3_file *f) { return BELOW(f)->pMethods->xSectorSize(BELOW(f)); }
static int file_traits(sqlite3_file *f) { return BELOW(f)->pMethods->xDeviceCharacteristics(BELOW(f)); }
static int file_map(sqlite3_file *f, int page, int size, int extend, void volatile **memory) {
    return BELOW(f)->pMethods->xShmMap(BELOW(f), page, size, extend, memory);
}
static int file_lock_memory(sqlite3_file *f, int offset, int count, int flags) {
    return BELOW(f)->pMethods->xShmLock(BELOW(f), offset, count, flags);
}
static void file_barrier(sqlite3_file *f) { BELOW(f)->pMethods->xShmBarrier(BELOW(f)); }
static int file_unmap(sqlite3_file *f, int delete) { return BELOW(f)->pMethods->xShmUnmap(BELOW(f), delete); }

// Version 2: without xFetch, so that nothing is written past this layer through a mapping. The index of the log is shared
// memory that SQLite rebuilds after a crash; it is not told.
static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_reserved,
    file_control, file_sector, file_traits, file_map, file_lock_memory, file_barrier, file_unmap, NULL, NULL,
};

// MARK: - The file system

static sqlite3_vfs *below;
static sqlite3_vfs layer;

static int layer_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *f, int flags, int *given) {
    (void)vfs;
    struct file *file = (struct file *)f;
    file->below = (sqlite3_file *)(file + 1);
    file->path = flags & SQLITE_OPEN_DELETEONCLOSE ? NULL : path;
    file->syncs_folder = flags & SQLITE_OPEN_CREATE
        && flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL);
    int code = below->xOpen(below, path, file->below, flags, given);
    file->head.pMethods = file->below->pMethods ? &methods : NULL;
    if (code == SQLITE_OK && flags & SQLITE_OPEN_CREATE)
        tell((struct power_cut_operation){POWER_CUT_OPEN, file->path, 0, NULL, 0});
    return code;
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int sync_folder) {
    (void)vfs;
    int code = below->xDelete(below, path, sync_folder);
    if (code != SQLITE_OK) return code;
    tell((struct power_cut_operation){POWER_CUT_DELETE, path, 0, NULL, 0});
    if (sync_folder) tell((struct power_cut_operation){POWER_CUT_SYNC_FOLDER, path, 0, NULL, 0});
    return code;
}

static int installed = SQLITE_MISUSE;

static void install(void) {
    sqlite3_initialize();
    below = sqlite3_vfs_find("unix");
    if (!below) {
        installed = SQLITE_NOTFOUND;
        return;
    }
    // Whatever is not about files is the Unix file system's own: of the structure it asks for mxPathname only.
    layer = *below;
    layer.zName = "martlet-recorder";
    layer.szOsFile = (int)sizeof(struct file) + below->szOsFile;
    layer.pNext = NULL;
    layer.xOpen = layer_open;
    layer.xDelete = layer_delete;
    installed = sqlite3_vfs_register(&layer, 1);
}

int power_cut_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    return installed;
}
