package io.sluice.spill.store;

/** On hugetlbfs, which the lab has. */
class HugePagesStoreTest extends StoreContractTest {
  HugePagesStoreTest() {
    place = TestPlace.HUGE_PAGES;
  }
}
