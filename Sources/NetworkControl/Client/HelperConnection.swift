// SPDX-License-Identifier: Apache-2.0

import Glibc
import Health

/// A connection to the helper. One call at a time; ``shut()`` from any thread ends the connection, and with it the
/// helper's trial.
final class HelperConnection: @unchecked Sendable {
    // The client has one call at a time, and only this call uses `socket`; `descriptor` never changes.
    private let descriptor: Int32
    private let socket: LineSocket

    init(path: String) throws(NetworkTrouble) {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw NetworkTrouble(.noManager, "socket: \(String(cString: strerror(errno)))") }
        var address = sockaddr_un()
        let octets = Array(path.utf8)
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else {
            close(descriptor)
            throw NetworkTrouble(.noManager, "\(path): the path is longer than 107 octets")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard status == 0 else {
            let words = String(cString: strerror(errno))
            close(descriptor)
            throw NetworkTrouble(.noManager, Advice.here("\(path): \(words). Run «\(.machine(.networkHelper))»"))
        }
        self.descriptor = descriptor
        socket = LineSocket(descriptor: descriptor, maximumLine: NetworkAnswer.maximumLine)
    }

    deinit { close(descriptor) }

    /// Ends the connection: the helper sees that its client is gone.
    func shut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a request, and waits for the answer.
    func ask(
        _ request: NetworkRequest, until end: ContinuousClock.Instant, progress: (NetworkStep) -> Void = { _ in }
    ) throws(NetworkTrouble) -> NetworkAnswer {
        guard let octets = NetworkLine.encode(request), octets.count <= NetworkRequest.maximumLine + 1 else {
            throw NetworkTrouble(.notValid, "the request is too long")
        }
        guard socket.send(octets) else { throw NetworkTrouble(.noManager, "the helper has gone") }
        // A helper sends each step once, and the answer: more lines come from no helper.
        for _ in 0...NetworkStep.allCases.count * 4 {
            switch socket.receive(until: end) {
            case .line(let line):
                guard let answer = NetworkLine.decode(NetworkAnswer.self, line) else {
                    throw NetworkTrouble(.failed, "the helper's answer is none")
                }
                if let step = answer.step {
                    progress(step)
                    continue
                }
                if let failure = answer.failure { throw NetworkTrouble(failure, answer.words ?? failure.rawValue) }
                return answer
            case .end:
                throw NetworkTrouble(
                    .noManager, Advice.here("the helper ended without an answer; see «\(.machine(.machineLog))»"))
            case .late: throw NetworkTrouble(.timedOut, "the helper does not answer")
            case .tooLong: throw NetworkTrouble(.failed, "the helper's answer is too long")
            }
        }
        throw NetworkTrouble(.failed, "the helper's answer has no end")
    }
}
