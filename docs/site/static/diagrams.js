// SPDX-License-Identifier: Apache-2.0
// Draws the diagrams of a page, as bright or dark as the page is when it is opened.
const chosen = document.body.dataset.theme;
const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
mermaid.initialize({ startOnLoad: true, theme: dark ? "dark" : "neutral", securityLevel: "strict" });
