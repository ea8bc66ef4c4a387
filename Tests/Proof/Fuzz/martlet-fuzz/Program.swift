// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `martlet-fuzz TARGET [ARGUMENT …]`: runs one target under libFuzzer, which has the main function and takes the arguments. `martlet-fuzz
/// --list` names the targets, `martlet-fuzz --write-seeds TARGET FOLDER` writes the first inputs.
enum Program {
    /// libFuzzer's entry points have no context, and there is one thread.
    nonisolated(unsafe) static var target: (any FuzzTarget)?

    /// Takes our arguments out of libFuzzer's, or ends the process without a target.
    static func start(
        _ count: UnsafeMutablePointer<CInt>, _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--list" {
            for target in targets { print(target.name) }
            exit(0)
        }
        let isWriting = arguments.first == "--write-seeds"
        let name = isWriting ? arguments.dropFirst().first : arguments.first
        guard let found = targets.first(where: { $0.name == name }) else { usage() }
        if isWriting {
            guard arguments.count == 3, let folder = arguments.last else { usage() }
            write(found.seeds, to: folder)
            exit(0)
        }
        target = found.init()
        // This argument replaces the target's name; a later argument may override it.
        list[1] = strdup("-max_len=\(found.maximumLength)")
    }

    private static func usage() -> Never {
        let names = targets.map { $0.name }.joined(separator: " ")
        end(
            """
            usage: martlet-fuzz TARGET [ARGUMENT …]
                   martlet-fuzz --list
                   martlet-fuzz --write-seeds TARGET FOLDER
            targets: \(names)
            """, status: 64)
    }

    private static func write(_ seeds: [[UInt8]], to folder: String) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (number, seed) in seeds.enumerated() {
                try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
            }
        } catch {
            end("martlet-fuzz: \(error)", status: 74)
        }
    }

    private static func end(_ text: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(status)
    }
}

@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    Program.start(count, list.pointee)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    Program.target?.run([UInt8](UnsafeBufferPointer(start: data, count: size)))
    return 0
}
