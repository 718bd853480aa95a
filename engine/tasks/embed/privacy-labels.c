/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/embed/privacy-labels.h"

#include <string.h>

#include "engine/base/json.h"
#include "engine/tasks/models/model-root.h"

#define MAX_CONFIG (8 << 20)
/* Bytes of a label. */
#define MAX_LABEL 200

/* The labels of openai/privacy-filter. */
static const char *const BASIC[] = {
  "account_number", "private_address", "private_date", "private_email",
  "private_person", "private_phone",   "private_url",  "secret",
};

/* The labels of OpenMed/privacy-filter-nemotron. */
static const char *const DETAILED[] = {
  "account_number",
  "age",
  "api_key",
  "bank_routing_number",
  "biometric_identifier",
  "blood_type",
  "certificate_license_number",
  "city",
  "company_name",
  "coordinate",
  "country",
  "county",
  "credit_debit_card",
  "customer_id",
  "cvv",
  "date",
  "date_of_birth",
  "date_time",
  "device_identifier",
  "education_level",
  "email",
  "employee_id",
  "employment_status",
  "fax_number",
  "first_name",
  "gender",
  "health_plan_beneficiary_number",
  "http_cookie",
  "ipv4",
  "ipv6",
  "language",
  "last_name",
  "license_plate",
  "mac_address",
  "medical_record_number",
  "national_id",
  "occupation",
  "password",
  "phone_number",
  "pin",
  "political_view",
  "postcode",
  "race_ethnicity",
  "religious_belief",
  "sexuality",
  "ssn",
  "state",
  "street_address",
  "swift_bic",
  "tax_id",
  "time",
  "unique_id",
  "url",
  "user_name",
  "vehicle_identifier",
};

/* Parts of an entity, in the order of their labels. */
static const char PARTS[] = "BIES";

static char **
read_config (const char *folder, guint n)
{
  g_autofree char *path = pt_model_find_file (folder, "config.json");
  g_autoptr (json_t) config = path != NULL ? pt_json_load (path, MAX_CONFIG, NULL) : NULL;
  const json_t *names = json_object_get (config, "id2label");
  g_auto (GStrv) labels = NULL;

  if (json_object_size (names) != n)
    return NULL;
  labels = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++) {
    g_autofree char *key = g_strdup_printf ("%u", i);
    const char *name = pt_json_string (names, key);

    if (name == NULL || *name == '\0' || strlen (name) > MAX_LABEL)
      return NULL;
    labels[i] = g_strdup (name);
  }
  return g_steal_pointer (&labels);
}

char **
pt_privacy_labels (const char *folder, guint n)
{
  const guint n_parts = sizeof PARTS - 1;
  char **labels = read_config (folder, n);
  const char *const *names = n == 1 + n_parts * G_N_ELEMENTS (BASIC)      ? BASIC
                             : n == 1 + n_parts * G_N_ELEMENTS (DETAILED) ? DETAILED
                                                                          : NULL;

  if (labels != NULL)
    return labels;
  labels = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++) {
    guint entity = i > 0 ? (i - 1) / n_parts : 0;

    labels[i] = i == 0 ? g_strdup ("O")
                : names != NULL
                    ? g_strdup_printf ("%c-%s", PARTS[(i - 1) % n_parts], names[entity])
                    : g_strdup_printf ("%c-entity %u", PARTS[(i - 1) % n_parts], entity + 1);
  }
  return labels;
}
