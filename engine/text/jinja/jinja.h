/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/jinja/node.h"
#include "engine/text/jinja/text.h"

G_BEGIN_DECLS

/*
 * Evaluates chat templates in the language Jinja, as far as models use it
 * (docs/formats/tokenizers.md, section 10.3). A template becomes a tree once, which is rendered for
 * every conversation. The result knows which of its bytes the template wrote and which a message,
 * so that nobody can type a special token (section 10.4 there).
 *
 * A template may be hostile: its rendering is bounded in steps, depth and memory.
 *
 *     PtJinjaRender *render = pt_jinja_render_new (now);
 *     pt_jinja_set (render, "messages", pt_jinja_from_json (render, json, PT_JINJA_DATA));
 *     const PtJinjaText *text = pt_jinja_run (render, tree, &error);
 *     pt_jinja_render_free (render);
 */

/** @text: UTF-8 of at most 1 MB. PT_ERROR_FORMAT: no template; PT_ERROR_UNSUPPORTED: too much of
 * one. */
PtJinjaTree *pt_jinja_new (const char *text, gsize length, GError **error);
void pt_jinja_free (PtJinjaTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJinjaTree, pt_jinja_free)

/** @now: what strftime_now() tells; must outlive the rendering. */
PtJinjaRender *pt_jinja_render_new (GDateTime *now);
void pt_jinja_render_free (PtJinjaRender *render);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJinjaRender, pt_jinja_render_free)

/** The value of @json, whose texts come from @source. */
PtJinjaValue pt_jinja_from_json (PtJinjaRender *render, const json_t *json, guint32 source);

/** A variable of the template. */
void pt_jinja_set (PtJinjaRender *render, const char *name, PtJinjaValue value);

/**
 * The text that @tree gives, which lives as long as @render; once only. Errors: PT_ERROR_ARGUMENT
 * when the template itself refuses what it is given, with its words.
 */
const PtJinjaText *pt_jinja_run (PtJinjaRender *render, const PtJinjaTree *tree, GError **error);

G_END_DECLS
