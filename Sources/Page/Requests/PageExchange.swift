// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import Synchronization

/// A request of a connection, from its header to the last octet of its answer.
final class PageExchange: Sendable {
    private struct State {
        var request: PageRequest?
        var refusal: PageResponse?
        var response: PageResponse?
        var task: Task<Void, Never>?
        /// The library waits for `http_resume`.
        var isSuspended = false
        /// The library has the answer, or the connection is gone.
        var isOver = false
        var feed: EventFeed?
        /// The feed of an answer that the library does not have yet.
        var unsentFeed: EventFeed? { if case .events(let feed)? = response?.body { feed } else { nil } }
        /// Octets of the body, including discarded octets.
        var received = 0
        /// The body is complete.
        var isWhole = false
    }

    private let began = ContinuousClock.now
    /// By the header alone: the answer checks the session again.
    private let visitor: ConnectionWatch.Visitor

    /// The library's object. Unchecked, because a C pointer cannot say who may use it. The library's thread uses it
    /// until ``end()``. Other threads only resume it, under the lock of `state`, and only while it is suspended: the
    /// library keeps a suspended connection.
    private nonisolated(unsafe) let connection: OpaquePointer
    private let server: PageServerContext
    private let state: Mutex<State>

    init(_ connection: OpaquePointer, method: String, path: String, server: PageServerContext) {
        self.connection = connection
        self.server = server
        var state = State()
        var visitor = ConnectionWatch.Visitor.stranger
        if let method = PageRequest.Method(rawValue: method) {
            var request = PageRequest(method: method, path: path)
            let headers = Self.values(of: connection, http_headers)
            request.headers = Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
            request.query = Dictionary(Self.values(of: connection, http_query)) { $1 }
            request.peer = Self.peer(of: connection)
            if Self.isAmbiguous(headers.map { $0.name.lowercased() }) {
                state.refusal = .refusal(400, "the request's header can be read in two ways")
                state.refusal?.headers.append(("connection", "close"))
            }
            state.request = request
            if server.isIn(request) { visitor = .known }
        } else {
            state.refusal = .refusal(405, "there is nothing here that can be asked for in this way")
        }
        self.visitor = visitor
        self.state = Mutex(state)
        server.stages.expectBody(on: http_descriptor(connection), of: visitor)
    }

    /// Adds a part of the body; false if the body is too large, or too slow.
    func add(_ part: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            state.received += part.count
            guard state.received <= PageServer.Limit.patience(with: visitor),
                ContinuousClock.now - began < PageServer.Limit.upload(of: visitor)
            else { return false }
            guard state.refusal == nil else { return true }
            let limit = PageServer.Limit.body(of: visitor)
            guard state.received <= limit else {
                state.request?.body = []
                state.refusal = .refusal(413, "this is more than \(limit / 1024) KiB")
                return true
            }
            state.request?.body += part
            return true
        }
    }

    /// The request is complete, or the connection was resumed: begins an answer, or sends it.
    func proceed() -> MHD_Result {
        state.withLock { state in
            if state.isOver || server.isStopping { return http_no }
            if !state.isWhole {
                state.isWhole = true
                server.stages.expectTaking(on: http_descriptor(connection), by: visitor)
            }
            if let response = state.refusal ?? state.response {
                state.isOver = true
                return send(response, &state)
            }
            guard state.task == nil, let request = state.request else { return http_no }
            state.isSuspended = true
            http_suspend(connection)
            state.task = Task.detached(executorPreference: server.executor) { [self, respond = server.respond] in
                let response = await respond(request)
                answered(response)
            }
            return http_yes
        }
    }

    private func answered(_ response: PageResponse) {
        state.withLock { state in
            guard !state.isOver else {
                if case .events(let feed) = response.body { feed.end() }
                return
            }
            state.response = response
            resume(&state)
        }
    }

    private func resume(_ state: inout State) {
        guard state.isSuspended else { return }
        state.isSuspended = false
        http_resume(connection)
    }

    /// The server stops, so no answer follows.
    func abandon() {
        let feed = state.withLock { state in
            state.task?.cancel()
            state.isOver = state.feed == nil
            resume(&state)
            return state.feed ?? state.unsentFeed
        }
        feed?.end()
    }

    /// The connection no longer belongs to this exchange.
    func end() {
        let feed = state.withLock { state in
            state.isOver = true
            state.isSuspended = false
            state.task?.cancel()
            return state.feed ?? state.unsentFeed
        }
        feed?.end()
    }

    // MARK: - The library's side

    private func send(_ response: PageResponse, _ state: inout State) -> MHD_Result {
        let made: OpaquePointer?
        switch response.body {
        case .octets(let octets): made = octets.withUnsafeBytes { http_response($0.baseAddress, $0.count) }
        case .events(let feed):
            state.feed = feed
            let stream = EventStream(feed, connection)
            let retained = Unmanaged.passRetained(stream)
            made = http_stream(4096, readEvents, retained.toOpaque(), releaseEvents)
            if made == nil { retained.release() }
        }
        guard let made else { return http_no }
        for header in response.headers + Self.always { http_add_header(made, header.name, header.value) }
        return http_send(connection, UInt32(clamping: response.status), made)
    }

    /// For each answer: browsers must not show the page inside another page, run foreign scripts in it, or cache it.
    /// The page's own requests carry their origin: otherwise a form would have none.
    private static let always: [(name: String, value: String)] = [
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"), ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-store"),
    ]

    /// Whether a proxy in front of us may have read another host, or another end of the body (RFC 9112, 6.3 and 3.2).
    static func isAmbiguous(_ names: [String]) -> Bool {
        let one = Set(["host", "content-length", "transfer-encoding", "origin", "sec-fetch-site"])
        let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        if counts.contains(where: { one.contains($0.key) && $0.value > 1 }) { return true }
        if counts["content-length"] != nil, counts["transfer-encoding"] != nil { return true }
        return names.contains { name in !name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    }

    /// All headers, or all arguments of the query, in their order.
    private static func values(
        of connection: OpaquePointer, _ kind: MHD_ValueKind
    ) -> [(name: String, value: String)] {
        final class Values { var all: [(name: String, value: String)] = [] }
        let values = Values()
        http_values(
            connection, kind,
            { context, _, name, value in
                guard let context, let name else { return http_yes }
                let values = Unmanaged<Values>.fromOpaque(context).takeUnretainedValue()
                values.all.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
                return http_yes
            }, Unmanaged.passUnretained(values).toOpaque())
        return values.all
    }

    private static func peer(of connection: OpaquePointer) -> String {
        guard let address = http_peer(connection) else { return "" }
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(
            Int32(address.pointee.sa_family) == AF_INET6
                ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        guard getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A feed on a connection. The library asks for octets when the peer reads some, and is suspended while none wait.
private final class EventStream: Sendable {
    private let feed: EventFeed
    /// Unchecked like the connection above: the feed suspends and resumes it under its own lock, one call after the
    /// other.
    private nonisolated(unsafe) let connection: OpaquePointer

    init(_ feed: EventFeed, _ connection: OpaquePointer) { (self.feed, self.connection) = (feed, connection) }

    func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        feed.write(
            into: room, suspend: { [self] in http_suspend(connection) }, resume: { [self] in http_resume(connection) })
    }

    func release() { feed.end() }
}

private func readEvents(
    context: UnsafeMutableRawPointer?, position: UInt64, room: UnsafeMutablePointer<CChar>?, count: Int
) -> Int {
    guard let context, let room else { return -1 }
    let stream = Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue()
    return stream.read(into: UnsafeMutableRawBufferPointer(start: room, count: count))
}

private func releaseEvents(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue().release()
}
