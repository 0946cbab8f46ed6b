package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionFixture;

/** As {@link TcpContractTest}, for pools on huge pages and devices, which have no file to send. */
class TcpWithoutFileContractTest extends TcpContractTest {
  @Override
  protected MemoryRegion region(RegionFixture fixture) {
    return MemoryRegion.ofMapping(fixture.mapping());
  }
}
