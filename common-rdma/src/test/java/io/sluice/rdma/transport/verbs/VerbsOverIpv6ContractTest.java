package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.rdma.transport.RdmaAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Tag;

/** The same between GIDs that are IPv6 addresses; skipped where the RDMA device has none. */
@Tag("campaign")
class VerbsOverIpv6ContractTest extends VerbsContractTest {
  @Override
  protected InetSocketAddress bindAddress() {
    Optional<InetAddress> address = RdmaAddress.findIpv6();
    assumeTrue(
        address.isPresent(), "the RDMA device's interface has no IPv6 address but of its link");
    return new InetSocketAddress(address.get(), 0);
  }
}
