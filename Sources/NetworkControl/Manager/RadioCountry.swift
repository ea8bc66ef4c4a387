// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StateFiles

/// The country whose rules the radio keeps.
///
/// The helper lacks the privileges to set the country. It writes the two letters to a file, and
/// `martlet-wifi-country.path` starts a unit that applies them and writes the result to a second file.
struct RadioCountry: Sendable {
    /// The environment variable with the path of the file; without the variable no unit applies a country.
    static let variable = "MARTLET_WIFI_COUNTRY"

    /// Two letters and a line feed.
    var file: String?
    /// `done`, or the text of a failure.
    var result: String?
    /// The country that the kernel got at its start.
    var kernel = "/sys/module/cfg80211/parameters/ieee80211_regdom"
    var patience = Duration.seconds(25)

    /// The present country; nil when none is set.
    var current: String? {
        for path in [file, kernel] {
            guard let path, let text = SmallFile.read(path) else { continue }
            let code = text.prefix { $0 != "\n" }
            if Self.codes.contains(String(code)) { return String(code) }
        }
        return nil
    }

    func set(_ country: String) throws(NetworkTrouble) {
        guard Self.codes.contains(country) else {
            throw NetworkTrouble(.notValid, "a country is two capital letters of ISO 3166-1, like DE")
        }
        guard let file, let result else {
            throw NetworkTrouble(.failed, "nothing on this system sets the country: \(Self.variable) is not set")
        }
        guard unlink(result) == 0 || errno == ENOENT else {
            throw NetworkTrouble(.failed, "\(result): \(String(cString: strerror(errno)))")
        }
        guard SmallFile.write("\(country)\n", to: file, mode: 0o644) else {
            throw NetworkTrouble(.failed, "\(file): \(String(cString: strerror(errno)))")
        }
        let end = ContinuousClock.now + patience
        while true {
            if let answer = SmallFile.read(result), answer.hasSuffix("\n") {
                guard answer == "done\n" else {
                    throw NetworkTrouble(.failed, "country: \(answer.dropLast().prefix(200))")
                }
                return
            }
            guard ContinuousClock.now < end else {
                throw NetworkTrouble(.failed, "the country waits in \(file): is martlet-wifi-country.path active?")
            }
            usleep(50_000)
        }
    }

    /// ISO 3166-1 alpha-2.
    static let codes = Set(
        """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
        CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
        GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
        KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
        NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
        SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
        VN VU WF WS YE YT ZA ZM ZW
        """.split { $0 == " " || $0 == "\n" }.map(String.init))
}

/// Files of a line or two.
enum SmallFile {
    static let maximum = 1_024

    /// Nil if the file does not exist.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(from: descriptor)
    }

    static func read(from descriptor: Int32) -> String? {
        var octets = [UInt8](repeating: 0, count: maximum)
        let count = octets.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count < 0 ? nil : String(decoding: octets.prefix(count), as: UTF8.self)
    }

    /// Writes all of the text or nothing, and waits for the disk. False with errno.
    static func write(_ text: String, to path: String, mode: mode_t) -> Bool {
        do throws(StateFileError) {
            try StateFile.replace(path, with: Data(text.utf8), in: folderOf(path), mode: mode)
            return true
        } catch {
            errno = error.code
            return false
        }
    }

    /// Waits until a file, or a folder's list of files, is on disk.
    static func synchronize(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    static func folderOf(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
