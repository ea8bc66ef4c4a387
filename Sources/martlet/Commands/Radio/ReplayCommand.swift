// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost
import Foundation
import Gateway
import Glibc
import HCITransport
import Replay

struct ReplayCommand: ListedCommand {
    static let place = HelpPlace(.developer, 10)
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Let this program live through a recording of HCI packets.",
        discussion: """
            Reads a capture (martlet run --capture), a file of the flight recorder (flight/ in the state directory), \
            or the recordings in a support bundle, and shows the decisions of this program's host: links, faults of \
            the radio, and steps against the faults, at the times of the recording, beside the steps in the recording. \
            The command needs no adapter and opens none, and minutes pass in milliseconds.
            """,
        examples: [
            "martlet replay flight-3.btsnoop": "the host's decisions, and the recording's",
            "martlet replay support.txt": "the recordings in a support bundle",
            "martlet replay flight-3.btsnoop --json": "for programs; an object a recording",
        ])

    /// Longer files are refused, because the whole file is in memory.
    private static let longest = 512 << 20

    @Argument(help: "A btsnoop file of H4 packets, or a support bundle.", completion: .file())
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let octets = try octets()
        // A text may be a support bundle, or an issue that contains a support bundle.
        let inText =
            octets.starts(with: "btsnoop".utf8)
            ? [] : SupportRecordings.find(in: String(decoding: octets, as: UTF8.self))
        let recordings = inText.isEmpty ? [("", octets)] : inText
        // A damaged recording does not hide the other recordings.
        var failure: ExitCode?
        for (number, recording) in recordings.enumerated() {
            let name = recording.when.isEmpty ? file : "\(file), \(Text.plain(recording.when))"
            do {
                try show(replay(recording.file, name), recording.when, isFirst: number == 0)
            } catch let error as ExitCode {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func replay(_ octets: [UInt8]?, _ name: String) throws -> ReplayReport {
        guard let octets else {
            Output.error("\(name): the recording is damaged; was the text copied as a whole?")
            throw ExitStatus.usage
        }
        do throws(BTSnoopError) {
            return try HostReplay.run(octets)
        } catch {
            Output.error("\(name): \(Self.words(error))")
            throw ExitStatus.usage
        }
    }

    private func show(_ report: ReplayReport, _ when: String, isFirst: Bool) throws {
        guard !json else {
            var report = report
            report.recording = when.isEmpty ? nil : when
            Output.line(String(decoding: try ControlCoding.encode(report), as: UTF8.self))
            return
        }
        if !isFirst { Output.line("") }
        if !when.isEmpty { Output.line("Recording of \(Text.plain(when))") }
        Output.line(ReplayText.lines(report).joined(separator: "\n"))
    }

    private func octets() throws -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { throw unreadable(EISDIR) }
        guard let data = try? handle.read(upToCount: Self.longest + 1) ?? Data() else { throw unreadable(EIO) }
        guard data.count <= Self.longest else {
            Output.error("\(file): it is longer than \(Self.longest >> 20) MiB; cut it with editcap, of Wireshark")
            throw ExitStatus.usage
        }
        return [UInt8](data)
    }

    private func unreadable(_ code: Int32) -> ExitCode {
        Output.error("\(file): \(String(cString: strerror(code)))")
        return ExitStatus.usage
    }

    private static func words(_ error: BTSnoopError) -> String {
        switch error {
        case .notBTSnoop:
            "there is no recording in it; a gateway makes one with --capture FILE, and a support bundle has some"
        case .otherDataLink(2001):
            "btmon has made it; to be replayed it has to be one of a gateway with --capture FILE, or of a support bundle"
        case .otherDataLink(let type):
            "its packets are of data link type \(type); those of a gateway with --capture FILE are of 1002, H4"
        case .malformedRecord(let number): "record \(number) is damaged: it says that it is longer than a packet can be"
        }
    }
}
