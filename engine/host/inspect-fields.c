/* SPDX-License-Identifier: BSD-3-Clause */

/* The members of the report of INSPECT. */

#include "engine/host/messages.h"

#include <string.h>

/* ---- values, operators, payloads ---- */

static const PtField value[] = {
  PT_INSIDE (PtInspectValue, value, &pt_argument_fields),
  PT_BOOL (PtInspectValue, dynamic),
  PT_BOOL (PtInspectValue, planned),
  PT_TEXT (PtInspectValue, device),
};
static PT_STRUCT (value_info, PtInspectValue, value, NULL);

static const PtField count[] = {
  PT_NAME (PtInspectCount, name),
  PT_PLAIN (PtInspectCount, count),
};
static PT_STRUCT (count_info, PtInspectCount, count, NULL);

static const PtField operator[] = {
  PT_NAME (PtInspectOperator, name),
  PT_PLAIN (PtInspectOperator, count),
  PT_BOOL (PtInspectOperator, available),
};
static PT_STRUCT (operator_info, PtInspectOperator, operator, NULL);

static const PtField buffer[] = {
  PT_PLAIN (PtInspectBuffer, bytes),
  PT_TEXT (PtInspectBuffer, device),
  PT_PLAIN (PtInspectBuffer, device_index),
};
static PT_STRUCT (buffer_info, PtInspectBuffer, buffer, NULL);

static const PtField code[] = {
  PT_NAME (PtInspectCudaCode, name),
  PT_BOOL (PtInspectCudaCode, compressed),
};
static PT_STRUCT (code_info, PtInspectCudaCode, code, NULL);

static const PtField library[] = {
  PT_TEXT (PtInspectCudaLibrary, key),
  PT_BOOL (PtInspectCudaLibrary, found),
  PT_PLAIN (PtInspectCudaLibrary, bytes),
  PT_PLAIN (PtInspectCudaLibrary, target),
  PT_PLAIN (PtInspectCudaLibrary, ptx),
  PT_BOOL (PtInspectCudaLibrary, fallback),
  PT_TEXT (PtInspectCudaLibrary, platform),
  PT_TEXT (PtInspectCudaLibrary, cpu),
  PT_TEXTS (PtInspectCudaLibrary, needed),
  PT_ROWS (PtInspectCudaLibrary, codes, n_codes, &code_info),
  PT_PLAIN (PtInspectCudaLibrary, n_kernels),
  PT_TEXTS (PtInspectCudaLibrary, missing_functions),
};
static PT_STRUCT (library_info, PtInspectCudaLibrary, library, NULL);

static const PtField weights[] = {
  PT_TEXT (PtInspectCudaWeights, key),       PT_PLAIN (PtInspectCudaWeights, constants),
  PT_PLAIN (PtInspectCudaWeights, storages), PT_PLAIN (PtInspectCudaWeights, found),
  PT_PLAIN (PtInspectCudaWeights, bytes),
};
static PT_STRUCT (weights_info, PtInspectCudaWeights, weights, NULL);

static const PtField cuda[] = {
  PT_NAME (PtInspectCuda, form),
  PT_ROWS (PtInspectCuda, libraries, n_libraries, &library_info),
  PT_ONE (PtInspectCuda, weights, &weights_info),
};
static PT_STRUCT (cuda_info, PtInspectCuda, cuda, NULL);

static const PtField pair[] = {
  PT_NAME (PtInspectPair, name),
  PT_NAME (PtInspectPair, value),
};
static PT_STRUCT (pair_info, PtInspectPair, pair, NULL);

static const PtField content[] = {
  PT_ENUM (PtInspectContent, kind, PT_INSPECT_CONTENT_PAIRS + 1),
  PT_ROWS (PtInspectContent, nodes, n_nodes, &count_info),
  PT_ONE (PtInspectContent, cuda, &cuda_info),
  PT_ROWS (PtInspectContent, pairs, n_pairs, &pair_info),
};

static const char *
check_content (gconstpointer self, gconstpointer parent)
{
  const PtInspectContent *one = self;

  return one->kind == PT_INSPECT_CONTENT_CUDA && one->cuda == NULL ? "a payload has no content"
                                                                   : NULL;
}

static PT_STRUCT (content_info, PtInspectContent, content, check_content);

static const PtField delegate[] = {
  PT_NAME (PtInspectDelegate, backend),
  PT_BOOL (PtInspectDelegate, available),
  PT_PLAIN (PtInspectDelegate, count),
  PT_PLAIN (PtInspectDelegate, payload_bytes),
  PT_ROWS (PtInspectDelegate, nodes, n_nodes, &count_info),
  PT_ROWS (PtInspectDelegate, contents, n_contents, &content_info),
};
static PT_STRUCT (delegate_info, PtInspectDelegate, delegate, NULL);

/* ---- methods ---- */

static const PtField method[] = {
  PT_NAME (PtInspectMethod, name),
  PT_PLAIN (PtInspectMethod, planned_bytes),
  PT_ROWS (PtInspectMethod, buffers, n_buffers, &buffer_info),
  PT_PLAIN (PtInspectMethod, n_instructions),
  PT_ROWS (PtInspectMethod, inputs, n_inputs, &value_info),
  PT_ROWS (PtInspectMethod, outputs, n_outputs, &value_info),
  PT_ROWS (PtInspectMethod, operators, n_operators, &operator_info),
  PT_ROWS (PtInspectMethod, delegates, n_delegates, &delegate_info),
};
static PT_STRUCT (method_info, PtInspectMethod, method, NULL);

static const PtField output[] = {
  PT_INSIDE (PtInspectOutput, value, &value_info),
  PT_BOOL (PtInspectOutput, listed),
  PT_ROWS (PtInspectOutput, elements, n_elements, &pt_argument_fields),
};
static PT_STRUCT (output_info, PtInspectOutput, output, NULL);

static const PtField constant[] = {
  PT_NAME (PtInspectConstant, name),
  PT_ROWS (PtInspectConstant, outputs, n_outputs, &output_info),
};

static const char *
check_constant (gconstpointer self, gconstpointer parent)
{
  return ((const PtInspectConstant *) self)->n_outputs == 0 ? "a method returns nothing" : NULL;
}

static PT_STRUCT (constant_info, PtInspectConstant, constant, check_constant);

/* ---- files ---- */

static const PtField parts[] = {
  PT_PLAIN (PtInspectParts, tables),        PT_PLAIN (PtInspectParts, constants),
  PT_PLAIN (PtInspectParts, initial_state), PT_PLAIN (PtInspectParts, delegate_payloads),
  PT_PLAIN (PtInspectParts, named_data),    PT_PLAIN (PtInspectParts, other),
};
static PT_STRUCT (parts_info, PtInspectParts, parts, NULL);

static const PtField data_file[] = {
  PT_PATH (PtInspectDataFile, path),
  PT_PLAIN (PtInspectDataFile, bytes),
  PT_PLAIN (PtInspectDataFile, entries),
};

static const char *
check_data_file (gconstpointer self, gconstpointer parent)
{
  return ((const PtInspectDataFile *) self)->path == NULL ? "a data file has no path" : NULL;
}

static PT_STRUCT (data_file_info, PtInspectDataFile, data_file, check_data_file);

static const PtField external[] = {
  PT_NAME (PtInspectExternal, name),   PT_INSIDE (PtInspectExternal, value, &pt_argument_fields),
  PT_PLAIN (PtInspectExternal, bytes), PT_BOOL (PtInspectExternal, is_state),
  PT_PATH (PtInspectExternal, file),   PT_TEXT (PtInspectExternal, why),
};
static PT_STRUCT (external_info, PtInspectExternal, external, NULL);

static const PtField named[] = {
  PT_NAME (PtInspectNamed, key),
  PT_PLAIN (PtInspectNamed, bytes),
};
static PT_STRUCT (named_info, PtInspectNamed, named, NULL);

static const PtField tests[] = {
  PT_NAME (PtInspectTests, method),
  PT_PLAIN (PtInspectTests, cases),
  PT_PLAIN (PtInspectTests, bytes),
};
static PT_STRUCT (tests_info, PtInspectTests, tests, NULL);

static const PtField file[] = {
  PT_PATH (PtModelFile, path),
  PT_TEXT (PtModelFile, role),
  PT_TEXT (PtModelFile, reason),
};

static const char *
check_file (gconstpointer self, gconstpointer parent)
{
  return ((const PtModelFile *) self)->path == NULL ? "a file has no path" : NULL;
}

static PT_STRUCT (file_info, PtModelFile, file, check_file);

static const PtField needs[] = {
  PT_PLAIN (PtNeeds, weights),
  PT_PLAIN (PtNeeds, working),
  PT_PLAIN (PtNeeds, state),
  PT_PLAIN (PtNeeds, gpu),
};
static PT_STRUCT (needs_info, PtNeeds, needs, NULL);

static const PtField inspect[] = {
  PT_PATH (PtInspectReport, path),
  PT_PLAIN (PtInspectReport, bytes),
  PT_BOOL (PtInspectReport, ok),
  PT_TEXTS (PtInspectReport, missing),
  PT_TEXT (PtInspectReport, family),
  PT_TEXT (PtInspectReport, kind),
  PT_TEXT (PtInspectReport, task),
  PT_TEXT (PtInspectReport, why),
  PT_INSIDE (PtInspectReport, memory, &needs_info),
  PT_PLAIN (PtInspectReport, weight_bits),
  PT_BOOL (PtInspectReport, native),
  PT_TEXT (PtInspectReport, sha256),
  PT_BOOL (PtInspectReport, trusted),
  PT_INSIDE (PtInspectReport, parts, &parts_info),
  PT_ROWS (PtInspectReport, methods, n_methods, &method_info),
  PT_ROWS (PtInspectReport, constants, n_constants, &constant_info),
  PT_ROWS (PtInspectReport, data_files, n_data_files, &data_file_info),
  PT_PLAIN (PtInspectReport, data_bytes),
  PT_PLAIN (PtInspectReport, n_external),
  PT_PLAIN (PtInspectReport, n_external_found),
  PT_PLAIN (PtInspectReport, external_bytes),
  PT_ROWS (PtInspectReport, external, n_external_listed, &external_info),
  PT_TEXTS (PtInspectReport, external_missing),
  PT_PLAIN (PtInspectReport, n_named),
  PT_PLAIN (PtInspectReport, named_bytes),
  PT_ROWS (PtInspectReport, named, n_named_listed, &named_info),
  PT_ROWS (PtInspectReport, tests, n_tests, &tests_info),
  PT_ROWS (PtInspectReport, files, n_files, &file_info),
  PT_OWNER (PtInspectReport),
};

static const char *
check_inspect (gconstpointer self, gconstpointer parent)
{
  const PtInspectReport *report = self;

  if (report->path == NULL || report->missing == NULL)
    return "a program has no path";
  return report->sha256 != NULL && strlen (report->sha256) != 64 ? "a digest has a wrong length"
                                                                 : NULL;
}

PT_STRUCT (pt_inspect_fields, PtInspectReport, inspect, check_inspect);
