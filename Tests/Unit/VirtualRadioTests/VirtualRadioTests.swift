// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import Synchronization
import Testing
import TestSupport

@testable import VirtualRadio

@Suite struct VirtualRadioTests {
    static let reset: [UInt8] = [1, 0x03, 0x0C, 0]
    static let answer: [UInt8] = [4, 0x0E, 4, 1, 0x03, 0x0C, 0]

    @Test func aMadeControllerAnswersReset() throws {
        let radio = VirtualRadio()
        defer { radio.stop() }
        let descriptor = try radio.makeController(address: ScriptedHost.address)
        defer { close(descriptor) }
        #expect(exchange(descriptor) == Self.answer)
    }

    @Test func everyTCPConnectionIsAControllerOfItsOwn() throws {
        let radio = VirtualRadio()
        defer { radio.stop() }
        let port = try radio.listen(tcpPort: 0)
        let first = try connect(port)
        let second = try connect(port)
        #expect(exchange(first) == Self.answer)
        #expect(exchange(second) == Self.answer)
        #expect(Set(radio.controllerStates().map(\.address)).count == 2)
        close(first)
        #expect(blockingEventually { radio.controllerStates().count == 1 })
        close(second)
        #expect(blockingEventually { radio.controllerStates().isEmpty })
    }

    @Test func `who connects gets the first fixed address that nobody has, and the same one again`() throws {
        let radio = VirtualRadio()
        defer { radio.stop() }
        let fixed = [0xC47C_8D00_1122, 0xC47C_8D00_1133].map { DeviceAddress(kind: .public, value: $0) }
        let port = try radio.listen(tcpPort: 0, addresses: fixed)
        func addresses() -> [DeviceAddress] { radio.controllerStates().map(\.address) }
        var first = try connect(port)
        #expect(exchange(first) == Self.answer)
        #expect(addresses() == [fixed[0]])
        let second = try connect(port)
        let third = try connect(port)
        #expect(exchange(second) == Self.answer)
        #expect(exchange(third) == Self.answer)
        #expect(addresses().prefix(2) == fixed[...] && Set(addresses()).count == 3)
        close(first)
        first = try connect(port)
        #expect(exchange(first) == Self.answer)
        #expect(addresses().last == fixed[0] && Set(addresses()).count == 3)
        for descriptor in [first, second, third] { close(descriptor) }
    }

    @Test func `a fault strikes once, and who connects again has a sound controller`() throws {
        let radio = VirtualRadio()
        defer { radio.stop() }
        let struck = Struck()
        let port = try radio.listen(
            tcpPort: 0, faults: [FaultPlan(.frozen, after: .zero)], onFault: { struck.record($0) })
        let first = try connect(port)
        #expect(blockingEventually { struck.faults == [.frozen] })
        close(first)
        let second = try connect(port)
        #expect(exchange(second) == Self.answer)
        #expect(struck.faults == [.frozen])
        close(second)
    }

    @Test func aUnixSocketIsServedAndRemoved() throws {
        let path = "/tmp/virtual-radio-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let radio = VirtualRadio()
        try radio.listen(unixPath: path)
        #expect(access(path, F_OK) == 0)
        radio.stop()
        #expect(access(path, F_OK) != 0)
        #expect(throws: VirtualRadioError.self) { try radio.listen(tcpPort: 0) }
    }

    @Test func aHostThatDoesNotReadStopsOnlyItsOwnController() throws {
        let radio = VirtualRadio()
        defer { radio.stop() }
        let deaf = try radio.makeController(address: ScriptedHost.address)
        let other = try radio.makeController(address: DeviceAddress(kind: .public, value: 2))
        defer {
            close(deaf)
            close(other)
        }
        let flags = fcntl(deaf, F_GETFL)
        _ = fcntl(deaf, F_SETFL, flags | O_NONBLOCK)
        let flood = [[UInt8]](repeating: Self.reset, count: 1000).flatMap { $0 }
        var refused = 0
        while refused < 100 {
            if send(deaf, flood, flood.count, Int32(MSG_NOSIGNAL)) < 0 {
                refused += 1
                usleep(1000)
            }
        }
        #expect(exchange(other) == Self.answer)
    }

    private func exchange(_ descriptor: Int32) -> [UInt8] {
        send(descriptor, Self.reset, Self.reset.count, Int32(MSG_NOSIGNAL))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64)
        while answer.count < Self.answer.count {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }

    private func connect(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        return descriptor
    }
}

private final class Struck: Sendable {
    private let state = Mutex<[ControllerFault]>([])

    var faults: [ControllerFault] { state.withLock { $0 } }

    func record(_ fault: ControllerFault) { state.withLock { $0.append(fault) } }
}
