// SPDX-License-Identifier: Apache-2.0

// sd-bus of libsystemd, opened by the one process that is on the bus, the network helper. Linked, it and the libraries that it is
// linked with (six on Debian 12) would be in each gateway: 0.8 MB of memory, and their code beside strangers' octets.
// Its variadic functions, which Swift cannot call, are not needed: messages are made and read piece by piece.

#pragma once
#include <systemd/sd-bus.h>

#define SDBUS_FUNCTIONS(each) \
    each(open_system) each(flush_close_unref) each(get_fd) each(get_events) each(process) each(call) each(error_free) \
    each(message_new_method_call) each(message_unref) each(message_rewind) each(message_peek_type) \
    each(message_append_basic) each(message_append_array) each(message_open_container) each(message_close_container) \
    each(message_read_basic) each(message_read_array) each(message_enter_container) each(message_exit_container) \
    each(message_is_signal) each(message_get_path) each(message_get_interface) each(message_get_member)

/// The library's functions, by their names without `sd_bus_`.
struct SDBus {
#define SDBUS_DECLARE(name) __typeof__(sd_bus_##name) *_Nonnull name;
    SDBUS_FUNCTIONS(SDBUS_DECLARE)
#undef SDBUS_DECLARE
};

/// Opens libsystemd, by its file's name. Returns NULL, or what is wrong: valid until the next call of this thread.
const char *_Nullable sdbus_open(const char *_Nonnull file, struct SDBus *_Nonnull bus);
