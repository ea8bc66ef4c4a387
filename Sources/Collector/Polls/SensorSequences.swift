// SPDX-License-Identifier: Apache-2.0

/// Follows a sensor's own numbers of its values. Each of several characteristics of equal UUID counts by itself.
struct SensorSequences: Equatable, Sendable {
    /// Limit of followed characteristics.
    private static let limit = 16

    /// Octets of a number: 1, 2 or 4.
    private let octets: Int
    /// By the characteristics' instances, from 1.
    private var machines: [Int: SequenceMachine] = [:]

    init(octets: Int) { self.octets = octets }

    /// The count of missing numbers.
    var missing: Int { machines.values.reduce(0) { $0 + $1.missing } }

    /// A link to the sensor begins.
    mutating func connected() { for instance in machines.keys { machines[instance]?.connected() } }

    mutating func judge(_ number: UInt32, of instance: Int) -> SequenceMachine.Verdict {
        guard machines[instance] != nil || machines.count < Self.limit else { return .first }
        return machines[instance, default: SequenceMachine(octets: octets)].judge(number)
    }

    /// The last numbers, for the next run: `7`, or `7,2:1900` if the second characteristic has reached 1900. Empty
    /// before the first number.
    var text: String {
        machines.sorted { $0.key < $1.key }.compactMap { instance, machine in
            machine.last.map { instance == 1 ? "\($0)" : "\(instance):\($0)" }
        }.joined(separator: ",")
    }

    /// Continues from the state of an earlier run of the gateway.
    mutating func resume(after text: String) {
        for part in text.split(separator: ",").prefix(Self.limit) {
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard let number = halves.last.flatMap({ UInt32($0) }),
                let instance = halves.count == 1 ? 1 : Int(halves[0]), (1...255).contains(instance)
            else { continue }
            machines[instance, default: SequenceMachine(octets: octets)].resume(after: number)
        }
    }
}
