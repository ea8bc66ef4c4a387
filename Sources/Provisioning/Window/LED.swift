// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A LED of `/sys/class/leds` that blinks, so that people find the gateway.
package final class LED: Sendable {
    private struct State {
        /// The LED's trigger before it blinked.
        var former: String?
        /// Number of the newest call to blink. Only the newest call's end counts.
        var number = 0
    }

    private let folder: String
    private let queue = DispatchQueue(label: "martlet.led")
    private let state = Mutex(State())

    /// - Parameter name: nil takes the board's own LED: the first existing name from a list of usual names.
    package init?(name: String?, root: String = "/sys/class/leds") {
        let names = name.map { [$0] } ?? ["ACT", "led0", "PWR", "led1"]
        let usable = names.first { name in
            !name.contains("/") && name != ".." && access("\(root)/\(name)/trigger", F_OK) == 0
        }
        guard let usable else { return nil }
        folder = "\(root)/\(usable)"
    }

    /// Blinks for this time, and then restores the former trigger. False after a failure.
    package func blink(for duration: Duration) -> Bool {
        queue.sync {
            let (isBlinking, number) = state.withLock { state in
                state.number += 1
                return (state.former != nil, state.number)
            }
            if !isBlinking {
                guard let former = trigger(), write("timer", to: "trigger") else { return false }
                state.withLock { $0.former = former }
                _ = write("100", to: "delay_on")
                _ = write("100", to: "delay_off")
            }
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: duration.wholeMilliseconds))) { [self] in
                restore(number)
            }
            return true
        }
    }

    private func restore(_ number: Int) {
        let former = state.withLock { state -> String? in
            guard state.number == number else { return nil }
            defer { state.former = nil }
            return state.former
        }
        if let former { _ = write(former, to: "trigger") }
    }

    /// The active trigger, in brackets: `none [mmc0] timer`.
    private func trigger() -> String? {
        guard let text = try? String(contentsOfFile: folder + "/trigger", encoding: .utf8),
            let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]")
        else { return nil }
        return String(text[text.index(after: open)..<close])
    }

    /// One write: the kernel requires this.
    private func write(_ text: String, to name: String) -> Bool {
        let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC | O_TRUNC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let octets = Array(text.utf8)
        return Glibc.write(descriptor, octets, octets.count) == octets.count
    }
}
