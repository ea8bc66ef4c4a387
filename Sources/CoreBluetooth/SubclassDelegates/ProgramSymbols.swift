// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The symbols of the program and its libraries, read from their ELF files. Whatever cannot be read has none.
enum ProgramSymbols {
    /// The methods that a class, or an extension of it, declares, in words.
    static func methods(of type: AnyClass) -> [String] {
        guard let name = _mangledTypeName(type), let demangle = demangler else { return [] }
        let address = UInt(bitPattern: ObjectIdentifier(type))
        let path = file(at: address) ?? "/proc/self/exe"
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) else { return [] }
        let prefix = Array("$s\(name)".utf8)
        return data.withUnsafeBytes { symbols(in: $0, prefix: prefix) }.compactMap(demangle)
    }

    /// The file that is mapped at an address.
    private static func file(at address: UInt) -> String? {
        // Not mapped: the kernel makes this file as it is read.
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return nil }
        for line in maps.split(separator: "\n") {
            // 55d0c000-55d0f000 r--p 00000000 08:01 1234    /usr/bin/program
            let columns = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            let bounds = columns.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
            guard bounds.count == 2, bounds[0] <= address, address < bounds[1], columns.count == 6 else { continue }
            let path = columns[5].drop { $0 == " " }
            return path.hasPrefix("/") ? String(path) : nil
        }
        return nil
    }

    /// Names of functions that begin with `prefix`, of a 64-bit ELF file.
    static func symbols(in file: UnsafeRawBufferPointer, prefix: [UInt8]) -> [String] {
        func number<Number: FixedWidthInteger>(_ type: Number.Type, _ offset: Int) -> Int? {
            guard offset >= 0, offset <= file.count - MemoryLayout<Number>.size else { return nil }
            return Int(exactly: Number(littleEndian: file.loadUnaligned(fromByteOffset: offset, as: Number.self)))
        }
        let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]
        guard file.starts(with: magic), let sections = number(UInt64.self, 0x28), sections <= file.count,
            let count = number(UInt16.self, 0x3C)
        else { return [] }
        /// Type, offset, size and linked section of a section.
        func section(_ index: Int) -> (type: Int, content: Range<Int>, link: Int)? {
            let header = sections + index * 64
            guard index < count, let type = number(UInt32.self, header + 4),
                let start = number(UInt64.self, header + 0x18), let size = number(UInt64.self, header + 0x20),
                let link = number(UInt32.self, header + 0x28),
                start <= file.count, size <= file.count - start
            else { return nil }
            return (type, start..<start + size, link)
        }
        // All symbols, or where those were stripped, the ones that the dynamic linker needs.
        let tables = (0..<count).compactMap { section($0) }
        guard let table = tables.first(where: { $0.type == 2 }) ?? tables.first(where: { $0.type == 11 }),
            let names = section(table.link)?.content
        else { return [] }
        var found: [String] = []
        for entry in stride(from: table.content.lowerBound, to: table.content.upperBound - 23, by: 24) {
            // Functions alone.
            guard file[entry + 4] & 0x0F == 2, let name = number(UInt32.self, entry), name < names.count else {
                continue
            }
            let rest = UnsafeRawBufferPointer(rebasing: file[(names.lowerBound + name)..<names.upperBound])
            guard rest.starts(with: prefix), let end = rest.firstIndex(of: 0), end > 0,
                rest[end - 1] == UInt8(ascii: "F")
            else { continue }
            found.append(String(decoding: rest[..<end], as: UTF8.self))
        }
        return found
    }

    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// The runtime's own, where it is linked dynamically.
    private static var demangler: ((String) -> String?)? {
        guard let symbol = dlsym(nil, "swift_demangle") else { return nil }
        let demangle = unsafeBitCast(symbol, to: Demangle.self)
        return { name in
            guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return nil }
            defer { free(text) }
            return String(cString: text)
        }
    }
}
