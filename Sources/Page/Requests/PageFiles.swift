// SPDX-License-Identifier: Apache-2.0

import CPage

/// A file of the page, built into the program.
struct PageFiles: Sendable {
    private let name: String
    private let octets: [UInt8]

    /// The login form needs all other files, and they hold no secrets.
    var isForStrangers: Bool { name != "index.html" }

    private static let all: [String: PageFiles] = {
        var files: [String: PageFiles] = [:]
        var place = 0
        while let file = page_file(place)?.pointee, let name = file.name {
            let octets = UnsafeBufferPointer(start: file.octets, count: file.count)
            files[String(cString: name)] = PageFiles(name: String(cString: name), octets: Array(octets))
            place += 1
        }
        return files
    }()

    /// Names of all files.
    static var names: Set<String> { Set(all.keys) }

    static func named(_ path: String) -> PageFiles? {
        switch path {
        case "/": all["index.html"]
        case "/login": all["login.html"]
        default: path.hasSuffix(".html") || !path.hasPrefix("/") ? nil : all[String(path.dropFirst())]
        }
    }

    var response: PageResponse { PageResponse(200, type, octets) }

    private var type: String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
