package io.sluice.local.stock;

import org.junit.jupiter.api.Tag;

/** Those of the older interface. */
@Tag("campaign")
class HadoopsMapredTest extends HadoopsOwnTest {
  HadoopsMapredTest() {
    super("org[.]apache[.]hadoop[.]mapred[.].*");
  }
}
