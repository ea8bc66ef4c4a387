// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// One place writes all state files: it waits for the disk, and survives power cuts.
struct StateFileTests {
    /// Other files with writes or waits for the disk, each with its reason.
    private static let others = [
        "Sources/martlet/Commands/Buffer/BufferCommand+Rows.swift": "an export to a place that the operator chose",
        "Sources/Journal/File/FolderOperations.swift": "the journal's folder beside SQLite's own files",
        "Sources/NetworkControl/Manager/RadioCountry.swift": "files that NetworkManager has written",
        "Sources/NetworkControl/Manager/CheckpointFile.swift": "a lock below /run, which no power cut outlives",
        "Sources/Journal/File/JournalFile.swift": "the lock and the empty database, which SQLite fills",
        "Sources/Journal/Charts/ChartFile.swift": "an empty database, which SQLite fills",
        "Sources/martlet/Commands/Provision/ProvisionLabelCommand.swift":
            "a picture to print, at a place that the operator chose",
        "Sources/martlet/Demonstration/ProvisionDemonstration.swift":
            "the demonstration's own folder, removed at its end",
        "Sources/martlet/Demonstration/PrivateBroker.swift": "the demonstration's own folder, removed at its end",
        "Sources/HCITransport/BTSnoopWriter.swift": "a capture, at a place that the operator chose",
        "Sources/Journal/File/LockFileOperations.swift": "the journal's lock, beside SQLite's own files",
        "Sources/Journal/Damage/Quarantine.swift": "SQLite's files, whose names change by the journal's operations",
        "Sources/Doctor/SelfTest/DiskProbe.swift": "measures the disk with a file that has no name",
        "Sources/NetworkControl/Manager/NetworkManagerBus+Kept.swift": "files that NetworkManager has written",
        "Sources/Gateway/Backup/PendingRestore.swift": "files of a folder whose one rename decides for a restore",
        // Not files: a peer has another address.
        "Sources/BluetoothHost/Identity/HostMachine+Identity.swift": "addresses",
        "Sources/BluetoothHost/Peers/PeerMemory.swift": "addresses",
        "Sources/Provisioning/Service/ProvisioningService+Requests.swift": "addresses",
        "Sources/martlet/Update/ImageSystem.swift": "what an updater says, for the time of the update",
    ]

    @Test func `no other file makes, writes or replaces a file, or waits for the disk`() throws {
        let words = [
            "sync", ".atomic", "O_CREAT", "creat(", "createFile(", "rename", "mktemp", "mkstemp", "mkostemp", "Item(",
            "ItemAt(", ".write(", "forWritingAtPath", "fopen(",
        ]
        let code = try Repository.code(below: "Sources", with: words).filter {
            !$0.file.hasPrefix("Sources/StateFiles/")
        }
        let found = Set(code.filter { Self.writes(in: $0.line) }.map(\.file))
        #expect(found == Set(Self.others.keys), "use StateFile")
        #expect(try Repository.text("Sources/StateFiles/StateFileSystem.swift").contains("fsync("))
    }

    private static func writes(in code: Substring) -> Bool {
        [
            /\bfsync\(|\.atomic\b|\bO_CREAT\b|\bcreat\(|createFile\(/,
            /\b(?:fdatasync|sync_file_range|syncfs|renameat2?|mkos?temps?)\(|\b(?:move|copy|replace)Item(?:At)?\(/,
            /\brename\([^:]*?,\s*(?:to:\s*)?[^:]*\)|\.synchronize\((?!directory:|folder:)/,
            /\.write\(\s*(?:to: ?(?:URL|FilePath)|toFile)|forWritingAtPath|\bfopen\([^)]*"[wa]/,
        ].contains { code.contains($0.wordBoundaryKind(.simple)) }
    }

    @Test(arguments: [
        ("try Data(text.utf8).write(to: URL(fileURLWithPath: path))", true),
        ("try text.write(toFile: path, atomically: true, encoding: .utf8)", true),
        ("open(path, O_RDWR | O_CREAT)", true),
        ("FileManager.default.createFile(atPath: path, contents: nil)", true), (#"fopen(path, "we")"#, true),
        ("try files.rename(draft, to: path)", true), ("guard Glibc.rename(path, other) == 0", true),
        ("try disk.rename(path + \".new\", to: path)", true), ("try disk.synchronize(draft)", true),
        ("fdatasync(descriptor)", true), ("try FileManager.default.moveItem(atPath: path, toPath: other)", true),
        ("_ = try files.replaceItemAt(old, withItemAt: new)", true), ("sensor.rename()", false),
        ("try operations.rename(wish.sensor, label: wish.label, room: wish.room)", false),
        ("func rename(_ path: String, to other: String)", false), ("try files.synchronize(directory: path)", false),
        (#"fopen("/proc/x", "re")"#, false), ("buffer.write(to: descriptor)", false), ("open(path, O_RDONLY)", false),
    ])
    func `the test finds what writes a file`(code: String, writes: Bool) {
        #expect(Self.writes(in: code[...]) == writes)
    }
}
