// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The output of the demonstration.
protocol DemoScreen {
    var interval: DispatchTimeInterval { get }
    func begin()
    func show(_ frame: DemoFrame)
    func end()
}

/// A terminal: redrawn in place, on its alternate screen, with the cursor hidden meanwhile.
struct LiveScreen: DemoScreen {
    var interval: DispatchTimeInterval { .milliseconds(250) }

    func begin() { Output.raw("\u{1B}[?1049h\u{1B}[?25l") }

    func show(_ frame: DemoFrame) {
        let (columns, rows) = Output.size
        Output.raw(TextScreen.drawing(frame.lines(columns: columns, rows: rows)))
    }

    func end() { Output.raw("\u{1B}[?25h\u{1B}[?1049l") }
}

/// A file or a pipe: a line a second.
struct PlainScreen: DemoScreen {
    var interval: DispatchTimeInterval { .seconds(1) }

    func begin() {}
    func show(_ frame: DemoFrame) { Output.line(frame.summary) }
    func end() {}
}
