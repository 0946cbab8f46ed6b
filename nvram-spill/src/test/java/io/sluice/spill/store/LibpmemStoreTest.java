package io.sluice.spill.store;

import io.sluice.spill.medium.LibpmemMedium;
import io.sluice.spill.medium.Medium;

/** Runs with {@code PMEM_IS_PMEM_FORCE=1}, which the build sets, where libpmem is installed. */
class LibpmemStoreTest extends StoreContractTest {
  @Override
  Medium medium() {
    return new LibpmemMedium();
  }
}
