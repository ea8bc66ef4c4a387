// SPDX-License-Identifier: Apache-2.0

// Until when certificates are good.

#pragma once
#include <openssl/pem.h>
#include <time.h>

/// When the certificates in a PEM file are good, in seconds since 1970. With `all` from the last begin to the first end: all of
/// them are good, as a chain must be. Without from the first begin to the last end: one of them is enough, as in a list of
/// authorities. Returns how many there are, or -1 where the file cannot be read.
static inline int certificate_dates(const char *path, int all, long long *begin, long long *end) {
    BIO *file = BIO_new_file(path, "r");
    if (!file) return -1;
    int count = 0;
    X509 *one;
    while (count < 1000 && (one = PEM_read_bio_X509(file, NULL, NULL, NULL))) {
        struct tm from, to;
        if (ASN1_TIME_to_tm(X509_get0_notBefore(one), &from) && ASN1_TIME_to_tm(X509_get0_notAfter(one), &to)) {
            long long first = timegm(&from), last = timegm(&to);
            if (!count || (all ? first > *begin : first < *begin)) *begin = first;
            if (!count || (all ? last < *end : last > *end)) *end = last;
            count++;
        }
        X509_free(one);
    }
    BIO_free(file);
    return count;
}
