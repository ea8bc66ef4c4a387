// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Glibc
import Libcrypto

/// Who may use the page: which names it answers to, where requests that change something may come from, who has given
/// the password. A value without I/O and clocks.
struct PageAccess: Sendable {
    /// Visitors that are in at once; with one more, the one that has been away for longest is out.
    static let maximumSessions = 32
    /// How long a visitor stays in without asking for anything.
    static let sessionLength: Duration = .seconds(12 * 3600)
    /// Wrong passwords in a row before there is a pause.
    static let freeTries = 5
    static let longestPause: Duration = .seconds(60)
    /// Peers whose wrong passwords are counted.
    static let maximumPeers = 256

    private struct Tries {
        var wrong = 0
        var until = MonotonicTime.zero
        var last = MonotonicTime.zero
    }

    /// The hash of the password: comparing hashes takes the same time whatever is wrong.
    private let password: SHA256?
    private let hosts: Set<String>
    /// Cookies are for TLS alone.
    private let isSecure: Bool
    private var sessions: [String: MonotonicTime] = [:]
    private var tries: [String: Tries] = [:]

    /// - Parameters:
    ///   - hosts: Names that the page answers to; addresses and `localhost` it always answers to.
    ///   - isSecure: It is served with TLS.
    init(password: Secret?, hosts: some Sequence<String>, isSecure: Bool) {
        self.password = password.map { Self.hash($0.revealed) }
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.isSecure = isSecure
    }

    var needsPassword: Bool { password != nil }
    var cookieName: String { isSecure ? "__Host-martlet" : "martlet" }

    private static func hash(_ text: String) -> SHA256 { SHA256(Array(text.utf8)) }

    // MARK: - Where requests come from

    /// Whether the `Host` of a request is one of ours. A page of somebody else's whose name leads here all of a sudden (DNS
    /// rebinding) asks for its own name.
    func knows(host: String?) -> Bool {
        guard let host, let name = Self.name(of: host) else { return false }
        return name == "localhost" || hosts.contains(name) || PageAddress.isAddress(name, AF_INET)
            || PageAddress.isAddress(name, AF_INET6)
    }

    /// Without port and brackets, in lower case.
    private static func name(of host: String) -> String? {
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            return String(host[host.index(after: host.startIndex)..<end])
        }
        return host.split(separator: ":", maxSplits: 1).first.map { $0.lowercased() }
    }

    /// Whether a request that changes something was made by the page itself, and not by another site in the same browser.
    func isOurs(_ request: PageRequest) -> Bool {
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" { return false }
        guard let origin = request.headers["origin"] else {
            // No browser leaves it out of a POST; who has none is a program, which no other site can send.
            return request.headers["sec-fetch-site"] == nil
        }
        // In front of a page without TLS there may be a proxy that has it.
        return (isSecure ? ["https://"] : ["http://", "https://"]).contains {
            origin == $0 + (request.headers["host"] ?? "")
        }
    }

    /// Whether a browser asks for another site: that cannot read the answer, but have the gateway work for it.
    func isForAnotherSite(_ request: PageRequest) -> Bool {
        guard let site = request.headers["sec-fetch-site"] else { return false }
        return site != "same-origin" && site != "none"
    }

    /// The session that a request belongs to.
    func session(of request: PageRequest) -> String? { needsPassword ? request.cookies[cookieName] : nil }

    // MARK: - Passwords and sessions

    enum Judgement: Equatable {
        case right
        case wrong
        case wait(seconds: Int)
    }

    /// Whether a text is the password. Who has been wrong too often has to wait, whatever the text is.
    /// - Parameter isProgram: Counted apart: a program that has an old password keeps nobody from logging in at the same address.
    mutating func judge(
        _ text: String, from peer: String, isProgram: Bool = false, at now: MonotonicTime
    ) -> Judgement {
        let peer = Self.network(of: peer) + (isProgram ? " program" : "")
        var known = tries[peer] ?? Tries()
        if known.until > now { return .wait(seconds: Int(((known.until - now) / .seconds(1)).rounded(.up))) }
        guard let password, Self.hash(text) == password else {
            known.wrong += 1
            known.last = now
            if known.wrong >= Self.freeTries {
                let pause = Duration.seconds(1 << min(known.wrong - Self.freeTries + 1, 6))
                known.until = now + min(pause, Self.longestPause)
            }
            remember(known, of: peer)
            return .wrong
        }
        tries.removeValue(forKey: peer)
        return .right
    }

    /// Lets a visitor in who is known by `token` from now on: 32 octets of chance, as text.
    mutating func begin(_ token: String, at now: MonotonicTime) {
        if sessions.count >= Self.maximumSessions, let oldest = sessions.min(by: { $0.value < $1.value })?.key {
            sessions.removeValue(forKey: oldest)
        }
        sessions[token] = now
    }

    /// Of an address of IPv6 its first 64 bits: who has one has all that begin so.
    private static func network(of peer: String) -> String {
        var octets = in6_addr()
        guard peer.contains(":"), inet_pton(AF_INET6, String(peer.prefix { $0 != "%" }), &octets) == 1 else {
            return peer
        }
        return withUnsafeBytes(of: octets) { $0.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") }
    }

    /// For tests of the bound.
    var countedPeers: Int { tries.count }

    private mutating func remember(_ known: Tries, of peer: String) {
        if tries[peer] == nil, tries.count >= Self.maximumPeers,
            let oldest = tries.min(by: { $0.value.last < $1.value.last })?.key
        {
            tries.removeValue(forKey: oldest)
        }
        tries[peer] = known
    }

    mutating func leave(_ request: PageRequest) {
        if let token = request.cookies[cookieName] { sessions.removeValue(forKey: token) }
    }

    /// Whether the visitor is in: there is no password, or the session is known and not too old.
    mutating func admits(_ request: PageRequest, at now: MonotonicTime) -> Bool {
        guard needsPassword else { return true }
        guard let token = request.cookies[cookieName], let last = sessions[token] else { return false }
        guard now - last < Self.sessionLength else {
            sessions.removeValue(forKey: token)
            return false
        }
        sessions[token] = now
        return true
    }

    /// The same for programs, which send the password with each request (RFC 7617); the user's name does not matter.
    ///
    /// - Returns: Nil where there is no password.
    mutating func judgeProgram(_ request: PageRequest, at now: MonotonicTime) -> Judgement? {
        if admits(request, at: now) { return .right }
        guard let header = request.headers["authorization"], header.lowercased().hasPrefix("basic "),
            let plain = Data(base64Encoded: String(header.dropFirst(6))),
            let colon = plain.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let text = String(decoding: plain[plain.index(after: colon)...], as: UTF8.self)
        return judge(text, from: request.peer, isProgram: true, at: now)
    }

    /// What a browser is to keep.
    func cookie(_ token: String) -> String {
        "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    var emptyCookie: String { cookie("") + "; Max-Age=0" }
}
