// SPDX-License-Identifier: Apache-2.0

// Programs that are no tests import these modules directly, because they do not link Swift Testing.
@_exported import TestMaterials
