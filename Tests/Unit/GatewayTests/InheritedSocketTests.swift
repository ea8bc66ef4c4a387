// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Operations

@Suite("A control socket from the service manager")
struct InheritedSocketTests {
    let folder: TestFolder
    private var path: String { folder.path("control.sock") }

    init() throws { folder = try TestFolder() }

    @Test("The gateway answers on the socket, and the file stays when the gateway stops")
    func served() throws {
        let theirs = try UnixSocket.listening(on: path)
        let ours = dup(theirs.descriptor)
        #expect(try InheritedSocket.check(ours, path: path).get() == ours)
        #expect(fcntl(ours, F_GETFD) & FD_CLOEXEC != 0)
        let server = try ControlServer(
            path: path, inherited: ours, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            handler: { _ in (try? ControlCoding.encode(ControlResponse.success("here"))) ?? [] })
        #expect(try ControlClient.ask(ControlRequest(.status), socket: path, as: String.self) == "here")
        server.stop()
        // A request between two gateways waits for the next gateway.
        #expect(throws: ControlError.noAnswer(path: path)) {
            try ControlClient.ask(ControlRequest(.status), socket: path, timeout: .milliseconds(50), as: String.self)
        }
    }

    @Test("A socket without a listener, of another kind, or with another path is refused, with the reason")
    func refused() throws {
        func reason(_ descriptor: Int32) -> String? {
            guard case .failure(let mistake) = InheritedSocket.check(descriptor, path: path) else { return nil }
            return mistake.reason
        }
        #expect(reason(-1) == "is no listening Unix stream socket")
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(reason(file) == "is no listening Unix stream socket")
        let listener = try NotifyListener(path: folder.path("notify"))
        let client = try #require(ServiceNotifier(path: listener.path))
        #expect(client.send(.ready))
        let silent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        #expect(reason(silent) == "is no listening Unix stream socket")
        let other = try UnixSocket.listening(on: folder.path("other.sock"))
        #expect(reason(other.descriptor)?.contains("other.sock") == true)
    }
}
