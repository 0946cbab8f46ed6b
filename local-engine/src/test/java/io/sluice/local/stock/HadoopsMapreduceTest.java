package io.sluice.local.stock;

/** Those of the newer interface, without its library. */
class HadoopsMapreduceTest extends HadoopsOwnTest {
  HadoopsMapreduceTest() {
    super("org[.]apache[.]hadoop[.]mapreduce[.](?!lib[.]).*");
  }
}
