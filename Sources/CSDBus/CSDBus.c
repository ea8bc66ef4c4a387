// SPDX-License-Identifier: Apache-2.0

#include "CSDBus.h"

#include <dlfcn.h>
#include <stddef.h>

const char *sdbus_open(const char *file, struct SDBus *bus) {
    // It stays open: what it has allocated may outlive who asked.
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
#define FIND(name) \
    if ((bus->name = (__typeof__(bus->name))dlsym(library, "sd_bus_" #name)) == NULL) return dlerror();
    SDBUS_FUNCTIONS(FIND)
    return NULL;
}
