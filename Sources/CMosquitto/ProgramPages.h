// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/// Unmaps the pages of the program's file that nobody can write to: its code and constants. The kernel keeps them in its
/// cache as long as it has room, and maps each again that is touched. 0, or -1 with errno.
static inline int martlet_unmap_program_pages(void) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    size_t count = getauxval(AT_PHNUM);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), base = 0;
    for (size_t i = 0; headers && i < count; i++)
        if (headers[i].p_type == PT_PHDR) base = (uintptr_t)headers - headers[i].p_vaddr;
    for (size_t i = 0; headers && i < count; i++) {
        // What is written to, be it only by the loader, as RELRO is, has nowhere to come back from.
        if (headers[i].p_type != PT_LOAD || headers[i].p_flags & PF_W) continue;
        uintptr_t begin = (base + headers[i].p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (base + headers[i].p_vaddr + headers[i].p_filesz) & ~(page - 1);
        if (begin < end && madvise((void *)begin, end - begin, MADV_DONTNEED)) return -1;
    }
    return 0;
}
