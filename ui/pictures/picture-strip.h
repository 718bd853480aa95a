/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/pictures/picture.h"

G_BEGIN_DECLS

/** Make the rows of @view thumbnails of pictures (PterisPicture). */
void pteris_picture_strip_set_up (GtkListView *view);

G_END_DECLS
