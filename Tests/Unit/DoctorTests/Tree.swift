// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransport

@testable import Configuration
@testable import Doctor
@testable import Gateway
@testable import GatewayBench

/// A machine of files.
final class Tree {
    let folder: TestFolder
    var surroundings: Surroundings

    init() throws {
        folder = try TestFolder()
        surroundings = Surroundings()
        surroundings.root = folder.path
        surroundings.user = 1_000
        surroundings.hasBluetooth = { true }
        surroundings.adapter = { _ in AdapterState(isUp: false, isInSetup: false) }
        surroundings.disk = { _ in (1 << 34, 1 << 35) }
        surroundings.now = { 1_800_000_000 }
        surroundings.isClockSynchronized = { true }
        surroundings.unit = { _ in nil }
    }

    func write(_ path: String, _ text: String = "") throws {
        let name = folder.path + path
        try FileManager.default.createDirectory(
            atPath: (name as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: name, atomically: true, encoding: .utf8)
    }

    func link(_ path: String, to target: String) throws {
        for folder in [(path as NSString).deletingLastPathComponent, target] {
            try FileManager.default.createDirectory(
                atPath: self.folder.path + folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + path, withDestinationPath: folder.path + target)
    }

    func adapter(_ name: String, on bus: String) throws {
        try link("/sys/class/bluetooth/\(name)", to: "/sys/devices/\(bus)/\(name)dev/bluetooth/\(name)")
        try link("/sys/devices/\(bus)/\(name)dev/bluetooth/\(name)/device", to: "/sys/devices/\(bus)/\(name)dev")
        try link("/sys/devices/\(bus)/\(name)dev/subsystem", to: "/sys/bus/\(bus)")
    }

    func process(_ identifier: Int, _ arguments: [String]) throws {
        try write("/proc/\(identifier)/comm", "\((arguments[0] as NSString).lastPathComponent)\n")
        try write("/proc/\(identifier)/cmdline", arguments.map { $0 + "\0" }.joined())
    }

    func doctor(
        _ text: String = "[mqtt]\nhost = \"a\"\n[[sensor]]\nname = \"a\"\n", running: Doctor.Running = .silent("nobody")
    ) -> Doctor {
        let configuration: Result<GatewayConfiguration, ConfigurationError>
        do throws(ConfigurationError) {
            configuration = .success(try GatewayConfiguration.parse(text, gateway: "g"))
        } catch {
            configuration = .failure(error)
        }
        return Doctor(
            surroundings, path: "/etc/martlet/martlet.toml", configuration: configuration, running: running)
    }
}
