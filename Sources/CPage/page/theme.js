// SPDX-License-Identifier: Apache-2.0

// Runs before anything is drawn, so that a page that shall be dark does not begin light.
(() => {
  try {
    const theme = localStorage.getItem('martlet-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing follows the system.
  }
})();
