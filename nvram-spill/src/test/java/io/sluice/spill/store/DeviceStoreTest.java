package io.sluice.spill.store;

/** On a device-DAX device, which the lab has. */
class DeviceStoreTest extends StoreContractTest {
  DeviceStoreTest() {
    place = TestPlace.DEVICE;
  }
}
