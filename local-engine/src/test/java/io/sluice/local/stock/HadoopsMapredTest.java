package io.sluice.local.stock;

/** Those of the older interface. */
class HadoopsMapredTest extends HadoopsOwnTest {
  HadoopsMapredTest() {
    super("org[.]apache[.]hadoop[.]mapred[.].*");
  }
}
