package io.sluice.local.stock;

import org.junit.jupiter.api.Tag;

/** Those of the newer interface's library. */
@Tag("campaign")
class HadoopsLibTest extends HadoopsOwnTest {
  HadoopsLibTest() {
    super("org[.]apache[.]hadoop[.]mapreduce[.]lib[.].*");
  }
}
