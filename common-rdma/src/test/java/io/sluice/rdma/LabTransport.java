package io.sluice.rdma;

import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;

/**
 * The RDMA transport that the lab's tests read over: {@code verbs}, unless the lab says another.
 */
public final class LabTransport {
  /** Its name. */
  public static final String NAME =
      System.getProperty("sluice.lab.transport", TransportNames.VERBS);

  private LabTransport() {}

  /** Its provider, whether it works here or not. */
  public static TransportProvider provider() {
    return TransportChooser.standard().providers().stream()
        .filter(provider -> provider.name().equals(NAME))
        .findFirst()
        .orElseThrow();
  }
}
