/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/privacy/label-name.h"

#include <stdlib.h>
#include <string.h>

#include "ui/i18n.h"

typedef struct {
  const char *label, *name;
} LabelName;

/* The labels of the published filters, sorted. */
static const LabelName NAMES[] = {
  { "account_number", N_ ("Account number") },
  { "age", N_ ("Age") },
  { "api_key", N_ ("API key") },
  { "bank_routing_number", N_ ("Bank routing number") },
  { "biometric_identifier", N_ ("Biometric identifier") },
  { "blood_type", N_ ("Blood type") },
  { "certificate_license_number", N_ ("License number") },
  { "city", N_ ("City") },
  { "company_name", N_ ("Company") },
  { "coordinate", N_ ("Coordinates") },
  { "country", N_ ("Country") },
  { "county", N_ ("County") },
  { "credit_debit_card", N_ ("Card number") },
  { "customer_id", N_ ("Customer number") },
  { "cvv", N_ ("Card verification code") },
  { "date", N_ ("Date") },
  { "date_of_birth", N_ ("Date of birth") },
  { "date_time", N_ ("Date and time") },
  { "device_identifier", N_ ("Device number") },
  { "education_level", N_ ("Education") },
  { "email", N_ ("Email address") },
  { "employee_id", N_ ("Employee number") },
  { "employment_status", N_ ("Employment status") },
  { "fax_number", N_ ("Fax number") },
  { "first_name", N_ ("First name") },
  { "gender", N_ ("Gender") },
  { "health_plan_beneficiary_number", N_ ("Health insurance number") },
  { "http_cookie", N_ ("Cookie") },
  { "ipv4", N_ ("IP address") },
  { "ipv6", N_ ("IP address") },
  { "language", N_ ("Language") },
  { "last_name", N_ ("Last name") },
  { "license_plate", N_ ("License plate") },
  { "mac_address", N_ ("MAC address") },
  { "medical_record_number", N_ ("Medical record number") },
  { "national_id", N_ ("National identity number") },
  { "occupation", N_ ("Occupation") },
  { "password", N_ ("Password") },
  { "phone_number", N_ ("Phone number") },
  { "pin", N_ ("PIN") },
  { "political_view", N_ ("Political view") },
  { "postcode", N_ ("Postcode") },
  { "private_address", N_ ("Address") },
  { "private_date", N_ ("Date") },
  { "private_email", N_ ("Email address") },
  { "private_person", N_ ("Person") },
  { "private_phone", N_ ("Phone number") },
  { "private_url", N_ ("Web address") },
  { "race_ethnicity", N_ ("Ethnicity") },
  { "religious_belief", N_ ("Religious belief") },
  { "secret", N_ ("Secret") },
  { "sexuality", N_ ("Sexuality") },
  { "ssn", N_ ("Social security number") },
  { "state", N_ ("State") },
  { "street_address", N_ ("Street address") },
  { "swift_bic", N_ ("Bank identifier (BIC)") },
  { "tax_id", N_ ("Tax number") },
  { "time", N_ ("Time") },
  { "unique_id", N_ ("Identifier") },
  { "url", N_ ("Web address") },
  { "user_name", N_ ("User name") },
  { "vehicle_identifier", N_ ("Vehicle number") },
};

static int
compare (const void *label, const void *row)
{
  return strcmp (label, ((const LabelName *) row)->label);
}

char *
pteris_label_name (const char *label)
{
  const LabelName *known = bsearch (label, NAMES, G_N_ELEMENTS (NAMES), sizeof *NAMES, compare);
  char *name = g_strdup (known != NULL ? _ (known->name) : label);

  if (known == NULL) {
    g_strdelimit (name, "_", ' ');
    name[0] = g_ascii_toupper (name[0]);
  }
  return name;
}
