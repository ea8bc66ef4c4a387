// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Glibc
import Synchronization

/// An address of a host, as the system returns it.
struct SocketAddress: Sendable {
    var storage: sockaddr_storage
    var length: socklen_t

    var family: Int32 { Int32(storage.ss_family) }

    /// In digits: `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`.
    var host: String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = withPointer { getnameinfo($0, length, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) }
        guard code == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }
}

/// Looks up a host's name within a time limit. getaddrinfo(3) has no limit: two silent name servers in a row can cost
/// minutes.
package enum NameLookup {
    /// Addresses of a host that are tried.
    package static let limit = 16
    /// Threads that wait for name servers, at most: a name server may never answer.
    private static let threads = 16
    private static let waiting = Mutex(0)

    /// The result of another thread.
    private final class Answer: Sendable {
        let result = Mutex<Result<[SocketAddress], MQTTFailure>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    /// The host's addresses in the system's order, 1…``limit``. Blocks for `time` at most.
    ///
    /// - Parameter isCancelled: Asked ten times a second; true ends the look-up.
    static func addresses(
        of address: BrokerAddress, within time: Duration, isCancelled: () -> Bool
    ) -> Result<[SocketAddress], MQTTFailure> {
        // Digits need no look-up.
        let digits = addresses(ofDigits: address.host, address.port)
        guard digits.isEmpty else { return .success(digits) }
        let end = ContinuousClock.now + time
        while !takePlace() {
            guard ContinuousClock.now < end, !isCancelled() else { return .failure(.lookupTimedOut(time)) }
            usleep(10_000)
        }
        let answer = Answer()
        DispatchQueue.global().async {
            let found = lookUp(address)
            waiting.withLock { $0 -= 1 }
            answer.result.withLock { $0 = found }
            answer.isThere.signal()
        }
        while answer.isThere.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            guard ContinuousClock.now < end, !isCancelled() else { return .failure(.lookupTimedOut(time)) }
        }
        return answer.result.withLock { $0 } ?? .failure(.lookupTimedOut(time))
    }

    /// Empty if the text is no address in digits.
    static func addresses(ofDigits text: String, _ port: UInt16) -> [SocketAddress] {
        (try? lookUp(BrokerAddress(host: text, port: port), Int32(AI_NUMERICHOST)).get()) ?? []
    }

    private static func takePlace() -> Bool {
        waiting.withLock { waiting in
            guard waiting < threads else { return false }
            waiting += 1
            return true
        }
    }

    private static func lookUp(_ address: BrokerAddress, _ flags: Int32 = 0) -> Result<[SocketAddress], MQTTFailure> {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard code == 0 else { return .failure(.unknownHost(code)) }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var entry = list
        while let current = entry?.pointee, found.count < limit {
            var storage = sockaddr_storage()
            let size = min(Int(current.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
            if let source = current.ai_addr { memcpy(&storage, source, size) }
            found.append(SocketAddress(storage: storage, length: socklen_t(size)))
            entry = current.ai_next
        }
        return found.isEmpty ? .failure(.unknownHost(EAI_NONAME)) : .success(found)
    }
}
