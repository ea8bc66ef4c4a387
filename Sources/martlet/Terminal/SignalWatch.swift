// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Turns signals into calls on a queue during its life. Afterwards the signals are ignored.
final class SignalWatch {
    private var watched: [(number: Int32, source: any DispatchSourceRead)] = []

    // The descriptor that a signal's handler writes to, by the signal's number. Unchecked, because a handler may not
    // lock: an entry changes only while its handler is not installed.
    private nonisolated(unsafe) static let writers: UnsafeMutablePointer<Int32> = {
        let places = UnsafeMutablePointer<Int32>.allocate(capacity: 65)
        places.initialize(repeating: -1, count: 65)
        return places
    }()

    /// After this call no signal is lost. Dispatch's own signal source arms itself later, and would miss an early
    /// signal.
    func on(_ signals: Int32..., queue: DispatchQueue, perform action: @escaping @Sendable () -> Void) {
        for number in signals {
            var ends: [Int32] = [-1, -1]
            // Only runs at start, independent of input.
            guard pipe(&ends) == 0 else { preconditionFailure("no descriptors left for signals") }
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
            let (reader, writer) = (ends[0], ends[1])
            let source = DispatchSource.makeReadSource(fileDescriptor: reader, queue: queue)
            source.setEventHandler {
                var octets = [UInt8](repeating: 0, count: 64)
                guard read(reader, &octets, octets.count) > 0 else { return }
                action()
            }
            source.setCancelHandler {
                close(reader)
                close(writer)
            }
            source.activate()
            watched.append((number, source))
            Self.writers[Int(number)] = writer
            signal(number) { number in
                let reason = errno
                var octet: UInt8 = 0
                _ = write(SignalWatch.writers[Int(number)], &octet, 1)
                errno = reason
            }
        }
    }

    deinit {
        for (number, source) in watched {
            signal(number, SIG_IGN)
            Self.writers[Int(number)] = -1
            source.cancel()
        }
    }
}
