package io.sluice.spill.store;

import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.SyncMedium;

class SyncStoreTest extends StoreContractTest {
  @Override
  Medium medium() {
    return new SyncMedium();
  }
}
