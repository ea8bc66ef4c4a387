// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Foundation
import Glibc

/// The TLS settings of a connection: an OpenSSL context, given to libmosquitto.
package final class TLSContext {
    private let context: OpaquePointer
    private let options: MQTTOptions.TLS
    private let serverName: String
    /// Memory that the context points to.
    private let name: UnsafeMutablePointer<CChar>
    private let state: UnsafeMutablePointer<martlet_tls_state>

    /// - Parameter host: The name that the broker's certificate must have if the options give no name.
    init(_ options: MQTTOptions.TLS, host: String) throws(MQTTFailure) {
        let serverName = options.serverName ?? host
        guard let name = strdup(serverName) else { throw MQTTFailure(code: Int32(MOSQ_ERR_NOMEM.rawValue)) }
        let state = UnsafeMutablePointer<martlet_tls_state>.allocate(capacity: 1)
        let input = BIO_new(BIO_s_mem())
        state.initialize(
            to: martlet_tls_state(
                name: Self.isAddress(serverName) ? nil : UnsafePointer(name), verdict: 0, input: input,
                has_begun: false, is_established: false))
        let (context, step) = Self.make(options, name: name, state: state)
        guard let context, input != nil else {
            SSL_CTX_free(context)
            BIO_free(input)
            free(name)
            state.deallocate()
            throw .unusable(Self.describe(step, options, serverName))
        }
        self.context = context
        self.options = options
        self.serverName = serverName
        self.name = name
        self.state = state
    }

    deinit {
        SSL_CTX_free(context)
        BIO_free(state.pointee.input)
        free(name)
        state.deallocate()
    }

    /// Why the options' files cannot be used, and the key of `[mqtt.tls]` that is at fault; nil when all files can be
    /// used.
    package static func fault(in options: MQTTOptions.TLS) -> (key: String, text: String)? {
        // The name does not concern the files.
        var options = options
        options.verifyHostname = false
        var state = martlet_tls_state(name: nil, verdict: 0, input: nil, has_begun: false, is_established: false)
        let (context, step) = make(options, name: "", state: &state)
        guard let context else {
            let key =
                switch step {
                case MARTLET_TLS_CERTIFICATE: "certificate_file"
                case MARTLET_TLS_KEY: "key_file"
                default: "ca_file"
                }
            return (key, describe(step, options, ""))
        }
        SSL_CTX_free(context)
        return nil
    }

    private static func make(
        _ options: MQTTOptions.TLS, name: UnsafePointer<CChar>, state: UnsafeMutablePointer<martlet_tls_state>
    ) -> (OpaquePointer?, martlet_tls_step) {
        var step = MARTLET_TLS_OK
        let context = withOptional(options.caFile) { caFile in
            withOptional(options.certificateFile) { certificateFile in
                withOptional(options.keyFile) { keyFile in
                    var values = martlet_tls_options(
                        ca_file: caFile, certificate_file: certificateFile, key_file: keyFile, server_name: name,
                        server_name_is_address: isAddress(String(cString: name)), verify_name: options.verifyHostname)
                    return martlet_tls_new(&values, state, &step)
                }
            }
        }
        return (context, step)
    }

    /// Appends the broker's octets to the memory that the connection reads.
    ///
    /// - Returns: False when memory is short.
    func put(_ octets: ArraySlice<UInt8>) -> Bool {
        octets.withUnsafeBytes { BIO_write(state.pointee.input, $0.baseAddress, Int32($0.count)) } == octets.count
    }

    /// Whether the connection's first handshake is over: MQTT octets may come from then on.
    var isEstablished: Bool { state.pointee.is_established }

    /// The fault in the broker's certificate, and the action that helps; nil when there is no fault, or no certificate
    /// yet.
    var problem: String? {
        let verdict = Int32(truncatingIfNeeded: state.pointee.verdict)
        guard verdict != X509_V_OK, let text = X509_verify_cert_error_string(Int(verdict)) else { return nil }
        let reason = String(cString: text)
        return advice(on: verdict).map { "\(reason): \($0)" } ?? reason
    }

    /// True if a right clock would remove the fault.
    var problemIsAboutTime: Bool { Self.isAboutTime(Int32(truncatingIfNeeded: state.pointee.verdict)) }

    private static func isAboutTime(_ verdict: Int32) -> Bool {
        [X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CRL_HAS_EXPIRED].contains(verdict)
    }

    private func advice(on verdict: Int32) -> String? {
        switch verdict {
        case _ where Self.isAboutTime(verdict):
            let now = Date.now.formatted(.iso8601)
            let mend = verdict == X509_V_ERR_CERT_NOT_YET_VALID ? "" : "renew it where it is; but "
            return "\(mend)is the clock of this machine right, which says \(now)?"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "it is not for \(serverName): give the name that it is for (mqtt.tls.server_name)"
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            let file = options.caFile
            return file.map { "its authority is not among the CA certificates given (mqtt.tls.ca_file \(quoted($0)))" }
                ?? "its authority is none of this machine's: give the CA certificate of its authority (mqtt.tls.ca_file)"
        default: return nil
        }
    }

    /// Gives the context to a client, which then uses none of the library's own TLS settings. The client must go first.
    func install(in client: OpaquePointer) -> Int32 {
        let code = mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { return code }
        return mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context))
    }

    /// To be called once, before the client goes.
    ///
    /// The client has a reference of its own to the context. Library versions up to 2.0.11 always give the reference
    /// back. Later versions of 2.0 forget the reference if no TCP connection was made, as in each attempt while a
    /// broker is down.
    func uninstall() {
        guard !state.pointee.has_begun, Self.forgetsContexts else { return }
        SSL_CTX_free(context)
    }

    private static let forgetsContexts: Bool = {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        mosquitto_lib_version(&major, &minor, &revision)
        return major == 2 && minor == 0 && revision >= 12
    }()

    private static func describe(
        _ step: martlet_tls_step, _ options: MQTTOptions.TLS, _ serverName: String
    ) -> String {
        let what =
            switch step {
            case MARTLET_TLS_AUTHORITIES:
                options.caFile.map { "mqtt.tls.ca_file \(quoted($0))" } ?? "the system's certificates"
            case MARTLET_TLS_CERTIFICATE: "mqtt.tls.certificate_file \(quoted(options.certificateFile ?? ""))"
            case MARTLET_TLS_KEY: "mqtt.tls.key_file \(quoted(options.keyFile ?? ""))"
            case MARTLET_TLS_NAME: "mqtt.tls.server_name \(quoted(serverName))"
            default: "TLS"
            }
        let reason = String(cString: martlet_tls_reason())
        // OpenSSL's text for a key of another certificate.
        if step == MARTLET_TLS_KEY, reason.hasSuffix("mismatch") {
            return "\(what) is not the key of \(quoted(options.certificateFile ?? ""))"
        }
        return "\(what) cannot be used: \(reason)"
    }

    private static func isAddress(_ name: String) -> Bool {
        var buffer = in6_addr()
        return inet_pton(AF_INET, name, &buffer) == 1 || inet_pton(AF_INET6, name, &buffer) == 1
    }

    private static func withOptional<Result>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        return text.withCString(body)
    }
}
