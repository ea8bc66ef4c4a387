// SPDX-License-Identifier: Apache-2.0

// Key agreement on P-256. Numbers have 32 octets, points 64: X and Y, all most significant first.

#pragma once
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <string.h>

enum { P256_NUMBER = 32, P256_POINT = 64 };

/// A new private key, from the system's generator. Returns 1, or 0 where OpenSSL cannot.
static inline int p256_make_private(unsigned char *number) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *made = BN_secure_new();
    int done = 0;
    if (group && made) {
        do
            done = BN_priv_rand_range(made, EC_GROUP_get0_order(group));
        while (done && BN_is_zero(made));
        done = done && BN_bn2binpad(made, number, P256_NUMBER) == P256_NUMBER;
    }
    if (!done) OPENSSL_cleanse(number, P256_NUMBER);
    BN_clear_free(made);
    EC_GROUP_free(group);
    return done;
}

/// Multiplies a point by a private key: `point` is a peer's public key, or NULL for the curve's base point, of which comes
/// one's own. Returns 0 where the number is no private key, or the point is not on the curve (CVE-2018-5383).
static inline int p256_multiply(const unsigned char *number, const unsigned char *point, unsigned char *product) {
    unsigned char octets[1 + P256_POINT] = {POINT_CONVERSION_UNCOMPRESSED};
    // Peers choose the point: what is wrong with it is not to gather in the thread's list of errors.
    ERR_set_mark();
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BN_CTX *context = BN_CTX_secure_new();
    BIGNUM *scalar = BN_secure_new();
    EC_POINT *from = group ? EC_POINT_new(group) : NULL, *to = group ? EC_POINT_new(group) : NULL;
    int done = group && context && scalar && from && to && BN_bin2bn(number, P256_NUMBER, scalar) &&
               !BN_is_zero(scalar) && BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0;
    if (done) BN_set_flags(scalar, BN_FLG_CONSTTIME);
    if (done && point) {
        memcpy(octets + 1, point, P256_POINT);
        // Looks whether both coordinates are in range, and the point on the curve.
        done = EC_POINT_oct2point(group, from, octets, sizeof octets, context) &&
               EC_POINT_mul(group, to, NULL, from, scalar, context);
    } else if (done) {
        done = EC_POINT_mul(group, to, scalar, NULL, NULL, context);
    }
    done = done && EC_POINT_point2oct(group, to, POINT_CONVERSION_UNCOMPRESSED, octets, sizeof octets, context) ==
                       sizeof octets;
    if (done) memcpy(product, octets + 1, P256_POINT);
    OPENSSL_cleanse(octets, sizeof octets);
    EC_POINT_clear_free(to);
    EC_POINT_free(from);
    BN_clear_free(scalar);
    BN_CTX_free(context);
    EC_GROUP_free(group);
    ERR_pop_to_mark();
    return done;
}
