package io.sluice.spill.store;

class FileAsDeviceStoreTest extends StoreContractTest {
  FileAsDeviceStoreTest() {
    place = TestPlace.FILE_AS_DEVICE;
  }
}
