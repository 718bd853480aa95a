/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

typedef enum {
  PT_WHISPER_MEL,        /* a log-mel spectrogram [1, bands, frames] */
  PT_WHISPER_SAMPLES,    /* samples [n] or [1, n] */
  PT_WHISPER_MAGNITUDES, /* magnitudes of a short-time Fourier transform in dB, [frames, bins] */
} PtWhisperSound;

/** The kinds of input of encoders. */
typedef struct {
  PtWhisperSound sound;
  PtDType dtype;
  guint rank;
  guint n_bands;   /* of a frame: bands or bins; 0 for samples */
  guint n_frames;  /* of a spectrogram; 0 for others */
  gsize n_samples; /* of a window, at most */
  gsize least;     /* samples in a call, at least: shorter windows end with silence */
} PtWhisperInput;

/**
 * PtWhisperLayout: how the methods of an encoder-decoder speech model are called
 * (docs/formats/protocols.md, sections 5.1 and 5.8). The decoder gets ids, what the encoder gave,
 * and positions, in the order that it declares; without positions it gets all ids in every call. A
 * decoder in a program of its own, without positions, may choose ids by itself (section 5.10).
 */
typedef struct {
  PtMethod *encoder, *decoder; /* of their modules */
  const PtProgram *encoder_program, *decoder_program;
  PtWhisperInput input;
  guint sound_input;    /* of the decoder; ids are its input 0 */
  guint position_input; /* 0: it has none */
  PtDType id_dtype, position_dtype;
  guint max_ids;           /* in one call */
  gboolean fixed_ids;      /* always @max_ids in a call */
  gboolean one_position;   /* the position is one number, whatever the number of ids */
  gboolean begins_at_zero; /* every text begins with the timestamp 0.00 */
  gboolean chooses_ids;    /* the decoder returns ids and no logits */
  guint n_ids;             /* the width of the logits; 0: there are none */
  guint n_positions;       /* prompt and answer together */
} PtWhisperLayout;

/** The position table has no more rows, even if the metadata say more. */
#define PT_WHISPER_MAX_POSITIONS 448

/**
 * Find the methods and load them.
 *
 * @decoder: the module of the decoder; NULL: it is in @module.
 */
gboolean pt_whisper_layout_find (PtModule *module, PtModule *decoder, PtWhisperLayout *layout,
                                 GError **error);

/** Whether @program has a decoder that chooses ids by itself, as PtWhisperLayout.chooses_ids says.
 */
gboolean pt_whisper_layout_chooses_ids (const PtProgram *program);

/** FALSE with an error that names @program and says @what is wrong. */
gboolean pt_whisper_layout_fail (const PtProgram *program, GError **error, const char *what, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS
