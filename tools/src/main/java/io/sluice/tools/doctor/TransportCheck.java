package io.sluice.tools.doctor;

import io.sluice.rdma.MissingProvider;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportProvider;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether a transport works here: by its own word, and then by listening and registering memory.
 *
 * @param provider the transport
 * @param needs what was found of what this transport needs, and no other: its remedies are those of
 *     a transport that does not work
 * @param trial listens and registers
 */
record TransportCheck(TransportProvider provider, List<Finding> needs, Trial trial)
    implements Check {
  private static final String UNUSABLE = "does not work here";
  private static final String OPTIONAL =
      "nothing, unless ucx cannot be had; then put that jar beside Sluice's";

  @Override
  public List<Finding> look() {
    String subject = "transport " + provider.name();
    if (provider instanceof MissingProvider missing) {
      return List.of(Finding.info(subject, "not installed", missing.cause(), OPTIONAL));
    }
    Optional<String> unavailable = provider.unavailabilityCause();
    if (unavailable.isPresent()) {
      boolean couldDoRdma = needs.stream().anyMatch(f -> f.level() == Finding.Level.PROBLEM);
      return List.of(
          couldDoRdma
              ? Finding.problem(subject, UNUSABLE, unavailable.get(), remedies())
              : Finding.info(subject, UNUSABLE, unavailable.get(), remedies()));
    }
    try {
      return List.of(
          trial
              .failureOf(provider.name())
              .map(cause -> Finding.problem(subject, UNUSABLE, cause, remedies()))
              .orElseGet(() -> Finding.ok(subject, "works: listened, and registered memory")));
    } catch (IOException e) {
      return List.of(Finding.info(subject, "seems to work, was not tried", ErrorText.of(e), ""));
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
