/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/jinja/node.h"
#include "engine/text/jinja/text.h"

G_BEGIN_DECLS

/*
 * Evaluates chat templates: the subset of Jinja that models use (docs/formats/tokenizers.md,
 * section 10.3). A template is parsed into a tree once, which is rendered for every conversation.
 * The result records for each byte whether the template or a message wrote it, so that a message
 * cannot contain a special token (section 10.4 there).
 *
 * A template may be hostile: its rendering is bounded in steps, depth and memory.
 *
 *     PtJinjaRender *render = pt_jinja_render_new (now);
 *     pt_jinja_set (render, "messages", pt_jinja_from_json (render, json, PT_JINJA_DATA));
 *     const PtJinjaText *text = pt_jinja_run (render, tree, &error);
 *     pt_jinja_render_free (render);
 */

/** Parse @text, UTF-8 of at most 1 MB. PT_ERROR_FORMAT: a syntax error; PT_ERROR_UNSUPPORTED: too
 * large or too deep. */
PtJinjaTree *pt_jinja_new (const char *text, gsize length, GError **error);
void pt_jinja_free (PtJinjaTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJinjaTree, pt_jinja_free)

/** @now: the time for strftime_now(); must outlive the rendering. */
PtJinjaRender *pt_jinja_render_new (GDateTime *now);
void pt_jinja_render_free (PtJinjaRender *render);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJinjaRender, pt_jinja_render_free)

/** Convert @json to a value; its texts have the source @source. */
PtJinjaValue pt_jinja_from_json (PtJinjaRender *render, const json_t *json, guint32 source);

/** Set a variable of the template. */
void pt_jinja_set (PtJinjaRender *render, const char *name, PtJinjaValue value);

/**
 * Render @tree; call it once. The text is valid as long as @render. PT_ERROR_ARGUMENT: the template
 * called raise_exception(), with its message.
 */
const PtJinjaText *pt_jinja_run (PtJinjaRender *render, const PtJinjaTree *tree, GError **error);

G_END_DECLS
