// SPDX-License-Identifier: Apache-2.0

// A certificate for the gateway's own page, signed by itself, for those who have none.

#pragma once
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <time.h>

/// Writes a key on P-256 and its certificate as PEM, for `names` as of X509V3_EXT_conf (DNS:…,IP:…), good for `days`.
/// Returns 1, or 0 where OpenSSL cannot.
static inline int make_self_signed(const char *name, const char *names, long days, BIO *certificate, BIO *key) {
    int done = 0;
    // A gateway's clock may be wrong when it starts: the certificate began long ago, and ends long after that.
    const time_t begin = 1704067200;
    time_t now = time(NULL);
    if (now < begin) now = begin;
    EVP_PKEY *pair = EVP_EC_gen("P-256");
    X509 *made = X509_new();
    BIGNUM *serial = BN_new();
    X509_EXTENSION *alternatives = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
    X509_EXTENSION *basic = X509V3_EXT_conf_nid(NULL, NULL, NID_basic_constraints, "critical,CA:FALSE");
    X509_EXTENSION *usage = X509V3_EXT_conf_nid(NULL, NULL, NID_ext_key_usage, "serverAuth");
    if (pair && made && serial && alternatives && basic && usage && X509_set_version(made, 2) &&
        BN_rand(serial, 126, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) &&
        BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(made)) &&
        ASN1_TIME_set(X509_getm_notBefore(made), begin) &&
        X509_time_adj_ex(X509_getm_notAfter(made), (int)days, 0, &now) && X509_set_pubkey(made, pair) &&
        X509_NAME_add_entry_by_txt(
            X509_get_subject_name(made), "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) &&
        X509_set_issuer_name(made, X509_get_subject_name(made)) && X509_add_ext(made, alternatives, -1) &&
        X509_add_ext(made, basic, -1) && X509_add_ext(made, usage, -1) && X509_sign(made, pair, EVP_sha256())) {
        done = PEM_write_bio_X509(certificate, made) &&
               PEM_write_bio_PrivateKey(key, pair, NULL, NULL, 0, NULL, NULL);
    }
    X509_EXTENSION_free(usage);
    X509_EXTENSION_free(basic);
    X509_EXTENSION_free(alternatives);
    BN_free(serial);
    X509_free(made);
    EVP_PKEY_free(pair);
    return done;
}
