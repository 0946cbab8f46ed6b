package io.sluice.it.lab.plugs;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A medium that tells what is done with it; it does nothing else than the medium below it.
 *
 * <p>Thread contract: as that medium and the observer.
 */
final class SteppingMedium implements Medium {
  /** Is called in the thread that uses the medium. */
  interface Observer {
    /** Before a range is mapped. */
    default void mapping() {}

    /** After stores into a range, before they are made safe. */
    default void persisting(Mapping mapping, int offsetBytes, int lengthBytes) {}

    /** After a range was made safe. */
    void persisted(Mapping mapping, int offsetBytes, int lengthBytes);
  }

  private final Medium medium;
  private final Observer observer;

  SteppingMedium(Medium medium, Observer observer) {
    if (!medium.isStoredDirectly()) {
      throw new IllegalArgumentException(
          medium.name() + " persists while it writes, so its steps are not those of a commit");
    }
    this.medium = medium;
    this.observer = observer;
  }

  @Override
  public String name() {
    return medium.name();
  }

  @Override
  public boolean isPersistent() {
    return medium.isPersistent();
  }

  @Override
  public boolean isStoredDirectly() {
    return true;
  }

  @Override
  public Optional<String> unavailabilityCause(Path directory) {
    return medium.unavailabilityCause(directory);
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    observer.mapping();
    return medium.map(file, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    observer.persisting(mapping, offsetBytes, lengthBytes);
    medium.persist(mapping, offsetBytes, lengthBytes);
    observer.persisted(mapping, offsetBytes, lengthBytes);
  }
}
