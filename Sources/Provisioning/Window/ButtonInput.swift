// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Glibc
import Logging
import Synchronization

/// A button that is a key of the kernel's input system, for example from the `gpio-key` overlay. The device may come
/// and go.
package final class ButtonInput: Sendable {
    /// The default device.
    package static let standardDevice = "/dev/martlet-button"

    private struct State {
        var source: (any DispatchSourceRead)?
        var timer: (any DispatchSourceTimer)?
        var rest: [UInt8] = []
        var lastPress: ContinuousClock.Instant?
        var isStopped = false
    }

    private let path: String
    private let debounce: Duration
    private let logger: Logger
    private let pressed: @Sendable () -> Void
    private let queue = DispatchQueue(label: "martlet.button")
    private let state = Mutex(State())

    /// - Parameter pressed: called on the button's own queue.
    package init(
        path: String, debounce: Duration = .milliseconds(300), logger: Logger, pressed: @escaping @Sendable () -> Void
    ) {
        (self.path, self.debounce, self.logger, self.pressed) = (path, debounce, logger, pressed)
    }

    package func start() { queue.async { [self] in open() } }

    package func stop() {
        state.withLock { state in
            state.isStopped = true
            state.source?.cancel()
            state.timer?.cancel()
            (state.source, state.timer) = (nil, nil)
        }
    }

    private func open() {
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return openLater() }
        logger.info("the button is there", metadata: ["device": "\(path)"])
        let isWanted = state.withLock { state in
            guard !state.isStopped else { return false }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.read(descriptor) }
            source.setCancelHandler { close(descriptor) }
            (state.source, state.rest) = (source, [])
            source.activate()
            return true
        }
        if !isWanted { close(descriptor) }
    }

    private func openLater() {
        state.withLock { state in
            guard !state.isStopped else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.open() }
            timer.schedule(deadline: .now() + 2)
            state.timer = timer
            timer.activate()
        }
    }

    private func read(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: MemoryLayout<InputEvent.Layout>.size * 64)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            state.withLock { state in
                state.source?.cancel()
                state.source = nil
            }
            return openLater()
        }
        let presses = state.withLock { state in
            state.rest += buffer[..<count]
            return InputEvent.parse(from: &state.rest).filter(\.isPress).count
        }
        for _ in 0..<presses { press() }
    }

    private func press() {
        let now = ContinuousClock.now
        let isNew = state.withLock { state in
            defer { state.lastPress = now }
            return state.lastPress.map { now - $0 >= debounce } ?? true
        }
        if isNew { pressed() }
    }
}

/// `struct input_event` of the kernel: a time of two C longs, then type, code and value.
package struct InputEvent: Equatable, Sendable {
    /// The kernel's layout for programs of this word size.
    package struct Layout {
        var seconds: Int
        var microseconds: Int
        var type: UInt16
        var code: UInt16
        var value: Int32
    }

    private static let keyEvent: UInt16 = 1

    package let type: UInt16
    package let code: UInt16
    package let value: Int32

    package init(type: UInt16, code: UInt16, value: Int32) { (self.type, self.code, self.value) = (type, code, value) }

    /// 1: pressed. 0: released. 2: held.
    package var isPress: Bool { type == Self.keyEvent && value == 1 }

    /// Removes complete events from `octets`; `longSize`: octets of a C long.
    package static func parse(from octets: inout [UInt8], longSize: Int = MemoryLayout<Int>.size) -> [InputEvent] {
        let size = 2 * longSize + 8
        var events: [InputEvent] = []
        var offset = 0
        while octets.count - offset >= size {
            let fields = octets[(offset + 2 * longSize)..<(offset + size)]
            let (type, code, value) = fields.withUnsafeBytes { bytes in
                (
                    bytes.loadUnaligned(as: UInt16.self), bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self),
                    bytes.loadUnaligned(fromByteOffset: 4, as: Int32.self)
                )
            }
            events.append(InputEvent(type: type, code: code, value: value))
            offset += size
        }
        octets.removeFirst(offset)
        return events
    }
}
