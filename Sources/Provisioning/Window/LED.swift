// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import Glibc
import StateFiles
import Synchronization

/// A LED of `/sys/class/leds`. The LED blinks fast so that people find the gateway, and slowly while the gateway has a failure.
package final class LED: Sendable {
    /// Milliseconds of light and of darkness.
    private enum Pace: CaseIterable, Equatable {
        case found, failure

        var on: String { self == .found ? "100" : "500" }
        var off: String { self == .found ? "100" : "1500" }
    }

    private struct State {
        /// The LED's trigger before it blinked.
        var former: String?
        /// The present pace; nil: the LED shows the former trigger.
        var pace: Pace?
        /// Number of the newest call to blink. Only the newest call's end counts.
        var number = 0
        /// People look for the gateway.
        var isSought = false
        var hasFailure = false

        var wanted: Pace? { isSought ? .found : hasFailure ? .failure : nil }
    }

    private let folder: String
    private let queue = DispatchQueue(label: "martlet.led")
    private let state = Mutex(State())

    /// The file of the state directory that keeps the former trigger.
    package static let memoryName = "led"
    /// The trigger of a LED that blinks.
    private static let blinking = "timer"

    /// - Parameters:
    ///   - name: nil takes the board's own LED: the first existing name from a list of usual names.
    ///   - memory: The file that keeps the former trigger, for the start after a kill; nil: nothing is kept.
    package init?(name: String?, root: String = "/sys/class/leds", memory: String? = nil) {
        let names = name.map { [$0] } ?? ["ACT", "led0", "PWR", "led1"]
        let usable = names.first { name in
            !name.contains("/") && name != ".." && access("\(root)/\(name)/trigger", F_OK) == 0
        }
        guard let usable else { return nil }
        folder = "\(root)/\(usable)"
        if let memory { settle(memory) }
    }

    /// Restores the former trigger of a LED that a killed process has left blinking. Else keeps the present trigger for such a start.
    private func settle(_ memory: String) {
        guard let present = trigger() else { return }
        let kept = try? String(contentsOfFile: memory, encoding: .utf8)
        let paces = Pace.allCases.map { [$0.on, $0.off] }
        if present == Self.blinking, paces.contains([text(of: "delay_on"), text(of: "delay_off")]) {
            guard let kept, kept.hasPrefix(folder + "\n") else { return }
            _ = write(String(kept.dropFirst(folder.count + 1)), to: "trigger")
        } else if kept != "\(folder)\n\(present)" {
            let parent = (memory as NSString).deletingLastPathComponent
            try? StateFile.replace(memory, with: Data("\(folder)\n\(present)".utf8), in: parent)
        }
    }

    private func text(of name: String) -> String {
        let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        return (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Blinks for this time, and then restores the former trigger. False after a failure.
    package func blink(for duration: Duration) -> Bool {
        queue.sync {
            let number = state.withLock { state in
                state.number += 1
                state.isSought = true
                return state.number
            }
            guard show() else {
                state.withLock { $0.isSought = false }
                return false
            }
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: duration.wholeMilliseconds))) { [self] in
                let isNewest = state.withLock { state in
                    guard state.number == number else { return false }
                    state.isSought = false
                    return true
                }
                if isNewest { _ = show() }
            }
            return true
        }
    }

    /// Blinks slowly as long as the gateway has a failure, by its account of health.
    package func show(hasFailure: Bool) {
        queue.async { [self] in
            state.withLock { $0.hasFailure = hasFailure }
            _ = show()
        }
    }

    /// Shows the former trigger again: the gateway stops. Waits for that.
    package func end() {
        queue.sync {
            state.withLock { ($0.hasFailure, $0.isSought) = (false, false) }
            _ = show()
        }
    }

    /// Writes the wanted pace or trigger. False after a failure.
    private func show() -> Bool {
        let (wanted, shown, former) = state.withLock { ($0.wanted, $0.pace, $0.former) }
        guard wanted != shown else { return true }
        guard let wanted else {
            state.withLock { ($0.pace, $0.former) = (nil, nil) }
            return former.map { write($0, to: "trigger") } ?? true
        }
        if former == nil {
            guard let former = trigger(), write(Self.blinking, to: "trigger") else { return false }
            state.withLock { $0.former = former }
        }
        state.withLock { $0.pace = wanted }
        _ = write(wanted.on, to: "delay_on")
        _ = write(wanted.off, to: "delay_off")
        return true
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
