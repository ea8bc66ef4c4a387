// SPDX-License-Identifier: Apache-2.0

/// The messages of a simulated gateway about itself and its sensors, at the beginning and at the end of a connection; a
/// value.
struct GatewaySpeech {
    private let sensors: Int
    /// Takes retained messages back in the end.
    private let clears: Bool
    /// Messages of the beginning, and of the end, that were sent on this connection.
    private var announced = 0
    private var said = 0

    init(sensors: Int, clears: Bool) { (self.sensors, self.clears) = (sensors, clears) }

    mutating func begin() { (announced, said) = (0, 0) }

    /// All messages of the beginning were sent.
    var hasAnnounced: Bool { announced >= sensors + 2 }

    mutating func nextAnnouncement() -> SimulatedMessage? {
        guard !hasAnnounced else { return nil }
        defer { announced += 1 }
        return announcement(announced)
    }

    /// The end has begun.
    var isLeaving: Bool { said > 0 }
    /// All messages of the end were sent.
    var hasLeft: Bool { farewell(said) == nil }

    mutating func nextFarewell() -> SimulatedMessage? {
        guard let message = farewell(said) else { return nil }
        said += 1
        return message
    }

    private func announcement(_ index: Int) -> SimulatedMessage {
        switch index {
        case 0: .online
        case 1: .information
        default: .availability(index - 2)
        }
    }

    private func farewell(_ index: Int) -> SimulatedMessage? {
        guard index > 0 else { return .offline }
        guard clears, index <= sensors + 2 else { return nil }
        return .erasure(announcement(index - 1))
    }
}
