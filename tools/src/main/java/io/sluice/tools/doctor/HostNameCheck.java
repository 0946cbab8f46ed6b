package io.sluice.tools.doctor;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.verbs.RdmaAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Checks whether the host's name is an address of an RDMA port. Reducers find a NodeManager by its
 * host name, so that its service serves over RDMA only then, or if its data address is set.
 *
 * @param files where the kernel shows devices
 * @param addresses this process's IP addresses by network interface
 * @param name says the host's name, if there is an RDMA port
 */
record HostNameCheck(
    SystemFiles files, Map<String, List<InetAddress>> addresses, Supplier<String> name) {
  private static final String SUBJECT = "host name";

  /** One finding if the name is another network's; none if it is not, or if nobody can tell. */
  List<Finding> look() {
    RdmaAddresses rdma =
        new RdmaAddresses(
            files.path("/sys/class"),
            addresses.values().stream().flatMap(Collection::stream).toList());
    try {
      return rdma.missedBy(name, "sluice.service.data-address").stream()
          .map(
              missed ->
                  Finding.info(
                      SUBJECT,
                      name.get()
                          + " is no address of RDMA, so a NodeManager's service uses tcp unless its"
                          + " data address is set",
                      missed.cause(),
                      missed.fix() + "; nothing if that is done"))
          .toList();
    } catch (IOException | RuntimeException e) {
      return List.of(Finding.info(SUBJECT, "it could not be looked up", ErrorText.of(e), ""));
    }
  }
}
