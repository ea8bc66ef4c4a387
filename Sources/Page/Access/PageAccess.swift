// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Libcrypto

/// Decides on access to the page: accepted host names, accepted origins of changing requests, and sessions after a
/// password. A value without I/O and clocks.
struct PageAccess: Sendable {
    /// Visitors with a session at the same time; a further visitor ends the session that has been idle longest.
    static let maximumSessions = 32
    /// How long a session lasts without a request.
    static let sessionLength: Duration = .seconds(12 * 3600)

    /// The hash of the password: comparing hashes takes a constant time for every wrong password.
    private let password: SHA256?
    /// The hash of the token for the metrics alone; nil: no token.
    private let metricsToken: SHA256?
    private let hosts: Set<String>
    /// The page uses TLS, and browsers send its cookies over TLS only.
    private let isSecure: Bool
    private var sessions: [String: MonotonicTime] = [:]
    private var tries = PasswordTries()

    /// - Parameters:
    ///   - metricsToken: Its bearer reads the metrics, and nothing else.
    ///   - hosts: Names that the page answers to. The page always answers to addresses and `localhost`.
    ///   - isSecure: The page is served with TLS.
    init(password: Secret?, metricsToken: Secret? = nil, hosts: some Sequence<String>, isSecure: Bool) {
        self.metricsToken = metricsToken.map { Self.hash($0.revealed) }
        self.password = password.map { Self.hash($0.revealed) }
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.isSecure = isSecure
    }

    var needsPassword: Bool { password != nil }
    var cookieName: String { isSecure ? "__Host-martlet" : "martlet" }

    private static func hash(_ text: String) -> SHA256 { SHA256(Array(text.utf8)) }

    // MARK: - Origins of requests

    /// Whether the `Host` of a request is one of ours. A foreign page whose name suddenly leads here (DNS rebinding)
    /// sends its own name.
    func knows(host: String?) -> Bool {
        guard let host = host.flatMap({ PageHost($0) }) else { return false }
        return host.kind != .name || host.name == "localhost" || hosts.contains(host.name)
    }

    /// Whether the page itself made a changing request, and not another site in the same browser.
    func isOurs(_ request: PageRequest) -> Bool {
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" { return false }
        guard let origin = request.headers["origin"] else {
            // Every browser sends Origin with a POST. A request without Origin is from a program, and no other site can
            // send it.
            return request.headers["sec-fetch-site"] == nil
        }
        guard let host = request.headers["host"], !host.isEmpty else { return false }
        // A page without TLS may be behind a proxy with TLS. The whole origin must match, including the port.
        return (isSecure ? ["https://"] : ["http://", "https://"]).contains { origin == $0 + host }
    }

    /// Whether a browser sends the request for another site. The other site cannot read the answer, but could make the
    /// gateway work.
    func isForAnotherSite(_ request: PageRequest) -> Bool {
        guard let site = request.headers["sec-fetch-site"] else { return false }
        return site != "same-origin" && site != "none"
    }

    /// The session of a request.
    func session(of request: PageRequest) -> String? { needsPassword ? request.cookies[cookieName] : nil }

    // MARK: - Passwords and sessions

    enum Judgement: Equatable {
        case right
        case wrong
        case wait(seconds: Int)
    }

    /// Judges a password. A peer that has to wait gets `wait`, whatever the text: see ``PasswordTries``.
    mutating func judge(
        _ text: String, from address: String, isProgram: Bool = false, at now: MonotonicTime
    ) -> Judgement {
        judge(Self.hash(text), as: password, from: address, isProgram: isProgram, at: now)
    }

    private mutating func judge(
        _ hash: SHA256, as right: SHA256?, from address: String, isProgram: Bool, at now: MonotonicTime
    ) -> Judgement {
        let peer = PagePeer.network(of: address)
        if let wait = tries.wait(of: peer, isProgram: isProgram, at: now) {
            return .wait(seconds: Int((wait / .seconds(1)).rounded(.up)))
        }
        guard let right, hash == right else {
            tries.wrong(of: peer, isProgram: isProgram, at: now)
            return .wrong
        }
        tries.right(of: peer, isProgram: isProgram, at: now)
        return .right
    }

    /// Begins the session of a visitor, known by `token`: 32 random octets, as text.
    mutating func begin(_ token: String, at now: MonotonicTime) {
        if sessions.count >= Self.maximumSessions, let oldest = sessions.min(by: { $0.value < $1.value })?.key {
            sessions.removeValue(forKey: oldest)
        }
        sessions[token] = now
    }

    /// For tests of the bounds.
    var counted: (peers: Int, known: Int) { tries.counted }

    mutating func leave(_ request: PageRequest) {
        if let token = request.cookies[cookieName] { sessions.removeValue(forKey: token) }
    }

    /// Whether the page has no password, or the session is known and not too old. A visit prolongs the session.
    mutating func admits(_ request: PageRequest, at now: MonotonicTime) -> Bool {
        guard needsPassword else { return true }
        guard let token = request.cookies[cookieName], sessions[token] != nil else { return false }
        let isIn = isLive(token, at: now)
        sessions[token] = isIn ? now : nil
        return isIn
    }

    /// Like ``admits(_:at:)``, but does not count as a visit.
    func isIn(_ request: PageRequest, at now: MonotonicTime) -> Bool {
        guard needsPassword else { return true }
        return request.cookies[cookieName].map { isLive($0, at: now) } ?? false
    }

    /// Whether a session is still valid.
    func isLive(_ session: String, at now: MonotonicTime) -> Bool {
        sessions[session].map { now - $0 < Self.sessionLength } ?? false
    }

    /// Judges programs, the readers of the metrics. Programs send the token with each request (RFC 6750), or the page's
    /// password (RFC 7617). Ignores the user's name.
    ///
    /// - Returns: Nil for a request without a password.
    mutating func judgeProgram(_ request: PageRequest, at now: MonotonicTime) -> Judgement? {
        if admits(request, at: now) { return .right }
        guard let header = request.headers["authorization"] else { return nil }
        if header.lowercased().hasPrefix("bearer ") {
            let token = Self.hash(String(header.dropFirst(7)))
            return judge(token, as: metricsToken, from: request.peer, isProgram: true, at: now)
        }
        guard header.lowercased().hasPrefix("basic "),
            let plain = Data(base64Encoded: String(header.dropFirst(6))),
            let colon = plain.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let text = String(decoding: plain[plain.index(after: colon)...], as: UTF8.self)
        return judge(text, from: request.peer, isProgram: true, at: now)
    }

    /// The value of the Set-Cookie header.
    func cookie(_ token: String) -> String {
        "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    var emptyCookie: String { cookie("") + "; Max-Age=0" }
}
