// SPDX-License-Identifier: Apache-2.0

// Tells the thread sanitizer of Swift's Mutex. Taking one that is free is inlined, and so the sanitizer sees it; waiting
// for one happens in libswiftSynchronization, which it does not see: without this, what two threads do one after the
// other would be told as a race. Loaded before that library, it stands in the place of those three functions.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Of the sanitizer's runtime, which the programs have that are built with it.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool tryLock(SELF) __asm__(TRY_LOCK);
SWIFT void unlock(SELF) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF) {
    SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    real(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool tryLock(SELF) {
    SWIFT bool (*real)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool isLocked = real(self);
    if (isLocked && __tsan_acquire) __tsan_acquire(self);
    return isLocked;
}

SWIFT void unlock(SELF) {
    SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(self);
    real(self);
}
