// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Sets a serial line up for H4: 8 data bits, no parity, 1 stop bit, hardware flow control. Core 5.4, Vol 4, Part A, 3.
enum SerialLine {
    private static let speeds: [UInt32: speed_t] = [
        9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800),
        921_600: speed_t(B921600), 1_000_000: speed_t(B1000000), 1_500_000: speed_t(B1500000),
        2_000_000: speed_t(B2000000), 3_000_000: speed_t(B3000000), 4_000_000: speed_t(B4000000),
    ]

    static func configure(_ descriptor: Int32, baud: UInt32, name: String) throws(TransportError) {
        guard let speed = speeds[baud] else {
            let known = speeds.keys.sorted().map(String.init).joined(separator: ", ")
            throw TransportError(kind: .other, message: "\(name): \(baud) baud is not supported; use one of \(known)")
        }
        var line = termios()
        guard tcgetattr(descriptor, &line) == 0 else {
            throw .systemCall("tcgetattr", on: name) { $0 == ENOTTY ? "The device is no serial line" : nil }
        }
        cfmakeraw(&line)
        line.c_cflag |= tcflag_t(CLOCAL) | tcflag_t(CREAD) | tcflag_t(CRTSCTS)
        line.c_cflag &= ~tcflag_t(CSTOPB)
        cfsetispeed(&line, speed)
        cfsetospeed(&line, speed)
        guard tcsetattr(descriptor, TCSANOW, &line) == 0 else { throw .systemCall("tcsetattr", on: name) }
        tcflush(descriptor, TCIOFLUSH)
    }
}
