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
  private static final String UNUSABLE = "does not work here";
  private static final int TRIAL_BYTES = 64 << 10;

  @Override
  public List<Finding> look() {
    String subject = "transport " + provider.name();
    Optional<String> unavailable = provider.unavailabilityCause();
    if (unavailable.isPresent()) {
      boolean couldDoRdma = rdma.stream().anyMatch(f -> f.level() == Finding.Level.PROBLEM);
      return List.of(
          couldDoRdma
              ? Finding.problem(subject, UNUSABLE, unavailable.get(), remedies())
              : Finding.info(subject, UNUSABLE, unavailable.get(), remedies()));
    }
    return List.of(
        failureOfTrial()
            .map(cause -> Finding.problem(subject, UNUSABLE, cause, remedies()))
            .orElseGet(() -> Finding.ok(subject, "works: listened, and registered memory")));
  }

  private String remedies() {
    return rdma.stream()
        .filter(finding -> finding.level() != Finding.Level.OK)
        .map(Finding::remedy)
        .collect(Collectors.joining("; then "));
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
