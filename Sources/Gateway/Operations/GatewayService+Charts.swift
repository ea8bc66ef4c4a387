// SPDX-License-Identifier: Apache-2.0

import Configuration
import Journal

extension GatewayService {
    /// The file with the points of the page's charts, in the state directory. The first use opens the file.
    package func makeChartFile() -> ChartFile {
        ChartFile(
            path: configuration.bluetooth.stateDirectory + "/charts/charts.db", journal: journal,
            logger: logger.labelled("charts"))
    }
}
