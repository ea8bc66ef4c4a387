// SPDX-License-Identifier: Apache-2.0
//
// TLS for libmosquitto with a context of our own. The library's options have no name for the broker's certificate other
// than the host that it connects to, and its check of names is its own; OpenSSL's is used here.
#ifndef MARTLET_TLS_CONTEXT_H
#define MARTLET_TLS_CONTEXT_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stddef.h>

// What goes into a context. Files are PEM; NULL where there is none.
struct martlet_tls_options {
    const char *ca_file;
    const char *certificate_file;
    const char *key_file;
    // The name in the broker's certificate.
    const char *server_name;
    bool server_name_is_address;
    bool verify_name;
};

// Which step failed; `martlet_tls_reason` tells why.
enum martlet_tls_step {
    MARTLET_TLS_OK,
    MARTLET_TLS_CONTEXT,
    MARTLET_TLS_AUTHORITIES,
    MARTLET_TLS_CERTIFICATE,
    MARTLET_TLS_KEY,
    MARTLET_TLS_NAME,
};

// What a context's connections share with who made it; outlives the context.
struct martlet_tls_state {
    // Asked for; NULL asks for none, which is right for addresses (RFC 6066, 3).
    const char *name;
    // What OpenSSL said of the broker's certificate last: X509_V_OK, or what is wrong with it.
    long verdict;
    // Where the connection reads from, instead of the socket.
    BIO *input;
    // There was a connection, and it began its handshake.
    bool has_begun;
    // It ended that handshake. Others may follow: TLS 1.3's new keys are one, too.
    bool is_established;
};

// libmosquitto asks for the host that it connects to, after it has made the connection's state and before the first
// message is written. This runs in between, so that the name that is asked for is the one that is checked, and so that
// not one octet is read past whoever fills the input. And it tells no more of a certificate than that it is not good.
static inline void martlet_tls_note(const SSL *ssl, int where, int value) {
    (void)value;
    struct martlet_tls_state *state = (struct martlet_tls_state *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    if (where & SSL_CB_HANDSHAKE_START && !state->has_begun) {
        state->has_begun = true;
        SSL_set_tlsext_host_name((SSL *)ssl, state->name);
        BIO_up_ref(state->input);
        SSL_set0_rbio((SSL *)ssl, state->input);
    }
    if (where & SSL_CB_HANDSHAKE_DONE) state->is_established = true;
    if (where & SSL_CB_EXIT) state->verdict = SSL_get_verify_result(ssl);
}

// Instead of a question on the terminal: a key with a passphrase is of no use to a service.
static inline int martlet_tls_no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return 0;
}

static inline const char *martlet_tls_reason(void) {
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    return reason ? reason : "it ended without a reason";
}

// A client's context: TLS 1.2 and later, the broker's certificate always checked. NULL when a step fails.
static inline SSL_CTX *martlet_tls_new(
    const struct martlet_tls_options *options, struct martlet_tls_state *state, enum martlet_tls_step *step) {
    ERR_clear_error();
    *step = MARTLET_TLS_CONTEXT;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context) return NULL;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    // While a handshake goes on, what it lets through cannot be looked at.
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) goto failed;

    *step = MARTLET_TLS_AUTHORITIES;
    if ((options->ca_file ? SSL_CTX_load_verify_locations(context, options->ca_file, NULL)
                          : SSL_CTX_set_default_verify_paths(context)) != 1) goto failed;
    SSL_CTX_set_default_passwd_cb(context, martlet_tls_no_passphrase);
    if (options->certificate_file) {
        *step = MARTLET_TLS_CERTIFICATE;
        if (SSL_CTX_use_certificate_chain_file(context, options->certificate_file) != 1) goto failed;
    }
    if (options->key_file) {
        *step = MARTLET_TLS_KEY;
        if (SSL_CTX_use_PrivateKey_file(context, options->key_file, SSL_FILETYPE_PEM) != 1) goto failed;
        if (SSL_CTX_check_private_key(context) != 1) goto failed;
    }

    *step = MARTLET_TLS_NAME;
    if (options->verify_name) {
        X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
        X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        if ((options->server_name_is_address ? X509_VERIFY_PARAM_set1_ip_asc(parameters, options->server_name)
                                             : X509_VERIFY_PARAM_set1_host(parameters, options->server_name, 0)) != 1)
            goto failed;
    }
    SSL_CTX_set_app_data(context, state);
    SSL_CTX_set_info_callback(context, martlet_tls_note);
    *step = MARTLET_TLS_OK;
    return context;

failed:
    SSL_CTX_free(context);
    return NULL;
}

// The first message of a client that knows nothing of the server, for a look at what the server answers. How many octets it
// has; 0 where none could be made.
static inline int martlet_tls_hello(void *buffer, int size) {
    int count = 0;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = context ? SSL_new(context) : NULL;
    BIO *input = BIO_new(BIO_s_mem()), *output = BIO_new(BIO_s_mem());
    if (ssl && input && output) {
        SSL_set_bio(ssl, input, output);
        SSL_set_connect_state(ssl);
        SSL_do_handshake(ssl);
        count = BIO_read(output, buffer, size);
    } else {
        BIO_free(input);
        BIO_free(output);
    }
    SSL_free(ssl);
    SSL_CTX_free(context);
    ERR_clear_error();
    return count > 0 ? count : 0;
}

// What the next record brings on an established connection, without taking it.
enum martlet_tls_peek {
    // The text is in the buffer, or, when there is none, nothing is left of the input.
    MARTLET_TLS_TEXT,
    // The other side has said goodbye.
    MARTLET_TLS_GOODBYE,
    // The other side has asked for new keys, and does not take the message that must come before all others now. The
    // record has not been looked at.
    MARTLET_TLS_STUCK,
    // `martlet_tls_reason` tells why.
    MARTLET_TLS_BROKEN,
};

static inline enum martlet_tls_peek martlet_tls_peek(SSL *ssl, void *buffer, int size, int *count) {
    ERR_clear_error();
    int result = SSL_peek(ssl, buffer, size);
    *count = result > 0 ? result : 0;
    if (result > 0) return MARTLET_TLS_TEXT;
    switch (SSL_get_error(ssl, result)) {
    // The input is memory: it is wanted only when none is left.
    case SSL_ERROR_WANT_READ: return MARTLET_TLS_TEXT;
    case SSL_ERROR_WANT_WRITE: return MARTLET_TLS_STUCK;
    case SSL_ERROR_ZERO_RETURN: return MARTLET_TLS_GOODBYE;
    default: return MARTLET_TLS_BROKEN;
    }
}

#endif
