/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * The tables of the history. Each entry brings a file to the next version (PRAGMA user_version);
 * an entry that has been released is never changed.
 *
 * Messages form a tree: an edited question or a second answer is a sibling of the first. A
 * conversation shows the path from its @leaf to the root. Times are microseconds since 1970.
 * "deleted" is the time of deletion, 0: not deleted; deleted rows go at the next start.
 */
static const char *const store_schema[] = {
  "CREATE TABLE conversation ("
  " id INTEGER PRIMARY KEY,"
  " title TEXT NOT NULL DEFAULT '',"
  " is_named INTEGER NOT NULL DEFAULT 0," /* the title is the user's */
  " updated INTEGER NOT NULL,"
  " leaf INTEGER NOT NULL DEFAULT 0,"
  " settings TEXT," /* JSON: system prompt and sampling */
  " deleted INTEGER NOT NULL DEFAULT 0);"
  "CREATE INDEX conversation_updated ON conversation (updated);"

  "CREATE TABLE message ("
  " id INTEGER PRIMARY KEY,"
  " conversation INTEGER NOT NULL REFERENCES conversation ON DELETE CASCADE,"
  " parent INTEGER NOT NULL DEFAULT 0,"
  " author TEXT," /* the model's title; NULL: the user */
  " text TEXT NOT NULL DEFAULT '',"
  " state INTEGER NOT NULL," /* PterisMessageState */
  " reason TEXT,"
  " code INTEGER NOT NULL DEFAULT 0,"
  " error TEXT,"
  " stats TEXT,"        /* JSON */
  " attachments TEXT);" /* JSON: paths */
  "CREATE INDEX message_conversation ON message (conversation);"

  "CREATE TABLE transcript ("
  " id INTEGER PRIMARY KEY,"
  " path TEXT NOT NULL,"
  " language TEXT," /* asked for; NULL: detect */
  " translate INTEGER NOT NULL DEFAULT 0,"
  " state INTEGER NOT NULL," /* PterisTranscriptState */
  " reason TEXT,"
  " code INTEGER NOT NULL DEFAULT 0,"
  " error TEXT,"
  " stats TEXT," /* JSON */
  " deleted INTEGER NOT NULL DEFAULT 0);"

  "CREATE TABLE segment ("
  " id INTEGER PRIMARY KEY,"
  " transcript INTEGER NOT NULL REFERENCES transcript ON DELETE CASCADE,"
  " start REAL NOT NULL,"
  " end REAL NOT NULL,"
  " text TEXT NOT NULL);"
  "CREATE INDEX segment_transcript ON segment (transcript, start);"

  /* The search index: rowid is that of the message or segment; owner the conversation or
     transcript. */
  "CREATE VIRTUAL TABLE words USING fts5 (text, owner UNINDEXED, kind UNINDEXED,"
  " tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');",

  /* Transcripts with a place in the queue, a title and a second version: @rank is the place, @until
     the seconds that are done; @redo: a second version is in progress, and its segments are
     @draft. @doubts: words with a low probability (ui/speech/segment.h). */
  "ALTER TABLE transcript ADD COLUMN title TEXT;" /* NULL: the file's name */
  "ALTER TABLE transcript ADD COLUMN model TEXT;"
  "ALTER TABLE transcript ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;"
  "ALTER TABLE transcript ADD COLUMN until REAL NOT NULL DEFAULT 0;"
  "ALTER TABLE transcript ADD COLUMN redo INTEGER NOT NULL DEFAULT 0;"
  "ALTER TABLE segment ADD COLUMN draft INTEGER NOT NULL DEFAULT 0;"
  "ALTER TABLE segment ADD COLUMN doubts TEXT;",

  /* Presets, and the draft of each conversation (0: a new one). */
  "CREATE TABLE preset (id INTEGER PRIMARY KEY, name TEXT NOT NULL, settings TEXT NOT NULL);"
  "CREATE TABLE draft (conversation INTEGER PRIMARY KEY, text TEXT NOT NULL);",

  /* The speaker by diarization; 0: unknown. */
  "ALTER TABLE segment ADD COLUMN speaker INTEGER NOT NULL DEFAULT 0;",

  /* A deleted question and its answers can be restored until the program ends. Then their rows lose
     their text (deleted = -1), but stay as parents of later messages. */
  "ALTER TABLE message ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;"
  "CREATE INDEX message_deleted ON message (deleted) WHERE deleted > 0;",

  /* Vectors for the search by meaning (meaning-store.h): of a message, or of a transcript. */
  "CREATE TABLE meaning ("
  " unit INTEGER PRIMARY KEY," /* the message or transcript */
  " owner INTEGER NOT NULL,"   /* the conversation or transcript */
  " kind TEXT NOT NULL,"       /* as in words */
  " model INTEGER NOT NULL,"   /* pteris_meaning_model() */
  " width INTEGER NOT NULL,"
  " passages BLOB NOT NULL);" /* records (vectors.h) */
  "CREATE INDEX meaning_owner ON meaning (owner);",
};
