// SPDX-License-Identifier: Apache-2.0

import CLibcrypto
import Configuration
import Foundation
import Gateway
import Glibc
import Libcrypto
import StateFiles

/// The page's certificate and key: the configured files, else a certificate that the gateway makes and keeps.
struct PageIdentity {
    /// PEM.
    let certificate: String
    let key: String
    /// SHA-256 of the certificate, for comparison with the browser's display.
    let fingerprint: String

    /// In the state directory.
    private static let fileName = "page.pem"
    private static let days = 3_650
    /// Seconds before the certificate's end at which a new certificate is made.
    private static let renewal: Int64 = 60 * 86_400

    init(_ configuration: PageConfiguration, stateDirectory: String) throws {
        if let certificateFile = configuration.certificateFile, let keyFile = configuration.keyFile {
            certificate = try String(contentsOfFile: certificateFile, encoding: .utf8)
            key = try String(contentsOfFile: keyFile, encoding: .utf8)
        } else {
            let path = stateDirectory + "/" + Self.fileName
            let text = try Self.kept(at: path) ?? Self.made(for: configuration.hosts, at: path)
            // The file has both parts, and each reader takes its part.
            (certificate, key) = (text, text)
        }
        fingerprint = try Self.fingerprint(of: certificate)
    }

    /// nil if the file is missing or damaged, or the certificate ends soon.
    private static func kept(at path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw PageServerError(description: "\(path), the page's certificate, cannot be read: \(error)")
        }
        guard let dates = try? CertificateDates(path: path, need: .all), dates.end - Int64(time(nil)) > renewal else {
            return nil
        }
        return text.contains("-----END PRIVATE KEY-----") && (try? fingerprint(of: text)) != nil ? text : nil
    }

    private static func made(for names: [String], at path: String) throws -> String {
        let text = try make(names: names)
        try keep(text, at: path)
        return text
    }

    private static func make(names: [String]) throws -> String {
        let host = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? "martlet"
        let all = [host, host + ".local", "localhost"] + names
        guard let certificate = BIO_new(BIO_s_mem()) else { throw PageServerError(description: "no memory") }
        defer { BIO_free(certificate) }
        guard let key = BIO_new(BIO_s_mem()) else { throw PageServerError(description: "no memory") }
        defer { BIO_free(key) }
        let alternatives = (all.map { "DNS:" + $0 } + ["IP:127.0.0.1", "IP:::1"]).joined(separator: ",")
        guard make_self_signed(String(host.prefix(64)), alternatives, days, certificate, key) == 1 else {
            throw PageServerError(description: "OpenSSL could not make a certificate for the page")
        }
        return text(of: certificate) + text(of: key)
    }

    private static func text(of memory: OpaquePointer) -> String {
        var octets = [UInt8](repeating: 0, count: 8_192)
        let count = BIO_read(memory, &octets, Int32(octets.count))
        return String(decoding: octets.prefix(max(Int(count), 0)), as: UTF8.self)
    }

    /// Writes a file that only this user can read, completely or not at all.
    private static func keep(_ text: String, at path: String) throws {
        do throws(StateFileError) {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try StateFile.replace(path, with: Data(text.utf8), in: folder)
        } catch {
            throw PageServerError(description: "\(path) cannot be written: \(error)")
        }
    }

    /// SHA-256 of the first certificate.
    private static func fingerprint(of pem: String) throws -> String {
        let begin = "-----BEGIN CERTIFICATE-----", end = "-----END CERTIFICATE-----"
        guard let start = pem.range(of: begin), let stop = pem.range(of: end, range: start.upperBound..<pem.endIndex),
            let octets = Data(
                base64Encoded: String(pem[start.upperBound..<stop.lowerBound]), options: .ignoreUnknownCharacters)
        else { throw PageServerError(description: "the page's certificate is no PEM") }
        return SHA256(Array(octets)).octets.map { String(format: "%02X", $0) }.joined(separator: ":")
    }
}
