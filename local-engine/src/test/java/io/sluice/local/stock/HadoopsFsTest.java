package io.sluice.local.stock;

import org.junit.jupiter.api.Tag;

/** Those that test file systems by jobs. */
@Tag("campaign")
class HadoopsFsTest extends HadoopsOwnTest {
  HadoopsFsTest() {
    super("org[.]apache[.]hadoop[.]fs[.].*");
  }
}
