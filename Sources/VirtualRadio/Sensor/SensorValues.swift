// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The value streams of a kind of sensor, and the octets of their values.
struct SensorValues {
    enum Stream {
        case temperatureMeasurement
        case heartRateMeasurement
        case temperature
        case humidity
        case pressure
        case counter
        case airthings
        case uart
        case batteryMonitor
        case battery
        case serviceChanged
    }

    let kind: VirtualSensor.Kind
    let signal: VirtualSensor.Signal
    /// In the order of the attribute table.
    let streams: [Stream]
    /// The streams of the main service, which follow the rate of the sensor.
    let measured: Range<Int>
    let batteryStream: Int

    init(kind: VirtualSensor.Kind, signal: VirtualSensor.Signal) {
        self.kind = kind
        self.signal = signal
        let main: [Stream] =
            switch kind {
            case .thermometer: [.temperatureMeasurement]
            case .heartRate: [.heartRateMeasurement]
            case .environment: [.temperature, .humidity, .pressure]
            case .counter: [.counter]
            case .airthings: [.airthings]
            case .uart: [.uart]
            case .batteryMonitor: [.batteryMonitor]
            }
        streams = [.serviceChanged] + main + [.battery]
        // The serial line only answers.
        measured = kind == .uart ? 1..<1 : 1..<(1 + main.count)
        batteryStream = 1 + main.count
    }

    static func uuid(of stream: Stream) -> BluetoothUUID {
        switch stream {
        case .temperatureMeasurement: BluetoothUUID(0x2A1C as UInt16)
        case .heartRateMeasurement: BluetoothUUID(0x2A37 as UInt16)
        case .temperature: BluetoothUUID(0x2A6E as UInt16)
        case .humidity: BluetoothUUID(0x2A6F as UInt16)
        case .pressure: BluetoothUUID(0x2A6D as UInt16)
        case .counter: CounterService.value
        case .airthings: AirthingsService.value
        case .uart: UARTService.transmit
        case .batteryMonitor: BatteryMonitorService.value
        case .battery: BluetoothUUID(0x2A19 as UInt16)
        case .serviceChanged: BluetoothUUID(0x2A05 as UInt16)
        }
    }

    /// The attribute table of the kind.
    ///
    /// - Parameters:
    ///   - hasDatabaseHash: With Client Supported Features and Database Hash.
    ///   - hasMore: With one more service before the main service, as another firmware might have.
    ///   - furtherServices: Number of meaningless services after all others.
    func table(
        name: String, hasDatabaseHash: Bool = false, hasMore: Bool = false, furtherServices: Int = 0,
        oddities: Set<SensorOddity> = []
    ) -> AttributeTable {
        var table = AttributeTable(oddities: oddities)
        table.addService(BluetoothUUID(0x1800 as UInt16)) {
            $0.addConstant(BluetoothUUID(0x2A00 as UInt16), Array(name.utf8.prefix(248)))
            // Generic sensor, Assigned Numbers 2.6.2.
            $0.addConstant(BluetoothUUID(0x2A01 as UInt16), (0x0540 as UInt16).octets)
        }
        table.addService(BluetoothUUID(0x1801 as UInt16)) {
            $0.addStream(Self.uuid(of: .serviceChanged), .indicate)
            if hasDatabaseHash { $0.addRobustCaching() }
        }
        if hasMore {
            // Reference Time Update.
            table.addService(BluetoothUUID(0x1806 as UInt16)) {
                $0.addConstant(BluetoothUUID(0x2A17 as UInt16), [0, 0])
            }
        }
        table.addService(kind.service) {
            if kind == .uart {
                $0.addInlet(UARTService.receive)
                $0.addStream(UARTService.transmit, .notify)
            }
            if kind == .batteryMonitor { $0.addInlet(BatteryMonitorService.command) }
            for stream in streams[measured] {
                $0.addStream(Self.uuid(of: stream), properties)
            }
            if kind == .counter { $0.addScratch(CounterService.scratch) }
        }
        table.addService(BluetoothUUID(0x180F as UInt16)) {
            $0.addStream(Self.uuid(of: .battery), [.read, .notify])
        }
        table.addService(BluetoothUUID(0x180A as UInt16)) {
            $0.addConstant(BluetoothUUID(0x2A29 as UInt16), Array("Martlet".utf8))
            $0.addConstant(BluetoothUUID(0x2A24 as UInt16), Array(kind.rawValue.utf8))
        }
        for number in 0..<furtherServices {
            table.addService(FurtherService.service(number)) {
                for position in 1...FurtherService.characteristics {
                    $0.addConstant(FurtherService.characteristic(position, of: number), [UInt8(clamping: position)])
                }
            }
        }
        return table
    }

    /// The properties of the main service's values.
    private var properties: CharacteristicProperties {
        switch kind {
        case .thermometer: [.read, .indicate]
        case .airthings: [.read]
        case .batteryMonitor: [.notify]
        case .heartRate, .environment, .counter, .uart: [.read, .notify]
        }
    }

    /// The value of a stream; `time` since the sensor was switched on, `stamp` in microseconds since the epoch.
    func value(of stream: Stream, sequence: UInt32, time: Duration, stamp: UInt64) -> [UInt8] {
        var value: [UInt8] = []
        let wave = wave(at: time)
        switch stream {
        case .temperatureMeasurement:
            let degrees = wave ?? 36.5 + Double(sequence % 100) / 100
            value.append(0)
            // IEEE 11073-20601 FLOAT: exponent -2 in the upper octet, mantissa of 24 bits.
            value.append(u24: UInt32(bitPattern: Int32(clamping: hundredths(degrees))) & 0xFF_FFFF)
            value.append(0xFE)
        case .heartRateMeasurement:
            let rate = wave.map { UInt8(clamping: hundredths($0) / 100) } ?? UInt8(60 + sequence % 40)
            value += [0x10, rate]
            if wave == nil {
                value.append(u16: 1024)
                value.append(u16: 1000)
            } else {
                value.append(u16: UInt16(clamping: 61_440 / Int(max(rate, 1))))
            }
        case .temperature:
            let degrees = wave.map(hundredths) ?? 2000 + Int(sequence % 500)
            value.append(u16: UInt16(bitPattern: Int16(clamping: degrees)))
        case .humidity:
            // Warmer air with equal water is drier.
            let percent = wave.map { 5500 - hundredths($0 - mean) * 3 } ?? 4000 + Int(sequence % 500)
            value.append(u16: UInt16(clamping: min(max(percent, 0), 10_000)))
        case .pressure:
            let drift = wave.map { 1_013_250 + hundredths($0 - mean) * 2 } ?? 1_013_250 + Int(sequence % 500)
            value.append(u32: UInt32(clamping: drift))
        case .counter:
            value.append(u32: sequence)
            value.append(u64: stamp)
        case .battery:
            let spent = signal == .counting ? 0 : time.components.seconds / 1800 % 60
            value.append(UInt8(clamping: 97 - spent))
        case .airthings:
            let degrees = wave.map(hundredths) ?? 2000 + Int(sequence % 500)
            // Humidity in halves of a percent, light; radon of a day and of a long time.
            value += [1, 91, 40, 0]
            value.append(u16: 38)
            value.append(u16: 44)
            value.append(u16: UInt16(bitPattern: Int16(clamping: degrees)))
            // Steps of 0.02 hPa; CO₂, organic compounds.
            value.append(u16: 50_662)
            value.append(u16: 612)
            value.append(u16: 98)
            value += [0, 0, 0, 0]
        case .batteryMonitor:
            let degrees = wave.map(hundredths).map { $0 / 100 } ?? 20 + Int(sequence % 10)
            let voltage = UInt16(1200 + sequence % 300)
            // Sign and degrees, "normal", percent, hundredths of a volt.
            value = BatteryMonitorService.answer(
                [degrees < 0 ? 1 : 0, UInt8(clamping: degrees.magnitude), 0, UInt8(50 + sequence % 50)]
                    + voltage.octets.reversed())
        case .uart:
            break  // nothing of its own
        case .serviceChanged:
            value += [0x01, 0x00, 0xFF, 0xFF]
        }
        return value
    }

    private func hundredths(_ number: Double) -> Int {
        guard number.isFinite, abs(number) < 1e6 else { return 0 }
        return Int((number * 100).rounded())
    }

    private var mean: Double {
        if case .smooth(let mean, _, _) = signal { mean } else { 0 }
    }

    /// Nil if the values follow the sequence.
    private func wave(at time: Duration) -> Double? {
        guard case .smooth(let mean, let swing, let period) = signal, period > .zero else { return nil }
        let slow = sine(time / period)
        // A faster wave is mixed in, so that the curve does not look drawn with a ruler.
        return mean + swing * (0.9 * slow + 0.1 * sine(time / period * 7.3))
    }

    /// About sin(2π · `turns`), by Bhaskara's parabola: off by less than 0.002, and equal on every machine.
    private func sine(_ turns: Double) -> Double {
        let phase = turns - turns.rounded(.down)
        let half = phase < 0.5 ? phase * 2 : phase * 2 - 1
        let product = 4 * half * (1 - half)
        let arch = 4 * product / (5 - product)
        return phase < 0.5 ? arch : -arch
    }
}
