package io.sluice.local.stock;

import org.junit.jupiter.api.Tag;

/** Those of the newer interface, without its library. */
@Tag("campaign")
class HadoopsMapreduceTest extends HadoopsOwnTest {
  HadoopsMapreduceTest() {
    super("org[.]apache[.]hadoop[.]mapreduce[.](?!lib[.]).*");
  }
}
