/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engines.h"
#include "ui/history/query-source.h"
#include "ui/models/model-list.h"

G_BEGIN_DECLS

/**
 * PterisMeaning: the search by meaning: makes vectors of chats and transcripts in idle time with
 * the first embedding model of the library, and those of queries. It is a PterisQuerySource, which
 * has the signal "changed": progress, the model, an error. UI thread.
 */
#define PTERIS_TYPE_MEANING (pteris_meaning_get_type ())
G_DECLARE_FINAL_TYPE (PterisMeaning, pteris_meaning, PTERIS, MEANING, GObject)

PterisMeaning *pteris_meaning_new (PterisEngines *engines, PterisLibrary *library);

/** Begin; before, nothing is read or made. */
void pteris_meaning_start (PterisMeaning *self);

/** The model, also while the search by meaning is off; NULL: there is none. Not a new reference. */
PterisModel *pteris_meaning_get_model (PterisMeaning *self);

/** 0..1: how many messages and transcripts have vectors; -1: nothing is known yet, or it is off. */
double pteris_meaning_get_progress (PterisMeaning *self);

/** Why the model makes no vectors, a sentence; or NULL. */
const char *pteris_meaning_get_error (PterisMeaning *self);

G_END_DECLS
