// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Configuration
import Gateway
import Glibc
import Health
import Platform
import Synchronization

/// Why the page cannot be served, in words for a person.
struct PageServerError: Error, CustomStringConvertible {
    let description: String
}

/// HTTP over libmicrohttpd, within bounds: connections, headers, bodies and silence have limits. `respond` answers each
/// request in a task, while its connection is suspended.
final class PageServer: Sendable {
    enum Limit {
        /// Places of all ``PageStages``, and as many logged-in visitors that get answers.
        static let connections = UInt32(4 * PageStages.capacity)
        static let connectionsOfPeer: UInt32 = 32
        /// Octets of a header.
        static let header = 16_384

        /// Octets of a body. Before the login, a body only carries the password.
        static func body(of visitor: ConnectionWatch.Visitor) -> Int { visitor == .stranger ? 4_096 : 262_144 }
        /// Octets of a body that the server reads at all, so that the answer can name the fault.
        static func patience(with visitor: ConnectionWatch.Visitor) -> Int {
            visitor == .stranger ? 65_536 : 4_194_304
        }
        /// How long a body may take.
        static func upload(of visitor: ConnectionWatch.Visitor) -> Duration {
            visitor == .stranger ? .seconds(5) : .seconds(60)
        }
        /// Seconds that a connection may be silent, or read nothing.
        static let silence: UInt32 = 20
    }

    private let daemon: Mutex<OpaquePointer?>
    private let context: PageServerContext
    private let looking: Task<Void, Never>

    /// - Parameters:
    ///   - certificate: PEM, with the certificates of its chain; nil serves without TLS.
    ///   - key: PEM.
    ///   - processor: Limits the server's processor time.
    ///   - isIn: Whether a request's header belongs to a session. Called on the library's thread.
    init(
        on address: PageAddress, certificate: String?, key: String?, processor: PageProcessor,
        isIn: @escaping @Sendable (PageRequest) -> Bool,
        respond: @escaping @Sendable (PageRequest) async -> PageResponse
    ) throws(PageServerError) {
        if let fault = http_open() {
            throw PageServerError(
                description: Advice.here(
                    "the page needs libmicrohttpd, which is not there (\(String(cString: fault))): "
                        + "\(.machine(.install, "libmicrohttpd12"))"))
        }
        let context = PageServerContext(processor, isIn, respond)
        self.context = context
        var settings = HTTPSettings()
        settings.connections = Limit.connections
        settings.connections_of_peer = Limit.connectionsOfPeer
        settings.timeout = Limit.silence
        settings.memory = Limit.header
        settings.answer = answerRequest
        settings.completed = endRequest
        settings.changed = recordConnection
        settings.context = Unmanaged.passUnretained(context).toOpaque()
        var started: OpaquePointer?
        errno = 0
        Self.withAddress(address) { socket in
            settings.address = socket
            if let certificate, let key {
                certificate.withCString { certificate in
                    key.withCString { key in
                        settings.certificate = certificate
                        settings.key = key
                        started = http_start(&settings)
                    }
                }
            } else {
                started = http_start(&settings)
            }
        }
        guard let started else {
            let reason = errno == 0 ? "certificate and key do not go together" : String(cString: strerror(errno))
            throw PageServerError(description: "the page cannot be served on \(address): \(reason)")
        }
        daemon = Mutex(started)
        looking = Task {
            while await Waiting.pause(for: .seconds(1)) { context.stages.look() }
        }
    }

    /// Ends all connections.
    func stop() {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        looking.cancel()
        context.endAll()
        http_stop(daemon)
    }

    deinit { stop() }

    private static func withAddress(_ address: PageAddress, _ body: (UnsafePointer<sockaddr>) -> Void) {
        func call<Address>(_ value: Address) {
            withUnsafePointer(to: value) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
            }
        }
        if address.isOfVersion6 {
            var socket = sockaddr_in6()
            socket.sin6_family = sa_family_t(AF_INET6)
            socket.sin6_port = address.port.bigEndian
            inet_pton(AF_INET6, address.host, &socket.sin6_addr)
            call(socket)
        } else {
            var socket = sockaddr_in()
            socket.sin_family = sa_family_t(AF_INET)
            socket.sin_port = address.port.bigEndian
            inet_pton(AF_INET, address.host, &socket.sin_addr)
            call(socket)
        }
    }
}

extension PageAddress: CustomStringConvertible {
    package var description: String { isOfVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The server's state for the library's callbacks.
final class PageServerContext: Sendable {
    let respond: @Sendable (PageRequest) async -> PageResponse
    private let exchanges = Mutex<[ObjectIdentifier: PageExchange]>([:])
    private let isEnding = Atomic(false)
    private let processor: PageProcessor
    /// The processor time of the library's thread at its last report.
    private let told = Mutex(Duration.zero)
    let isIn: @Sendable (PageRequest) -> Bool
    let executor: PageExecutor
    let stages = PageStages()

    /// The server is stopping: connections must not be suspended any more.
    var isStopping: Bool { isEnding.load(ordering: .sequentiallyConsistent) }

    init(
        _ processor: PageProcessor, _ isIn: @escaping @Sendable (PageRequest) -> Bool,
        _ respond: @escaping @Sendable (PageRequest) async -> PageResponse
    ) {
        (self.processor, self.isIn, self.respond) = (processor, isIn, respond)
        executor = PageExecutor(processor)
    }

    /// On the library's thread, for each connection and each request: counts the processor time of reading and sending,
    /// and rests after too much.
    func account() {
        let used = told.withLock { told in
            let now = PageProcessor.timeOfThread
            defer { told = now }
            return max(.zero, now - told)
        }
        PageProcessor.rest(processor.use(used))
    }

    func add(_ exchange: PageExchange) { exchanges.withLock { $0[ObjectIdentifier(exchange)] = exchange } }
    func remove(_ exchange: PageExchange) { exchanges.withLock { $0[ObjectIdentifier(exchange)] = nil } }

    /// Resumes every connection, so that the library can end it.
    func endAll() {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        for exchange in exchanges.withLock({ Array($0.values) }) { exchange.abandon() }
    }
}

/// The library calls this function after a request's header, for each part of its body, after the body, and after a
/// resumption.
private func answerRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, part: UnsafePointer<CChar>?,
    count: UnsafeMutablePointer<Int>?, own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let path, let method, let count, let own else { return http_no }
    let server = Unmanaged<PageServerContext>.fromOpaque(context).takeUnretainedValue()
    guard let known = own.pointee else {
        server.account()
        let exchange = PageExchange(
            connection, method: String(cString: method), path: String(cString: path), server: server)
        own.pointee = Unmanaged.passUnretained(exchange).toOpaque()
        server.add(exchange)
        return http_yes
    }
    let exchange = Unmanaged<PageExchange>.fromOpaque(known).takeUnretainedValue()
    if count.pointee > 0 {
        guard exchange.add(UnsafeRawBufferPointer(start: part, count: count.pointee)) else { return http_no }
        count.pointee = 0
        return http_yes
    }
    return exchange.proceed()
}

/// The end of the request, with or without an answer.
private func endRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    reason: MHD_RequestTerminationCode
) {
    guard let context, let known = own?.pointee else { return }
    let server = Unmanaged<PageServerContext>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<PageExchange>.fromOpaque(known).takeUnretainedValue()
    exchange.end()
    server.remove(exchange)
    if let connection { server.stages.expectHeader(on: http_descriptor(connection)) }
    own?.pointee = nil
}

/// A new connection, or the end of a connection.
private func recordConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, what: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    let server = Unmanaged<PageServerContext>.fromOpaque(context).takeUnretainedValue()
    let descriptor = http_descriptor(connection)
    guard what == http_started else { return server.stages.leave(descriptor) }
    server.stages.expectHeader(on: descriptor)
    server.account()
}
