/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/window/window.h"

/* Scenes of the Pictures page. */

/** A cat and a dog in a picture. */
void show_pictures (PterisWindow *window);
/** The same as lines of text. */
void show_writing (PterisWindow *window);
