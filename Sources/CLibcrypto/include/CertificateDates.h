// SPDX-License-Identifier: Apache-2.0

// Until when certificates are good.

#pragma once
#include <openssl/pem.h>
#include <time.h>

/// When the first of the certificates in a PEM file ends, in seconds since 1970; `begin` is when the last of them begins.
/// Returns how many there are, or -1 where the file cannot be read.
static inline int certificate_dates(const char *path, long long *begin, long long *end) {
    BIO *file = BIO_new_file(path, "r");
    if (!file) return -1;
    int count = 0;
    X509 *one;
    while (count < 1000 && (one = PEM_read_bio_X509(file, NULL, NULL, NULL))) {
        struct tm from, to;
        if (ASN1_TIME_to_tm(X509_get0_notBefore(one), &from) && ASN1_TIME_to_tm(X509_get0_notAfter(one), &to)) {
            long long first = timegm(&from), last = timegm(&to);
            if (!count || first > *begin) *begin = first;
            if (!count || last < *end) *end = last;
            count++;
        }
        X509_free(one);
    }
    BIO_free(file);
    return count;
}
