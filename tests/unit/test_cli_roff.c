/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text as roff's input: nothing in it is taken for a request, an escape or an argument's end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/roff.h"

static void expect(void (*print)(FILE *out, const char *text), const char *text,
                   const char *wanted) {
  char *made = NULL;
  size_t size;
  FILE *out = open_memstream(&made, &size);
  assert_non_null(out);
  print(out, text);
  fclose(out);
  assert_string_equal(made, wanted);
  free(made);
}

static void text_is_protected(void **state) {
  (void)state;
  expect(roff_text, "", "");
  expect(roff_text, "plain words, 0.5 %", "plain words, 0.5 %");
  expect(roff_text, "--to a\\b", "\\-\\-to a\\eb");
  expect(roff_text, "\"x\" isn't `y' ^ ~", "\\(dqx\\(dq isn\\(aqt \\(gay\\(aq \\(ha \\(ti");
}

static void requests_are_text(void **state) {
  (void)state;
  expect(roff_text, ".gz and\n.so\nfile.so", "\\&.gz and\n\\&.so\nfile.so");
  expect(roff_text, "'a\n'b", "\\(aqa\n\\(aqb");
}

static void typed_words_have_fonts(void **state) {
  (void)state;
  expect(roff_typed, "FILE", "\\fIFILE\\fR");
  expect(roff_typed, "error|skip", "\\fBerror\\fR|\\fBskip\\fR");
  expect(roff_typed, "NAME[:KEY=VALUE...]", "\\fINAME\\fR[:\\fIKEY\\fR=\\fIVALUE\\fR...]");
  expect(roff_typed, "hsim --to swf", "\\fBhsim\\fR \\fB\\-\\-to\\fR \\fBswf\\fR");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_protected),
      cmocka_unit_test(requests_are_text),
      cmocka_unit_test(typed_words_have_fonts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
