// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Foundation
import Testing

@testable import Gateway

/// An authority and its certificates for one test, made by openssl(1).
struct CertificateShop {
    struct Failed: Error {
        let arguments: [String]
    }

    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try makeAuthority("ca")
    }

    var authority: String { folder.path("ca.pem") }
    func certificate(_ name: String) -> String { folder.path("\(name).pem") }
    func key(_ name: String) -> String { folder.path("\(name).key") }

    func makeAuthority(_ name: String) throws {
        try Self.openssl(Self.request(name) + ["-keyout", key(name), "-out", certificate(name)])
    }

    /// - Parameter names: As for a subjectAltName: `DNS:broker.test`.
    func make(_ name: String, for names: String, by authority: String = "ca") throws {
        try Self.openssl(
            Self.request(name) + [
                "-keyout", key(name), "-out", certificate(name), "-CA", certificate(authority), "-CAkey",
                key(authority),
                "-addext", "subjectAltName=\(names)", "-addext", "basicConstraints=critical,CA:FALSE",
            ])
    }

    /// A certificate that is valid between two dates, as `20200101000000Z`.
    func make(_ name: String, for names: String, from begin: String, until end: String) throws {
        let (request, settings) = (folder.path("\(name).csr"), folder.path("\(name).cnf"))
        try Self.openssl([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", key(name), "-out", request, "-addext", "subjectAltName=\(names)",
        ])
        let index = folder.path("\(name).index")
        try "".write(toFile: index, atomically: true, encoding: .utf8)
        try """
        [ca]
        default_ca = own
        [own]
        database = \(index)
        new_certs_dir = \(folder.path)
        default_md = sha256
        rand_serial = yes
        policy = any
        copy_extensions = copy
        [any]
        commonName = supplied

        """.write(toFile: settings, atomically: true, encoding: .utf8)
        try Self.openssl([
            "ca", "-batch", "-config", settings, "-notext", "-cert", authority, "-keyfile", key("ca"), "-in",
            request, "-out", certificate(name), "-startdate", begin, "-enddate", end,
        ])
    }

    /// The OpenSSL context for a broker with this certificate; the caller frees it.
    func serverContext(_ name: String) throws -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw POSIXError(.ENOMEM) }
        guard SSL_CTX_use_certificate_chain_file(context, certificate(name)) == 1,
            SSL_CTX_use_PrivateKey_file(context, key(name), SSL_FILETYPE_PEM) == 1
        else {
            SSL_CTX_free(context)
            throw POSIXError(.EINVAL)
        }
        return context
    }

    private static func request(_ name: String) -> [String] {
        [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=\(name)",
        ]
    }

    static func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runReachable()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw Failed(arguments: arguments) }
    }
}

/// `openssl s_server`, which reports a client's requests; ends with its first connection.
final class TLSListener {
    let port: UInt16
    private let process = Process()
    private let output: String

    init(_ shop: CertificateShop, certificate: String, forName name: String, use other: String) throws {
        port = try TestPorts.next()
        output = shop.folder.path("listener-\(port).txt")
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-naccept", "1", "-cert", shop.certificate(certificate), "-key",
            shop.key(certificate), "-servername", name, "-cert2", shop.certificate(other), "-key2", shop.key(other),
        ]
        process.standardInput = Pipe()
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle.nullDevice
        try process.runReachable()
        let isReady = blockingEventually { text.contains("ACCEPT") }
        guard isReady else { throw POSIXError(.ETIMEDOUT) }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var text: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
}
