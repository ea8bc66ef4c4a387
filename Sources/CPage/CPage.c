// SPDX-License-Identifier: Apache-2.0

#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char air_js[] = {
#embed "page/air.js"
};
static const unsigned char card_js[] = {
#embed "page/card.js"
};
static const unsigned char chart_js[] = {
#embed "page/chart.js"
};
static const unsigned char configuration_js[] = {
#embed "page/configuration.js"
};
static const unsigned char daypart_js[] = {
#embed "page/daypart.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char findings_de_js[] = {
#embed "page/findings.de.js"
};
static const unsigned char form_js[] = {
#embed "page/form.js"
};
static const unsigned char format_js[] = {
#embed "page/format.js"
};
static const unsigned char gateway_js[] = {
#embed "page/gateway.js"
};
static const unsigned char health_js[] = {
#embed "page/health.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char inside_js[] = {
#embed "page/inside.js"
};
static const unsigned char log_js[] = {
#embed "page/log.js"
};
static const unsigned char login_html[] = {
#embed "page/login.html"
};
static const unsigned char login_js[] = {
#embed "page/login.js"
};
static const unsigned char overview_js[] = {
#embed "page/overview.js"
};
static const unsigned char page_css[] = {
#embed "page/page.css"
};
static const unsigned char page_js[] = {
#embed "page/page.js"
};
static const unsigned char problems_de_js[] = {
#embed "page/problems.de.js"
};
static const unsigned char problems_js[] = {
#embed "page/problems.js"
};
static const unsigned char quantities_js[] = {
#embed "page/quantities.js"
};
static const unsigned char said_js[] = {
#embed "page/said.js"
};
static const unsigned char sentences_de_js[] = {
#embed "page/sentences.de.js"
};
static const unsigned char setup_js[] = {
#embed "page/setup.js"
};
static const unsigned char sheet_js[] = {
#embed "page/sheet.js"
};
static const unsigned char strings_de_js[] = {
#embed "page/strings.de.js"
};
static const unsigned char strings_en_js[] = {
#embed "page/strings.en.js"
};
static const unsigned char strings_js[] = {
#embed "page/strings.js"
};
static const unsigned char theme_js[] = {
#embed "page/theme.js"
};

#define FILE(name, octets) {name, octets, sizeof(octets)}

static const struct PageFile files[] = {
    FILE("air.js", air_js),
    FILE("card.js", card_js),
    FILE("chart.js", chart_js),
    FILE("configuration.js", configuration_js),
    FILE("daypart.js", daypart_js),
    FILE("dom.js", dom_js),
    FILE("findings.de.js", findings_de_js),
    FILE("form.js", form_js),
    FILE("format.js", format_js),
    FILE("gateway.js", gateway_js),
    FILE("health.js", health_js),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("inside.js", inside_js),
    FILE("log.js", log_js),
    FILE("login.html", login_html),
    FILE("login.js", login_js),
    FILE("overview.js", overview_js),
    FILE("page.css", page_css),
    FILE("page.js", page_js),
    FILE("problems.de.js", problems_de_js),
    FILE("problems.js", problems_js),
    FILE("quantities.js", quantities_js),
    FILE("said.js", said_js),
    FILE("sentences.de.js", sentences_de_js),
    FILE("setup.js", setup_js),
    FILE("sheet.js", sheet_js),
    FILE("strings.de.js", strings_de_js),
    FILE("strings.en.js", strings_en_js),
    FILE("strings.js", strings_js),
    FILE("theme.js", theme_js),
};

const struct PageFile *page_file(size_t place) {
    return place < sizeof(files) / sizeof(files[0]) ? &files[place] : NULL;
}
