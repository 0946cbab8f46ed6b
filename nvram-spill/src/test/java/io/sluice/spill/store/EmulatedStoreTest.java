package io.sluice.spill.store;

import io.sluice.spill.medium.EmulatedNvram;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;

class EmulatedStoreTest extends StoreContractTest {
  @Override
  Medium medium() {
    return new EmulatedNvram(new PlainMedium(), EmulatedNvram.DEFAULT_DELAY_FACTOR);
  }
}
