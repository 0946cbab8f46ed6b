package io.sluice.spill.medium;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;

/** Fails at one step, after a part of it was done. */
public final class CrashingMedium implements Medium {
  /** The process is gone. */
  public static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final Medium medium;
  private final boolean storedDirectly;
  private final Random random;
  private int stepsLeft;

  /** Fails at the step after the first {@code steps}, and at all later ones. */
  public CrashingMedium(Medium medium, boolean storedDirectly, int steps, Random random) {
    this.medium = medium;
    this.storedDirectly = storedDirectly;
    this.stepsLeft = steps;
    this.random = random;
  }

  @Override
  public String name() {
    return "crashing";
  }

  @Override
  public boolean isPersistent() {
    return medium.isPersistent();
  }

  @Override
  public boolean isStoredDirectly() {
    return storedDirectly;
  }

  @Override
  public Optional<String> unavailabilityCause(Path pool) {
    return medium.unavailabilityCause(pool);
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    return medium.map(file, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    if (stepsLeft-- <= 0) {
      throw new Crash();
    }
    medium.persist(mapping, offsetBytes, lengthBytes);
  }

  @Override
  public void write(Mapping mapping, int offsetBytes, ByteBuffer source) {
    if (stepsLeft-- <= 0) {
      ByteBuffer part = source.duplicate();
      part.limit(part.position() + random.nextInt(part.remaining()));
      medium.write(mapping, offsetBytes, part);
      throw new Crash();
    }
    medium.write(mapping, offsetBytes, source);
  }
}
