// SPDX-License-Identifier: Apache-2.0

// The files of the page, from the folder `page`, as octets of the program.

#pragma once
#include <stddef.h>

struct PageFile {
    const char *name;
    const unsigned char *octets;
    size_t count;
};

/// One file after the other, from 0; NULL behind the last.
const struct PageFile *page_file(size_t place);
