package io.sluice.it.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportException;

/** Which transport Sluice takes here when it is left to choose, and why. */
final class TransportChoiceCheck implements Check {
  private static final String SUBJECT = "transport chosen";

  @Override
  public Finding look() {
    try {
      return Finding.ok(
          SUBJECT, TransportChooser.standard().choose(TransportChooser.AUTO).reason());
    } catch (TransportException e) {
      return Finding.broken(SUBJECT, "none: " + e.getMessage());
    }
  }
}
