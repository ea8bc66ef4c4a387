// SPDX-License-Identifier: Apache-2.0
#ifndef CTOMLPLUSPLUS_H
#define CTOMLPLUSPLUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed text, or the mistake in it. Its owner calls `ctoml_free`, which frees all that was read.
typedef struct CTOMLDocument CTOMLDocument;

enum {
    CTOML_STRING,
    CTOML_INTEGER,
    CTOML_REAL,
    CTOML_BOOLEAN,
    CTOML_DATE,
    CTOML_LIST,
    CTOML_TABLE,
};

/// A value. The nodes of a document stand one after the other: a list or a table, then what is in it.
typedef struct {
    uint8_t kind;
    /// The line, from 1, at which its key stands, or the value itself in a list.
    uint32_t line;
    /// How many nodes are directly in a list or a table.
    size_t count;
    /// NULL in a list, and for the whole text.
    const char *key;
    size_t keyLength;
    const char *text;
    size_t textLength;
    /// 0 or 1 for a Boolean.
    int64_t integer;
    double real;
} CTOMLNode;

/// How often a point may stand in a line: the parser makes a table of each part of a key, one in the other, and takes stack
/// for each when it frees them. A host's name has up to 126.
#define CTOML_POINTS 255
/// How many lists and tables may be in one another.
#define CTOML_DEPTH 32
#define CTOML_NODES 65536

/// Reads UTF-8. NULL when memory is lacking.
CTOMLDocument *ctoml_parse(const char *text, size_t length);

void ctoml_free(CTOMLDocument *document);

typedef struct {
    /// From 1.
    uint32_t line;
    /// The text is not TOML; otherwise it has something that no configuration has.
    bool isSyntax;
    /// Lives as long as the document.
    const char *text;
} CTOMLMistake;

/// Whether something is wrong with the text.
bool ctoml_mistake(const CTOMLDocument *document, CTOMLMistake *mistake);

/// The first node is the table of the whole text. They live as long as the document; none if there is a mistake.
const CTOMLNode *ctoml_nodes(const CTOMLDocument *document, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
