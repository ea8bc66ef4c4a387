// SPDX-License-Identifier: Apache-2.0
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

// dl_iterate_phdr(3), whose declaration glibc keeps from who does not define _GNU_SOURCE before everything else.
struct martlet_object {
    ElfW(Addr) base;
    const char *name;
    const ElfW(Phdr) *headers;
    ElfW(Half) count;
};
extern int martlet_each_object(int (*)(struct martlet_object *, size_t, void *), void *) __asm__("dl_iterate_phdr");

/// Unmaps what of one object's file nobody writes to; `failed` becomes true where the kernel would not.
static inline int martlet_unmap_object(struct martlet_object *object, size_t size, void *failed) {
    uintptr_t base = object->base, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < object->count; i++) {
        const ElfW(Phdr) *header = &object->headers[i];
        // The kernel's own, which has no file.
        if (header->p_type == PT_LOAD && base + header->p_vaddr == getauxval(AT_SYSINFO_EHDR)) return 0;
        // The loader has written to code, which has nowhere to come back from.
        if (header->p_type == PT_DYNAMIC)
            for (const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(base + header->p_vaddr); entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 0;
    }
    for (size_t i = 0; i < object->count; i++) {
        const ElfW(Phdr) *header = &object->headers[i];
        if (header->p_type != PT_LOAD || header->p_flags & PF_W) continue;
        uintptr_t begin = (base + header->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (base + header->p_vaddr + header->p_filesz) & ~(page - 1);
        if (begin < end && madvise((void *)begin, end - begin, MADV_DONTNEED)) *(bool *)failed = true;
    }
    return 0;
}

/// Unmaps the pages of the program's and its libraries' files that nobody writes to: code and constants. The kernel keeps
/// them in its cache as long as it has room, and maps each again that is touched. 0, or -1 where it would not.
static inline int martlet_unmap_program_pages(void) {
    bool failed = false;
    martlet_each_object(martlet_unmap_object, &failed);
    return failed ? -1 : 0;
}
