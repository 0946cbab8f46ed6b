package io.sluice.tools.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportException;
import java.util.List;

/**
 * Which transport Sluice takes here when it is left to choose, and why.
 *
 * @param chooser of Sluice
 */
record TransportChoiceCheck(TransportChooser chooser) implements Check {
  private static final String SUBJECT = "transport chosen";

  @Override
  public List<Finding> look() {
    try {
      return List.of(Finding.ok(SUBJECT, chooser.choose(TransportChooser.AUTO).provider().name()));
    } catch (TransportException e) {
      return List.of(Finding.broken(SUBJECT, "none", e.getMessage(), ""));
    }
  }
}
