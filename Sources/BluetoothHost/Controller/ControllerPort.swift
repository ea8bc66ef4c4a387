// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import HCITransport

/// An open transport with its buffers. Finds packets in the input, and keeps output that cannot be sent yet.
struct ControllerPort {
    struct Receipt {
        var octetsSkipped = 0
        var packets = 0
        /// The turn has read as much as it may; more input may wait.
        var isFull = false
        /// Packets lost before the turn could read them.
        var packetsLost: UInt32 = 0
        /// The stream made no sense any more; the controller has to be reset.
        var lostBorders = false
    }

    private let transport: any HCITransport
    private var input: [UInt8]
    /// Filled octets of `input`.
    private var filled = 0
    private var output: [UInt8] = []
    /// Octets at the head of `output` whose packet has begun to be sent.
    private var begun = 0
    private var isSearching = false
    private var packetsLost: UInt32 = 0

    /// Octets read at once; any H4 packet fits.
    private static let inputLength = 64 * 1024 + 8
    /// Packets read in a turn from a transport that gives single packets.
    private static let packetsATurn = 64

    init(_ transport: any HCITransport) {
        self.transport = transport
        input = [UInt8](repeating: 0, count: Self.inputLength)
    }

    var descriptor: Int32 { transport.descriptor }
    var hasBacklog: Bool { !output.isEmpty }

    func close() { transport.close() }

    /// Since when the rest of a packet is awaited. On a sound line, a packet comes in one piece.
    private(set) var partialSince: MonotonicTime?

    /// Skips input until the answer to the Reset that follows. A half-sent packet is sent whole.
    mutating func beginAgain() {
        output.removeLast(output.count - begun)
        filled = 0
        partialSince = nil
        isSearching = !transport.keepsPacketBorders
    }

    /// Reads the waiting input and hands each whole packet to `body`.
    mutating func receive(at now: MonotonicTime, _ body: (RawSpan) -> Void) throws(TransportError) -> Receipt {
        let reads = transport.keepsPacketBorders ? Self.packetsATurn : 1
        var receipt = Receipt()
        for turn in 1...reads {
            let start = filled
            let transport = transport
            let result = input.withUnsafeMutableBytes { buffer -> Result<Int, TransportError> in
                do throws(TransportError) {
                    return .success(try transport.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...])))
                } catch {
                    return .failure(error)
                }
            }
            let count = try result.get()
            guard count > 0 else { break }
            filled += count
            receipt.isFull = transport.keepsPacketBorders ? turn == reads : filled == input.count
            frame(&receipt, body)
            // A packet transport gives whole packets. A rest means a packet whose header does not fit its length.
            if transport.keepsPacketBorders, filled > 0 {
                receipt.octetsSkipped += filled
                filled = 0
            }
        }
        // Packets are lost only where more of them wait than a turn takes.
        if receipt.isFull {
            let lost = transport.packetsLost
            receipt.packetsLost = lost &- packetsLost
            packetsLost = lost
        }
        partialSince = filled == 0 ? nil : receipt.packets > 0 ? now : partialSince ?? now
        return receipt
    }

    private mutating func frame(_ receipt: inout Receipt, _ body: (RawSpan) -> Void) {
        var offset = 0
        var isSearching = isSearching
        scan: while offset < filled {
            let rest = input.span.bytes.extracting(offset..<filled)
            if isSearching {
                let (skip, found) = H4Resynchronizer.search(rest)
                receipt.octetsSkipped += skip
                offset += skip
                guard found else { break scan }
                isSearching = false
                continue
            }
            switch H4Framer.next(rest) {
            case .packet(_, let length):
                body(rest.extracting(0..<length))
                receipt.packets += 1
                offset += length
            case .needs:
                break scan
            case .unknownType:
                isSearching = true
                receipt.lostBorders = true
            }
        }
        self.isSearching = isSearching
        if offset < filled, offset > 0 {
            let (from, count) = (offset, filled - offset)
            input.withUnsafeMutableBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[from..<(from + count)])
                buffer.copyMemory(from: rest)
            }
        }
        filled -= offset
    }

    /// Sends H4 packets, and keeps the rest for later.
    mutating func send(_ octets: [UInt8], _ record: (RawSpan) -> Void) throws(TransportError) {
        var offset = 0
        while offset < octets.count,
            case .packet(_, let length) = H4Framer.next(octets.span.bytes.extracting(offset..<octets.count))
        {
            record(octets.span.bytes.extracting(offset..<(offset + length)))
            offset += length
        }
        output.append(contentsOf: octets)
        var sent = 0
        while sent < output.count {
            var end = output.count
            if transport.keepsPacketBorders,
                case .packet(_, let length) = H4Framer.next(output.span.bytes.extracting(sent..<output.count))
            {
                end = sent + length
            }
            let range = sent..<end
            let transport = transport
            let result = output.withUnsafeBytes { buffer -> Result<Int, TransportError> in
                do throws(TransportError) {
                    return .success(try transport.write(UnsafeRawBufferPointer(rebasing: buffer[range])))
                } catch {
                    return .failure(error)
                }
            }
            let count = try result.get()
            guard count > 0 else { break }
            sent += count
        }
        // Finds the end of the packet that was cut.
        var border = begun
        while border < sent,
            case .packet(_, let length) = H4Framer.next(output.span.bytes.extracting(border..<output.count))
        {
            border += length
        }
        begun = max(0, border - sent)
        output.removeFirst(sent)
    }
}
