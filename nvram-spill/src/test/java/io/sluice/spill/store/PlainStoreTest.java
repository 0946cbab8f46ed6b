package io.sluice.spill.store;

import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;

class PlainStoreTest extends StoreContractTest {
  @Override
  Medium medium() {
    return new PlainMedium();
  }
}
