// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Collector
@testable import Gateway
@testable import Publisher
@testable import Readings
@testable import martlet

/// The texts on a terminal of 80 by 24, and on a terminal of 60 by 20.
@Suite("Screens")
struct ScreenTests {
    private static let status: GatewayStatus = {
        var collector = CollectorStatus()
        func value(_ characteristic: String, _ digits: String, _ age: Int64) -> SensorStatus.Value {
            .init(characteristic: characteristic, value: digits, source: "notify", uptimeMs: 0, unixMs: nil, ageMs: age)
        }
        func sensor(_ id: String, _ name: String, _ link: SensorStatus.Link, _ values: SensorStatus.Value...)
            -> SensorStatus
        {
            SensorStatus(
                id: id, name: name, address: "C4:7C:8D:00:11:0\(collector.sensors.count)", identifier: "i", link: link,
                health: .fresh,
                rssi: -60, readings: 1_234, drops: 3, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [],
                values: values)
        }
        let climate = [value("2a6e", "dc0a", 400), value("2a6f", "f613", 400), value("2a6d", "06770f00", 400)]
        collector.sensors.append(sensor("greenhouse", "Greenhouse", .collecting))
        collector.sensors[0].values = climate
        collector.sensors.append(sensor("living", "Living room", .waiting))
        collector.sensors[1].lastFailure = "the sensor has no heart_rate (180D); it has environmental_sensing (181A)"
        collector.sensors.append(
            sensor("strap", "Heart-rate strap", .collecting, value("2a37", "0050", 2_000), value("2a19", "61", 200_000))
        )
        for index in 1...6 { collector.sensors.append(sensor("w\(index)", "温度計 \(index)", .connecting)) }
        var rule = SensorRule()
        (rule.id, rule.name) = ("fridge", "Frigde")
        let heard = AwaitedSensor.Heard(
            name: "Fridge", address: "C4:7C:8D:00:11:01", rssi: -62, connectable: true, likeness: .name, ageMs: 1)
        collector.awaited = [AwaitedSensor(rule, nearest: [heard])]
        var mqtt = PublisherStatistics(broker: "broker.example:1883")
        (mqtt.connected, mqtt.live) = (true, 1_230)
        var journal = JournalStatistics(path: "/var/lib/martlet/journal.db")
        (journal.received, journal.delivered, journal.buffered) = (1_234, 1_230, 4)
        return GatewayStatus(
            gateway: "gw-3f2a1c", version: "0.1.0", uptimeS: 3_700, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: collector, journal: journal,
            mqtt: mqtt
        ).judged
    }()

    private func status(_ columns: Int, _ rows: Int, turn: Int = 0) -> String {
        StatusText.screen(Self.status, columns: columns, rows: rows, turn: turn).joined(separator: "\n")
    }

    private func demo(_ columns: Int, _ rows: Int, sensors: Int, second: Int = 0) -> String {
        let names = ["Fridge", "Living room", "Heart-rate strap", "Greenhouse", "Flow counter"]
        var mqtt = PublisherStatistics(broker: "127.0.0.1:40263")
        mqtt.connected = true
        var journal = JournalStatistics(path: "/j")
        (journal.received, journal.delivered, journal.buffered) = (150, 148, 2)
        let frame = DemoFrame(
            uptime: .seconds(second), controller: "powered on", mqtt: mqtt, journal: journal, receivedRate: 14.6,
            deliveredRate: 15.9,
            rows: (0..<sensors).map { index in
                .init(
                    name: names[index % 5] + (index < 5 ? "" : " \(index / 5 + 1)"), address: "C4:7C:8D:00:11:01",
                    link: "collecting", value: index % 5 == 4 ? "3000000086…" : "21.54 °C", readings: 27, rate: 2.5,
                    reconnects: 1)
            }, events: (1...5).map { "0:0\($0)  Fridge: link dropped on purpose" })
        return frame.lines(columns: columns, rows: rows).joined(separator: "\n")
    }

    @Test("status on 80 columns: the most important columns, and the problems below the table")
    func status80() {
        #expect(
            status(80, 23) == """
                gateway     gw-3f2a1c, martlet 0.1.0, up 1 h 1 min
                controller  hci0: powered on
                broker      broker.example:1883: connected, 0 in flight
                sent        1230 live, 0 history
                clock       synced
                journal     /var/lib/martlet/journal.db, 0 KiB
                readings    1234 received = 1230 delivered + 4 buffered + 0 dropped

                SENSOR      NAME            LINK          RSSI  READINGS  LAST VALUE         AGE
                greenhouse  Greenhouse      collecting     -60      1234  27.8 °C, 51.1 %…   0 s
                living      Living room     waiting        -60      1234  –                    –
                strap       Heart-rate st…  collecting     -60      1234  80 bpm, 97 % (3…   2 s
                w1          温度計 1        connecting     -60      1234  –                    –
                w2          温度計 2        connecting     -60      1234  –                    –
                w3          温度計 3        connecting     -60      1234  –                    –
                w4          温度計 4        connecting     -60      1234  –                    –
                w5          温度計 5        connecting     -60      1234  –                    –
                w6          温度計 6        connecting     -60      1234  –                    –
                fridge      Frigde          not seen yet     –         0  –                    –

                ! living: the sensor has no heart_rate (180D); it has environmental_sensing
                  (181A); it is tried again
                – page 1 of 2 –
                """)
    }

    @Test("status on 60 columns: fewer columns, and two pages below the same head")
    func status60() {
        #expect(
            status(60, 19) == """
                gateway     gw-3f2a1c, martlet 0.1.0, up 1 h 1 min
                controller  hci0: powered on
                broker      broker.example:1883: connected, 0 in flight
                sent        1230 live, 0 history
                clock       synced
                journal     /var/lib/martlet/journal.db, 0 KiB
                readings    1234 received = 1230 delivered + 4 buffered + 0
                            dropped

                SENSOR      LINK          READINGS  LAST VALUE           AGE
                greenhouse  collecting        1234  27.8 °C, 51.1 %, …   0 s
                living      waiting           1234  –                      –
                strap       collecting        1234  80 bpm, 97 % (3 m…   2 s
                w1          connecting        1234  –                      –
                w2          connecting        1234  –                      –
                w3          connecting        1234  –                      –
                w4          connecting        1234  –                      –
                w5          connecting        1234  –                      –
                – page 1 of 2 –
                """)
        #expect(
            status(60, 19, turn: 1) == """
                gateway     gw-3f2a1c, martlet 0.1.0, up 1 h 1 min
                controller  hci0: powered on
                broker      broker.example:1883: connected, 0 in flight
                sent        1230 live, 0 history
                clock       synced
                journal     /var/lib/martlet/journal.db, 0 KiB
                readings    1234 received = 1230 delivered + 4 buffered + 0
                            dropped

                SENSOR      LINK          READINGS  LAST VALUE           AGE
                w6          connecting        1234  –                      –
                fridge      not seen yet         0  –                      –

                ! living: the sensor has no heart_rate (180D); it has
                  environmental_sensing (181A); it is tried again
                ! fridge: not seen yet; its entry asks for the name
                  "Frigde". In the air: "Fridge" (C4:7C:8D:00:11:01, -62
                  dBm)
                – page 2 of 2 –
                """)
    }

    @Test("the demonstration on 80 columns has everything")
    func demo80() {
        #expect(
            demo(80, 24, sensors: 5) == """
                Martlet demo 0:00  controller powered on  broker 127.0.0.1:40263 connected

                SENSOR           ADDRESS           LINK       VALUE       READINGS    /S RECONN
                Fridge           C4:7C:8D:00:11:01 collecting 21.54 °C          27   2.5      1
                Living room      C4:7C:8D:00:11:01 collecting 21.54 °C          27   2.5      1
                Heart-rate strap C4:7C:8D:00:11:01 collecting 21.54 °C          27   2.5      1
                Greenhouse       C4:7C:8D:00:11:01 collecting 21.54 °C          27   2.5      1
                Flow counter     C4:7C:8D:00:11:01 collecting 3000000086…       27   2.5      1

                received 150 (14.6/s) = delivered 148 (15.9/s) + buffered 2 + dropped 0
                in flight to the broker 0 messages, acknowledged 0

                0:02  Fridge: link dropped on purpose
                0:03  Fridge: link dropped on purpose
                0:04  Fridge: link dropped on purpose
                0:05  Fridge: link dropped on purpose

                Ctrl-C ends it.
                """)
    }

    @Test("the demonstration on 60 columns turns its pages every five seconds")
    func demo60() {
        #expect(
            demo(60, 20, sensors: 20) == """
                Martlet demo 0:00  controller powered on  broker
                  127.0.0.1:40263 connected
                SENSOR             LINK       VALUE    READINGS    /S RECONN
                Fridge             collecting 21.54 °C       27   2.5      1
                Living room        collecting 21.54 °C       27   2.5      1
                Heart-rate strap   collecting 21.54 °C       27   2.5      1
                Greenhouse         collecting 21.54 °C       27   2.5      1
                Flow counter       collecting 3000000…       27   2.5      1
                Fridge 2           collecting 21.54 °C       27   2.5      1
                Living room 2      collecting 21.54 °C       27   2.5      1
                Heart-rate strap 2 collecting 21.54 °C       27   2.5      1
                Greenhouse 2       collecting 21.54 °C       27   2.5      1
                Flow counter 2     collecting 3000000…       27   2.5      1
                Fridge 3           collecting 21.54 °C       27   2.5      1
                – page 1 of 2 –
                received 150 (14.6/s) = delivered 148 (15.9/s) + buffered 2
                  + dropped 0
                0:04  Fridge: link dropped on purpose
                0:05  Fridge: link dropped on purpose
                Ctrl-C ends it.
                """)
        #expect(
            demo(60, 20, sensors: 20, second: 5) == """
                Martlet demo 0:05  controller powered on  broker
                  127.0.0.1:40263 connected
                SENSOR             LINK       VALUE    READINGS    /S RECONN
                Living room 3      collecting 21.54 °C       27   2.5      1
                Heart-rate strap 3 collecting 21.54 °C       27   2.5      1
                Greenhouse 3       collecting 21.54 °C       27   2.5      1
                Flow counter 3     collecting 3000000…       27   2.5      1
                Fridge 4           collecting 21.54 °C       27   2.5      1
                Living room 4      collecting 21.54 °C       27   2.5      1
                Heart-rate strap 4 collecting 21.54 °C       27   2.5      1
                Greenhouse 4       collecting 21.54 °C       27   2.5      1
                Flow counter 4     collecting 3000000…       27   2.5      1


                – page 2 of 2 –
                received 150 (14.6/s) = delivered 148 (15.9/s) + buffered 2
                  + dropped 0
                0:04  Fridge: link dropped on purpose
                0:05  Fridge: link dropped on purpose
                Ctrl-C ends it.
                """)
    }
}
