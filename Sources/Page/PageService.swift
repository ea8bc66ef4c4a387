// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Dispatch
import Foundation
import Gateway
import Logging
import Platform
import Synchronization

/// Lets one request at a time use the ``PageAccess``.
final class PageDoor: Sendable {
    private let access: Mutex<PageAccess>

    init(_ access: consuming PageAccess) { self.access = Mutex(access) }

    func withLock<Result>(_ body: (inout PageAccess) -> Result) -> Result { access.withLock { body(&$0) } }
}

/// The gateway's page and its metrics, over HTTP.
package final class PageService: Sendable {
    private let configuration: PageConfiguration
    private let stateDirectory: String
    /// Shared with the news, whose feeds end with their session.
    private let access: PageDoor
    private let processor = PageProcessor()
    private let isSecure: Bool
    private let requests: PageRequests
    private let news: PageNews
    private let server = Mutex<PageServer?>(nil)
    private let logger: Logger
    /// When the log last reported a wrong password, and the number of wrong passwords since: anybody can send any
    /// number of them.
    private let wrong = Mutex((told: MonotonicTime?.none, since: 0))
    private static let wrongPeriod: Duration = .seconds(10)

    /// nil if the page is not configured.
    package init?(
        _ configuration: GatewayConfiguration, of gateway: GatewayService, extras: PageExtras, logger: Logger
    ) {
        guard let address = configuration.page.address else { return nil }
        var logger = logger
        logger[metadataKey: "part"] = "page"
        self.logger = logger
        self.configuration = configuration.page
        stateDirectory = configuration.bluetooth.stateDirectory
        isSecure = configuration.page.certificateFile != nil || !address.isLoopback
        let name = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? "localhost"
        let access = PageDoor(
            PageAccess(
                password: configuration.page.password, metricsToken: configuration.page.metricsToken,
                hosts: configuration.page.hosts + [name, name + ".local", name + ".lan", name + ".home.arpa"],
                isSecure: isSecure))
        self.access = access
        news = PageNews(gateway, extras) { session in access.withLock { $0.isLive(session, at: .now) } }
        requests = PageRequests(gateway, extras, news, processor)
    }

    /// A failure of the page does not stop the gateway: it is only logged.
    package func start() {
        guard let address = configuration.address else { return }
        do {
            let identity = isSecure ? try PageIdentity(configuration, stateDirectory: stateDirectory) : nil
            let started = try PageServer(
                on: address, certificate: identity?.certificate, key: identity?.key, processor: processor,
                isIn: { [access] request in access.withLock { $0.isIn(request, at: .now) } },
                respond: { [weak self] request in
                    await self?.respond(to: request) ?? .refusal(503, "the gateway is stopping")
                })
            server.withLock { $0 = started }
            Task { await news.start() }
            let isAny = address.host == "0.0.0.0" || address.host == "::"
            let place = isAny ? "\(ProcessInfo.processInfo.hostName):\(address.port)" : "\(address)"
            var metadata: Logger.Metadata = ["page.url": "\(isSecure ? "https" : "http")://\(place)/"]
            if let identity { metadata["page.certificate"] = "\(identity.fingerprint)" }
            logger.notice("the page is served", metadata: metadata)
        } catch {
            logger.error("the page is not served", metadata: ["error": "\(error)"])
        }
    }

    /// Ends the page, and waits a moment until the charts are on the disk.
    package func stop() {
        let isKept = DispatchSemaphore(value: 0)
        Task { [news] in
            await news.stop()
            isKept.signal()
        }
        server.withLock { $0.take() }?.stop()
        _ = isKept.wait(timeout: .now() + .seconds(1))
    }

    // MARK: - Requests

    func respond(to request: PageRequest) async -> PageResponse {
        let now = MonotonicTime.now
        guard access.withLock({ $0.knows(host: request.headers["host"]) }) else {
            return .refusal(
                421,
                "this page is not known by that name: ask for it by the gateway's address, or add the name to page.hosts"
            )
        }
        if request.path == "/events" || request.path.hasPrefix("/api/") || request.path == "/metrics" {
            guard !access.withLock({ $0.isForAnotherSite(request) }) else {
                return .refusal(403, "another site asked for this, not the gateway's own page")
            }
        }
        if request.method == .post {
            guard access.withLock({ $0.isOurs(request) }) else {
                return .refusal(403, "another site asked for this, not the gateway's own page")
            }
        }
        switch (request.method, request.path) {
        case (.post, "/login"):
            let response = logIn(request, at: now)
            // The new session may have displaced another session.
            await news.endOver()
            return response
        case (.post, "/logout"):
            access.withLock { $0.leave(request) }
            await news.endOver()
            let cookie = access.withLock { $0.emptyCookie }
            return .elsewhere("/login", headers: [("set-cookie", cookie)])
        case (.get, "/metrics"), (.head, "/metrics"):
            switch access.withLock({ $0.judgeProgram(request, at: now) }) {
            case .right:
                return PageResponse(
                    200, "text/plain; version=0.0.4; charset=utf-8", Array(await news.metrics().utf8))
            case .wait(let seconds):
                var refusal = PageResponse.refusal(
                    429, "too many wrong passwords came from this address: try again in \(seconds) s")
                refusal.headers.append(("retry-after", "\(seconds)"))
                return refusal
            case .wrong, nil:
                if request.headers["authorization"] != nil { reportWrong(from: request.peer, at: now) }
                var refusal = PageResponse.refusal(
                    401,
                    "the metrics need the token of page.metrics_token_file (Bearer), or the page's password (Basic)")
                refusal.headers.append(("www-authenticate", "Basic realm=\"martlet\""))
                return refusal
            }
        default: break
        }
        let isIn = access.withLock { $0.admits(request, at: now) }
        if request.method != .post, let file = PageFiles.named(request.path) {
            guard isIn || file.isForStrangers else { return .elsewhere("/login") }
            return file.response
        }
        guard isIn else { return .refusal(401, "log in first") }
        if request.path == "/events", request.method == .get {
            let (isLocked, session) = access.withLock { ($0.needsPassword, $0.session(of: request)) }
            guard let feed = await news.follow(isLocked: isLocked, session: session) else {
                return .refusal(503, "\(PageNews.maximumFeeds) visitors look at the page already: close one")
            }
            return PageResponse(events: feed)
        }
        return await requests.answer(request)
    }

    private func logIn(_ request: PageRequest, at now: MonotonicTime) -> PageResponse {
        let given = Self.form(request.body)["password"] ?? ""
        let token = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return access.withLock { access in
            guard access.needsPassword else { return .elsewhere("/") }
            switch access.judge(given, from: request.peer, at: now) {
            case .right:
                access.begin(token, at: now)
                return .elsewhere("/", headers: [("set-cookie", access.cookie(token))])
            case .wrong:
                reportWrong(from: request.peer, at: now)
                return .elsewhere("/login?wrong")
            case .wait(let seconds): return .elsewhere("/login?wait=\(seconds)")
            }
        }
    }

    private func reportWrong(from peer: String, at now: MonotonicTime) {
        let count = wrong.withLock { wrong -> Int? in
            wrong.since += 1
            if let told = wrong.told, now - told < Self.wrongPeriod { return nil }
            defer { wrong = (now, 0) }
            return wrong.since
        }
        guard let count else { return }
        logger.warning("a wrong password for the page", metadata: ["peer": "\(peer)", "count": "\(count)"])
    }

    /// The fields of a form (application/x-www-form-urlencoded).
    private static func form(_ body: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&").prefix(8) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].replacing("+", with: " ") : ""
            fields[String(parts[0])] = value.removingPercentEncoding
        }
        return fields
    }
}
