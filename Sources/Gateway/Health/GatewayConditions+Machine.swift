// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Health
import Platform

/// The machine and the files that the gateway cannot do without. `martlet doctor` finds them here, too, without a gateway.
extension GatewayConditions {
    /// - Parameter now: Seconds since 1970; nil: the time is unknown, and certificates are not judged.
    package static func machine(_ system: SystemStatus, at now: Int64?) -> [Condition] {
        var found: [Condition] = []
        if let degrees = system.temperatureC, degrees >= SystemStatus.hot {
            found.append(Condition(.tooHot, "", ["degrees": "\(Int(clamping: Int64(min(degrees, 1e6).rounded())))"]))
        }
        if system.supply?.isWeak == true {
            found.append(Condition(.powerWeak))
        } else if system.supply?.wasWeak == true {
            found.append(Condition(.powerWasWeak))
        }
        if let memory = system.memory, memory.isGrowing, let first = memory.hourlyLows.first,
            let last = memory.hourlyLows.last
        {
            let arguments = [
                "from": mebibytes(first), "to": mebibytes(last), "hours": "\(memory.hourlyLows.count - 1)",
            ]
            found.append(Condition(.memoryGrows, "", arguments))
        }
        if let now { found += (system.certificates ?? []).compactMap { certificate($0, at: now) } }
        return found
    }

    /// Nil for a good certificate, and for a file that this process may not read.
    private static func certificate(_ status: CertificateStatus, at now: Int64) -> Condition? {
        guard status.isUnreadable != true else { return nil }
        var arguments = ["key": status.key, "file": status.file]
        guard let begin = status.begin, let end = status.end else {
            return Condition(.certificateInvalid, status.key, arguments, variant: .empty)
        }
        arguments["date"] = day(end)
        if end <= now { return Condition(.certificateInvalid, status.key, arguments) }
        if begin > now {
            arguments["date"] = day(begin)
            return Condition(.certificateInvalid, status.key, arguments, variant: .notYet)
        }
        let days = (end - now) / 86_400
        guard days < CertificateStatus.soon else { return nil }
        arguments["days"] = "\(days)"
        return Condition(.certificateEnds, status.key, arguments)
    }

    /// The date in UTC: `2026-11-29`.
    package static func day(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
    }

    package static func mebibytes(_ octets: UInt64) -> String {
        let tenths = octets / (1 << 20) * 10 + octets % (1 << 20) * 10 / (1 << 20)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
