package io.sluice.spill.merge;

class TrickleRunInputTest extends RunInputContract {
  @Override
  protected RunInput open(byte[] bytes) {
    return new TrickleRunInput(bytes, 5);
  }
}
