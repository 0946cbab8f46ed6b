package io.sluice.spill.store;

class PlainStoreTest extends StoreContractTest {
  PlainStoreTest() {
    place = TestPlace.FILES;
  }
}
