package io.sluice.spill.store;

/** On a file system with DAX, which the lab has. */
class SyncStoreTest extends StoreContractTest {
  SyncStoreTest() {
    place = TestPlace.FS_DAX;
  }
}
