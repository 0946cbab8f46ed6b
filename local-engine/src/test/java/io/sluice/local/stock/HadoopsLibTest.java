package io.sluice.local.stock;

/** Those of the newer interface's library. */
class HadoopsLibTest extends HadoopsOwnTest {
  HadoopsLibTest() {
    super("org[.]apache[.]hadoop[.]mapreduce[.]lib[.].*");
  }
}
