package io.sluice.it.doctor;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether a transport works here: by its own word, and then by listening and registering memory.
 *
 * @param provider the transport
 * @param rdma what was found of RDMA; its remedies are those of a transport that does not work
 */
record TransportCheck(TransportProvider provider, List<Finding> rdma) implements Check {
  private static final int TRIAL_BYTES = 64 << 10;

  @Override
  public List<Finding> look() {
    String subject = "transport " + provider.name();
    Optional<String> cause = provider.unavailabilityCause();
    if (cause.isEmpty()) {
      cause = failureOfTrial();
    }
    return List.of(
        cause
            .map(why -> doesNotWork(subject, why))
            .orElseGet(() -> Finding.ok(subject, "works: listened, and registered memory")));
  }

  private Finding doesNotWork(String subject, String cause) {
    String what = "does not work here";
    String remedy =
        rdma.stream()
            .filter(finding -> finding.level() != Finding.Level.OK)
            .map(Finding::remedy)
            .collect(Collectors.joining("; then "));
    boolean couldDoRdma = rdma.stream().anyMatch(f -> f.level() == Finding.Level.PROBLEM);
    return couldDoRdma
        ? Finding.problem(subject, what, cause, remedy)
        : Finding.info(subject, what, cause, remedy);
  }

  private Optional<String> failureOfTrial() {
    ByteBuffer memory = OffHeap.allocate(TRIAL_BYTES);
    try (ServerEndpoint endpoint = provider.listen(new InetSocketAddress(0))) {
      endpoint.register(MemoryRegion.ofMapping(memory));
      return Optional.empty();
    } catch (TransportException e) {
      return Optional.of(e.getMessage());
    } finally {
      OffHeap.free(memory);
    }
  }
}
