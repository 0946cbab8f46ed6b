package io.sluice.it.doctor;

import io.sluice.rdma.transport.TransportProvider;

/**
 * Whether a transport works here, by the provider's own word.
 *
 * @param provider the transport
 */
record TransportCheck(TransportProvider provider) implements Check {
  @Override
  public Finding look() {
    String subject = "transport " + provider.name();
    return provider
        .unavailabilityCause()
        .map(cause -> Finding.limited(subject, "not available: " + cause))
        .orElseGet(() -> Finding.ok(subject, "available"));
  }
}
