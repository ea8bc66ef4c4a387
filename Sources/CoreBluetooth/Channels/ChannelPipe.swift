// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation

/// Octets of one channel, between the radio thread and the application's streams. The channel's credits bound the
/// incoming octets; the peer gets credits back as the application reads. ``capacity`` bounds the outgoing octets.
final class ChannelPipe: @unchecked Sendable {
    // Sound: the condition protects all mutable state.

    enum End {
        case closed
        case failed(CBError)
    }

    /// The most written octets that wait for the host.
    static let capacity = 16_384

    let channel: ChannelID
    private let host: BluetoothHost
    /// The longest SDU that the peer accepts, in octets.
    private let peerMTU: Int

    private let condition = NSCondition()
    private var incoming = OctetQueue()
    private var outgoing = OctetQueue()
    private var end: End?
    private var input = StreamSide()
    private var output = StreamSide()
    /// Octets read since the last report to the host.
    private var consumed = 0
    /// The application is done with the channel.
    private var isClosing = false
    /// The radio thread is about to look.
    private var isAwaited = false

    init(_ opening: ChannelOpening, host: BluetoothHost) {
        channel = opening.channel
        peerMTU = opening.peerMTU
        self.host = host
    }

    private func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        condition.lock()
        defer { condition.unlock() }
        return try body()
    }

    // MARK: The radio thread

    func received(_ octets: [UInt8]) {
        let bells = locked {
            guard !isClosing else {
                consumed += octets.count
                return [StreamBell]()
            }
            incoming.append(octets)
            return input.bells
        }
        recordChange(bells)
        requestService()
    }

    func ended(_ new: End) {
        let bells = locked {
            if end == nil { end = new }
            return input.bells + output.bells
        }
        recordChange(bells)
    }

    /// Asks the radio thread to move octets, once for all that is asked meanwhile.
    func requestService() {
        let isNew = locked {
            guard !isAwaited, consumed > 0 || !outgoing.isEmpty || isClosing else { return false }
            isAwaited = true
            return true
        }
        guard isNew else { return }
        host.perform { [self] host in host.withMachine { serve(&$0, at: $1) } }
    }

    private func serve(_ machine: inout HostMachine, at now: MonotonicTime) {
        let bells = locked {
            isAwaited = false
            if consumed > 0 { machine.consumed(consumed, on: channel, at: now) }
            consumed = 0
            let before = outgoing.count
            while !outgoing.isEmpty, !isClosing {
                let sdu = Array(outgoing.first(peerMTU))
                guard machine.send(sdu, on: channel, at: now) else { break }
                outgoing.drop(sdu.count)
            }
            if isClosing {
                var rest: [[UInt8]] = []
                while !outgoing.isEmpty {
                    rest.append(Array(outgoing.first(peerMTU)))
                    outgoing.drop(peerMTU)
                }
                machine.close(channel, sending: rest, at: now)
            }
            return outgoing.count < before ? output.bells : []
        }
        recordChange(bells)
    }

    /// Wakes all waiting threads and tasks after a change.
    private func recordChange(_ bells: [StreamBell]) {
        locked { condition.broadcast() }
        for bell in bells { bell.ring() }
        for waiter in locked({ input.takeWaiters() + output.takeWaiters() }) { waiter.resume() }
    }

    // MARK: Reading and writing

    /// Waits for octets; returns their number, 0 at the end, −1 if the stream is not open or broken.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (count, bells) = locked {
            guard input.isOpen else { return (-1, [StreamBell]()) }
            while incoming.isEmpty, end == nil, input.isOpen { condition.wait() }
            guard input.isOpen else { return (-1, []) }
            if incoming.isEmpty { return (isBroken ? -1 : 0, []) }
            return (take(into: buffer), incoming.isEmpty && end == nil ? [] : input.bells)
        }
        for bell in bells { bell.ring() }
        requestService()
        return count
    }

    private func take(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let slice = incoming.first(buffer.count)
        _ = buffer.update(fromContentsOf: slice)
        incoming.drop(slice.count)
        consumed += slice.count
        input.isArmed = true
        return slice.count
    }

    /// Waits for room; returns the number of accepted octets, −1 if the stream is not open or the channel has ended.
    func write(_ octets: UnsafeBufferPointer<UInt8>) -> Int {
        let (count, bells) = locked {
            while outgoing.count >= Self.capacity, end == nil, output.isOpen { condition.wait() }
            guard output.isOpen, end == nil else { return (-1, [StreamBell]()) }
            let part = octets.prefix(Self.capacity - outgoing.count)
            outgoing.append(part)
            output.isArmed = true
            return (part.count, outgoing.count < Self.capacity ? output.bells : [])
        }
        for bell in bells { bell.ring() }
        requestService()
        return count
    }

    /// The octets at hand, without waiting: nil if there are none; empty at the end.
    func readNow() throws(CBError) -> Data? {
        let octets = locked { () -> Data? in
            guard !incoming.isEmpty else { return end == nil ? nil : Data() }
            let all = Data(incoming.first(.max))
            incoming.drop(all.count)
            consumed += all.count
            input.isArmed = true
            return all
        }
        if octets?.isEmpty == true, case .failed(let error) = locked({ end }) { throw error }
        requestService()
        return octets
    }

    /// Takes as much as there is room for, without waiting.
    func writeNow(_ data: Data) throws(CBError) -> Int {
        let end = locked { self.end }
        switch end {
        case .failed(let error): throw error
        case .closed: throw CBError(.peripheralDisconnected, detail: "the channel is closed")
        case nil: break
        }
        let count = locked {
            let part = data.prefix(Self.capacity - outgoing.count)
            outgoing.append(part)
            return part.count
        }
        requestService()
        return count
    }

    /// `continuation` is resumed at the next change, at once when `isDue` holds already.
    func wait(_ direction: StreamSide.Direction, _ continuation: CheckedContinuation<Void, Never>, _ token: UUID) {
        let isDue = locked {
            let isReady = direction == .input ? !incoming.isEmpty : outgoing.count < Self.capacity
            guard end == nil, !isReady, !self[direction].isCancelled(token) else { return true }
            self[direction].waiters[token] = continuation
            return false
        }
        if isDue { continuation.resume() }
    }

    func cancel(_ direction: StreamSide.Direction, _ token: UUID) {
        locked { self[direction].cancel(token) }?.resume()
    }

    // MARK: State

    private subscript(direction: StreamSide.Direction) -> StreamSide {
        get { direction == .input ? input : output }
        set { if direction == .input { input = newValue } else { output = newValue } }
    }

    private var isBroken: Bool { if case .failed = end { true } else { false } }

    var hasOctets: Bool { locked { input.isOpen && !incoming.isEmpty } }
    var hasRoom: Bool { locked { output.isOpen && end == nil && outgoing.count < Self.capacity } }

    var error: CBError? { locked { if case .failed(let error) = end { error } else { nil } } }

    func status(_ direction: StreamSide.Direction) -> Stream.Status {
        locked {
            let side = self[direction]
            guard side.isOpen else { return side.isClosed ? .closed : .notOpen }
            guard end != nil, direction == .output || incoming.isEmpty else { return .open }
            return isBroken ? .error : .atEnd
        }
    }

    func open(_ direction: StreamSide.Direction) {
        let bells = locked {
            if !self[direction].isClosed { self[direction].isOpen = true }
            return self[direction].bells
        }
        for bell in bells { bell.ring() }
    }

    /// When both streams are closed the channel is.
    func close(_ direction: StreamSide.Direction) {
        let bells = locked {
            let bells = self[direction].close()
            if input.isClosed && output.isClosed { isClosing = true }
            return bells
        }
        for bell in bells { bell.remove() }
        recordChange([])
        requestService()
    }

    /// Sends the written octets and closes the channel, when the application has released it.
    func abandon() {
        ended(.closed)
        locked { isClosing = true }
        requestService()
    }

    func setDelegate(_ delegate: (any StreamDelegate)?, _ direction: StreamSide.Direction) {
        let bells = locked {
            self[direction].delegate = delegate
            return self[direction].bells
        }
        for bell in bells { bell.ring() }
    }

    func delegate(_ direction: StreamSide.Direction) -> (any StreamDelegate)? { locked { self[direction].delegate } }

    func schedule(_ bell: StreamBell, _ direction: StreamSide.Direction) {
        locked { self[direction].bells.append(bell) }
        bell.ring()
    }

    func unschedule(_ direction: StreamSide.Direction, from runLoop: RunLoop, _ mode: RunLoop.Mode) {
        let removed = locked { self[direction].takeBells { $0.isFor(runLoop, mode) } }
        for bell in removed { bell.remove() }
    }

    /// The next event for the stream's delegate, and whether another event may follow.
    func nextEvent(_ direction: StreamSide.Direction) -> Stream.Event? {
        locked {
            guard self[direction].delegate != nil, self[direction].isOpen else { return nil }
            if self[direction].tell(.openCompleted) { return .openCompleted }
            if direction == .input, !incoming.isEmpty { return disarm(.input) ? .hasBytesAvailable : nil }
            if end != nil {
                let event = isBroken ? Stream.Event.errorOccurred : .endEncountered
                return self[direction].tell(event) ? event : nil
            }
            guard direction == .output, outgoing.count < Self.capacity else { return nil }
            return disarm(.output) ? .hasSpaceAvailable : nil
        }
    }

    private func disarm(_ direction: StreamSide.Direction) -> Bool {
        defer { self[direction].isArmed = false }
        return self[direction].isArmed
    }
}
