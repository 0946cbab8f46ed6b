package io.sluice.tools.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.TransportChooser.MissingProvider;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Checks whether a transport works here. It asks the provider first. If the provider calls itself
 * available, a trial listens and registers memory.
 *
 * @param provider the transport
 * @param needs the findings about what this transport needs, and no others; their remedies become
 *     those of a transport that does not work
 * @param trial listens and registers
 */
record TransportCheck(TransportProvider provider, List<Finding> needs, Trial trial) {
  private static final String UNUSABLE = "does not work here";
  private static final String OPTIONAL =
      "nothing, unless ucx cannot be installed; then put that jar beside Sluice's";
  private static final String CHOSEN = "transport chosen";

  /** The transport that Sluice uses here by default. */
  static Finding choice(TransportChooser chooser) {
    try {
      return Finding.ok(CHOSEN, chooser.choose(TransportChooser.AUTO).provider().name());
    } catch (TransportException e) {
      return Finding.broken(CHOSEN, "none", e.getMessage(), "");
    }
  }

  Finding look() {
    String subject = "transport " + provider.name();
    if (provider instanceof MissingProvider missing) {
      return Finding.info(subject, "not installed", missing.cause(), OPTIONAL);
    }
    Optional<String> unavailable = provider.unavailabilityCause();
    if (unavailable.isPresent()) {
      boolean couldDoRdma = needs.stream().anyMatch(f -> f.level() == Finding.Level.PROBLEM);
      return couldDoRdma
          ? Finding.problem(subject, UNUSABLE, unavailable.get(), remedies())
          : Finding.info(subject, UNUSABLE, unavailable.get(), remedies());
    }
    try {
      return trial
          .failureOf(provider.name())
          .map(cause -> Finding.problem(subject, UNUSABLE, cause, remedies()))
          .orElseGet(() -> Finding.ok(subject, "works: listened, and registered memory"));
    } catch (IOException e) {
      return Finding.info(subject, "seems to work, but could not be tried", ErrorText.of(e), "");
    }
  }

  private String remedies() {
    return needs.stream()
        .filter(finding -> finding.level() != Finding.Level.OK)
        .map(Finding::remedy)
        .filter(remedy -> !remedy.isEmpty())
        .collect(Collectors.joining("; then "));
  }
}
