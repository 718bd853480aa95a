/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/guard.h"
#include "server/serving.h"

G_BEGIN_DECLS

/**
 * PterisFrontDoor: takes requests of a SoupServer, refuses those that the guard or a limit refuses,
 * and hands the others to their routes. Server thread.
 */
typedef struct _PterisFrontDoor PterisFrontDoor;

/** @guard: must outlive it, as @serving and @soup must. @most_bytes: of a body. @func: gets the
 * record of every request. */
PterisFrontDoor *pteris_front_door_new (SoupServer *soup, const PterisGuard *guard,
                                        PterisServing *serving, guint64 most_bytes,
                                        PterisRecordFunc func, gpointer user_data);
void pteris_front_door_free (PterisFrontDoor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisFrontDoor, pteris_front_door_free)

G_END_DECLS
