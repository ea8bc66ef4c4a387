// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Health

/// Reads the files of the configuration, and the files named there.
extension GatewayConfiguration {
    /// Larger files are not read: nobody writes so much by hand.
    static let maximumFileSize = 1 << 20

    /// The configuration files beside `path`, in the order in which they count, or the fault of their folder.
    package static func filesBeside(_ path: String) -> (files: [String], issue: ConfigurationIssue?) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("conf.d").path
        let (files, reason) = files(in: folder)
        return (files, reason.map { ConfigurationIssue(file: folder, line: 0, $0) })
    }

    /// The configuration files of a folder, in the order in which they count, or the folder's fault.
    ///
    /// - Parameter absent: Error codes of a folder that does not exist, which is no fault.
    package static func files(in folder: String, absent: [Int32] = [ENOENT]) -> (files: [String], reason: String?) {
        guard let directory = opendir(folder) else {
            if absent.contains(errno) { return ([], nil) }
            return ([], errno == EACCES ? forbidden(folder) : String(cString: strerror(errno)))
        }
        closedir(directory)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted()
        return (names.map { folder + "/" + $0 }, nil)
    }

    /// Reads a regular file, and reports whether other users can read it, too. A file of root's may be open to its
    /// group: so the gateway's user can read it.
    static func secretContents(of file: String) -> Result<(text: String, isOpen: Bool), InvalidValue> {
        var information = stat()
        // stat before open: to open a pipe would wait for its writer.
        if stat(file, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
            return .failure(InvalidValue("is no regular file"))
        }
        let isOpen = isOpen(information)
        return contents(of: file).map { ($0, isOpen) }
    }

    /// Other users can read the file.
    static func isOpen(_ file: String) -> Bool {
        var information = stat()
        return stat(file, &information) == 0 && isOpen(information)
    }

    private static func isOpen(_ information: stat) -> Bool {
        information.st_mode & (information.st_uid == 0 ? 0o007 : 0o077) != 0
    }

    package static func contents(of file: String) -> Result<String, InvalidValue> {
        var information = stat()
        if stat(file, &information) == 0, information.st_mode & S_IFMT == S_IFDIR {
            return .failure(
                InvalidValue("is a folder; write the path of a file, like \(quoted(file + "/martlet.toml"))"))
        }
        // O_NONBLOCK: open must not wait for a pipe or a terminal.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return .failure(refusal(errno, of: file)) }
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return .failure(InvalidValue("is no regular file"))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            let data = try handle.read(upToCount: maximumFileSize + 1) ?? Data()
            guard data.count <= maximumFileSize else { return .failure(InvalidValue("is larger than 1 MiB")) }
            return text(of: data)
        } catch {
            return .failure(InvalidValue("cannot be read"))
        }
    }

    /// Why a file cannot be opened.
    static func refusal(_ code: Int32, of file: String) -> InvalidValue {
        switch code {
        case ENOENT: InvalidValue("there is no such file")
        case EACCES: InvalidValue(forbidden(file))
        default: InvalidValue("cannot be read: \(String(cString: strerror(code)))")
        }
    }

    private static func text(of data: Data) -> Result<String, InvalidValue> {
        if let text = String(data: data, encoding: .utf8) { return .success(text) }
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return .failure(InvalidValue("is UTF-16; save it as UTF-8"))
        }
        // The first line that is not UTF-8.
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let place = lines.firstIndex { String(data: $0, encoding: .utf8) == nil }.map { " in line \($0 + 1)" } ?? ""
        return .failure(InvalidValue("is not UTF-8\(place); save it as UTF-8"))
    }

    private static func forbidden(_ path: String) -> String {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        let advice: Advice =
            user == "martlet"
            ? "the user \(user) may not read it: \(.machine(.allowFile, path))"
            : "the user \(user) may not read it; run this as root"
        return Advice.here(advice)
    }
}
