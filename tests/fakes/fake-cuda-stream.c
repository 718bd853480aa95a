/* SPDX-License-Identifier: BSD-3-Clause */

/* Streams and events of the stand-in. */

#include "tests/fakes/fake-cuda-private.h"

#include <string.h>

void
fake_op_free (gpointer data)
{
  g_free (((FakeOp *) data)->staged);
  g_free (data);
}

/* ---- Execution ---- */

static gpointer
op_bytes (PtCuPointer pointer, gsize size)
{
  gpointer data = fake_is_device_address (pointer) ? fake_device_bytes (pointer, size)
                                                   : (gpointer) (gsize) pointer;

  /* For example, a graph that has outlived its memory. */
  if (data == NULL)
    g_error ("A copy on a stream reaches device memory that is gone");
  return data;
}

static void run_until (PtCuEvent event, guint64 serial);

static void
record_launch (const FakeLaunch *launch)
{
  if (fake.launches == NULL)
    fake.launches = g_array_new (FALSE, FALSE, sizeof (FakeLaunch));
  g_array_append_val (fake.launches, *launch);
}

static void
run_kernel (const FakeOp *op)
{
  gpointer addresses[FAKE_MOST_ARGUMENTS];

  record_launch (&op->launch);
  for (guint i = 0; i < op->kernel.n_arguments; i++)
    addresses[i] = (gpointer) &op->arguments[i];
  if (op->kernel.run != NULL)
    op->kernel.run (&op->launch, addresses, op->kernel.data);
}

static void
execute (const FakeOp *op)
{
  switch (op->kind) {
  case OP_COPY:
    memmove (op_bytes (op->to, op->size),
             op->staged != NULL ? op->staged : op_bytes (op->from, op->size), op->size);
    break;
  case OP_SET: memset (op_bytes (op->to, op->size), op->value, op->size); break;
  case OP_EVENT:
    if (!fake_object_is (op->event, OBJECT_EVENT))
      break;
    op->event->done = MAX (op->event->done, op->serial);
    op->event->time = g_get_monotonic_time ();
    op->event->has_time = TRUE;
    break;
  case OP_WAIT:
    if (fake_object_is (op->event, OBJECT_EVENT))
      run_until (op->event, op->serial);
    break;
  case OP_LAUNCH: run_kernel (op); break;
  }
}

static gboolean
run_one (PtCuStream stream)
{
  FakeOp *op = stream != NULL ? g_queue_pop_head (&stream->ops) : NULL;

  if (op == NULL)
    return FALSE;
  execute (op);
  fake_op_free (op);
  return TRUE;
}

static void
run_until (PtCuEvent event, guint64 serial)
{
  while (event->done < serial && run_one (event->stream)) {
  }
}

/* Streams there are. */
static GList *
list_streams (void)
{
  GList *keys = fake.objects != NULL ? g_hash_table_get_keys (fake.objects) : NULL;
  GList *streams = NULL;

  for (GList *link = keys; link != NULL; link = link->next)
    if (fake_object_is (link->data, OBJECT_STREAM))
      streams = g_list_prepend (streams, link->data);
  g_list_free (keys);
  return streams;
}

void
fake_drain (PtCuStream stream)
{
  g_autoptr (GList) streams = stream == NULL ? list_streams () : NULL;

  while (run_one (stream)) {
  }
  for (GList *link = streams; link != NULL; link = link->next)
    if (((PtCuStream) link->data)->is_blocking)
      fake_drain (link->data);
}

void
fake_drain_all (void)
{
  g_autoptr (GList) streams = list_streams ();

  for (GList *link = streams; link != NULL; link = link->next)
    while (run_one (link->data)) {
    }
}

PtCuResult
fake_push (PtCuStream stream, FakeOp *op)
{
  FakeOp *copy;

  if (stream != NULL && !fake_object_is (stream, OBJECT_STREAM)) {
    g_free (op->staged);
    return CU_INVALID_HANDLE;
  }
  copy = g_memdup2 (op, sizeof *op);
  if (stream == NULL) {
    fake_drain (NULL);
    execute (copy);
    fake_op_free (copy);
  } else if (stream->capture != NULL) {
    fake_graph_add (stream->capture, copy);
  } else if (op->kind == OP_LAUNCH && op->kernel.run == NULL) {
    record_launch (&op->launch); /* there is nothing to be run */
    fake_op_free (copy);
  } else {
    g_queue_push_tail (&stream->ops, copy);
  }
  return PT_CU_SUCCESS;
}

/* ---- What a capture forbids ---- */

gboolean
fake_is_capturing (PtCuStream stream)
{
  return fake_object_is (stream, OBJECT_STREAM) && stream->capture != NULL;
}

PtCuResult
fake_check_unsafe (void)
{
  g_autoptr (GList) streams = list_streams ();
  PtCuResult code = PT_CU_SUCCESS;

  for (GList *link = streams; link != NULL; link = link->next) {
    PtCuGraph capture = ((PtCuStream) link->data)->capture;

    if (capture == NULL || !capture->is_strict)
      continue;
    capture->is_invalid = TRUE;
    code = CU_CAPTURE_UNSUPPORTED;
  }
  return code;
}

PtCuResult
fake_check_legacy (void)
{
  g_autoptr (GList) streams = list_streams ();
  PtCuResult code = PT_CU_SUCCESS;

  for (GList *link = streams; link != NULL; link = link->next) {
    PtCuStream stream = link->data;

    if (stream->capture == NULL || !stream->is_blocking)
      continue;
    stream->capture->is_invalid = TRUE;
    code = CU_CAPTURE_IMPLICIT;
  }
  return code;
}

/* Waiting for a stream whose work is only recorded. */
static PtCuResult
check_wait (PtCuStream stream)
{
  if (!fake_object_is (stream, OBJECT_STREAM))
    return CU_INVALID_HANDLE;
  if (stream->capture == NULL)
    return PT_CU_SUCCESS;
  stream->capture->is_invalid = TRUE;
  return CU_CAPTURE_UNSUPPORTED;
}

PtCuResult
cuCtxSynchronize (void)
{
  g_autoptr (GList) streams = NULL;
  PtCuResult code = PT_CU_SUCCESS;
  ENTER (NEEDS_CONTEXT);

  streams = list_streams ();
  for (GList *link = streams; link != NULL; link = link->next)
    if (check_wait (link->data) != PT_CU_SUCCESS)
      code = CU_CAPTURE_UNSUPPORTED;
  if (code == PT_CU_SUCCESS)
    fake_drain_all ();
  return code;
}

/* ---- Streams ---- */

PtCuResult
cuStreamCreate (PtCuStream *stream, guint flags)
{
  ENTER (NEEDS_CONTEXT);
  *stream = g_new0 (struct _PtCuStream, 1);
  (*stream)->is_blocking = (flags & PT_CU_STREAM_NON_BLOCKING) == 0;
  fake_object_add (*stream, OBJECT_STREAM);
  return PT_CU_SUCCESS;
}

void
fake_stream_free (PtCuStream stream)
{
  g_queue_clear_full (&stream->ops, fake_op_free);
  g_free (stream);
}

PtCuResult
cuStreamDestroy (PtCuStream stream)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (stream, OBJECT_STREAM))
    return CU_INVALID_HANDLE;
  fake_drain (stream);
  if (stream->capture != NULL) {
    g_ptr_array_remove (stream->capture->streams, stream);
    stream->capture->is_invalid = TRUE;
  }
  fake_object_remove (stream);
  fake_stream_free (stream);
  return PT_CU_SUCCESS;
}

PtCuResult
cuStreamSynchronize (PtCuStream stream)
{
  PtCuResult code;
  ENTER (NEEDS_CONTEXT);

  code = stream != NULL ? check_wait (stream) : PT_CU_SUCCESS;
  if (code == PT_CU_SUCCESS)
    fake_drain (stream);
  return code;
}

PtCuResult
cuStreamQuery (PtCuStream stream)
{
  PtCuResult code;
  ENTER (NEEDS_CONTEXT);

  code = stream != NULL ? check_wait (stream) : PT_CU_SUCCESS;
  if (code != PT_CU_SUCCESS || stream == NULL)
    return code;
  return run_one (stream) ? PT_CU_NOT_READY : PT_CU_SUCCESS;
}

PtCuResult
cuStreamWaitEvent (PtCuStream stream, PtCuEvent event, guint flags)
{
  FakeOp op = { .kind = OP_WAIT, .event = event };
  ENTER (NEEDS_CONTEXT);

  if (!fake_object_is (event, OBJECT_EVENT) ||
      (stream != NULL && !fake_object_is (stream, OBJECT_STREAM)))
    return CU_INVALID_HANDLE;
  if (event->capture != NULL) {
    if (stream == NULL || (stream->capture != NULL && stream->capture != event->capture))
      return CU_CAPTURE_ISOLATION;
    if (stream->capture == NULL) {
      g_ptr_array_add (event->capture->streams, stream);
      stream->capture = event->capture;
    }
    return PT_CU_SUCCESS;
  }
  if (fake_is_capturing (stream))
    return CU_CAPTURE_ISOLATION;
  op.serial = event->recorded;
  return fake_push (stream, &op);
}

/* ---- Events ---- */

PtCuResult
cuEventCreate (PtCuEvent *event, guint flags)
{
  ENTER (NEEDS_CONTEXT);
  *event = g_new0 (struct _PtCuEvent, 1);
  fake_object_add (*event, OBJECT_EVENT);
  return PT_CU_SUCCESS;
}

PtCuResult
cuEventDestroy (PtCuEvent event)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (event, OBJECT_EVENT))
    return CU_INVALID_HANDLE;
  run_until (event, event->recorded);
  fake_object_remove (event);
  g_free (event);
  return PT_CU_SUCCESS;
}

PtCuResult
cuEventRecord (PtCuEvent event, PtCuStream stream)
{
  FakeOp op = { .kind = OP_EVENT, .event = event };
  ENTER (NEEDS_CONTEXT);

  if (!fake_object_is (event, OBJECT_EVENT) ||
      (stream != NULL && !fake_object_is (stream, OBJECT_STREAM)))
    return CU_INVALID_HANDLE;
  if (fake_is_capturing (stream)) {
    event->capture = stream->capture;
    return PT_CU_SUCCESS;
  }
  event->capture = NULL;
  event->stream = stream;
  op.serial = ++event->recorded;
  return fake_push (stream, &op);
}

PtCuResult
cuEventQuery (PtCuEvent event)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (event, OBJECT_EVENT))
    return CU_INVALID_HANDLE;
  if (event->capture != NULL)
    return CU_CAPTURED_EVENT;
  if (event->done >= event->recorded)
    return PT_CU_SUCCESS;
  run_one (event->stream);
  return PT_CU_NOT_READY;
}

PtCuResult
cuEventSynchronize (PtCuEvent event)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (event, OBJECT_EVENT))
    return CU_INVALID_HANDLE;
  if (event->capture != NULL)
    return CU_CAPTURED_EVENT;
  run_until (event, event->recorded);
  return PT_CU_SUCCESS;
}

PtCuResult
cuEventElapsedTime (float *ms, PtCuEvent from, PtCuEvent to)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (from, OBJECT_EVENT) || !fake_object_is (to, OBJECT_EVENT))
    return CU_INVALID_HANDLE;
  if (from->done < from->recorded || to->done < to->recorded)
    return PT_CU_NOT_READY;
  if (!from->has_time || !to->has_time)
    return CU_INVALID_HANDLE;
  *ms = (float) (to->time - from->time) / 1000;
  return PT_CU_SUCCESS;
}
