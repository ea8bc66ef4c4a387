// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Turns signals into calls on a queue, for as long as it is kept; after that they are ignored.
final class SignalWatch {
    private var watched: [(number: Int32, source: any DispatchSourceRead)] = []

    // Where the handler of a signal writes to, by its number. Unchecked, because a handler may not lock: its place is only
    // written to while it is not installed.
    private nonisolated(unsafe) static let writers: UnsafeMutablePointer<Int32> = {
        let places = UnsafeMutablePointer<Int32>.allocate(capacity: 65)
        places.initialize(repeating: -1, count: 65)
        return places
    }()

    /// From its return on no signal is lost. A source of Dispatch for signals arms itself later: one that comes before is ignored.
    func on(_ signals: Int32..., queue: DispatchQueue, perform action: @escaping @Sendable () -> Void) {
        for number in signals {
            var ends: [Int32] = [-1, -1]
            // No input leads here: it happens at start.
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
