package io.sluice.mapreduce.stage;

import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.writer.ReceivedExtents;
import io.sluice.spill.writer.WriteTarget;
import java.util.function.Function;

/**
 * Stages runs in extents of the node's pool that are leased and never committed: the service takes
 * them back when this reducer closes them or dies. What the memory tier has no room for goes to the
 * pool's disk tier, as for map outputs, and so does what the node wants back.
 *
 * <p>Thread contract and ownership as {@link PackedStage} says; the lease stays its owner's.
 */
public final class LeasedStage extends PackedStage {
  /** A volume may have several segments open. */
  private static final int MAX_OPEN_VOLUMES = 16;

  /** Mapped of each run that is read, where that is not too much for all of them. */
  public static final int WINDOW_BYTES = 64 << 10;

  private final ReceivedExtents source;
  private final WriteTarget target;
  private final WriteTarget onDisk;
  private final int windowBytes;
  private final OpenVolumes open = new OpenVolumes(MAX_OPEN_VOLUMES);

  /**
   * Stages in what {@code source} leases.
   *
   * @param targets how bytes reach what is leased
   * @param windowBytes mapped at a time of each run that is read
   * @param key to encrypt with, or null
   */
  public LeasedStage(
      ReceivedExtents source,
      Function<ExtentSource, WriteTarget> targets,
      int windowBytes,
      OutputKey key) {
    super(key);
    this.source = source;
    this.target = targets.apply(source);
    this.onDisk = targets.apply(source.onDisk());
    this.windowBytes = windowBytes;
  }

  @Override
  StageVolume openVolume(long lengthBytes) {
    return new LeasedVolume(target, open, windowBytes);
  }

  @Override
  StageVolume openDiskVolume(long lengthBytes) {
    return new LeasedVolume(onDisk, open, windowBytes);
  }

  @Override
  long heldBytes() {
    return source.heldBytes();
  }
}
