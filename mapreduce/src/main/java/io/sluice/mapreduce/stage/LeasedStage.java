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

  private final ReceivedExtents source;
  private final WriteTarget target;
  private final WriteTarget onDisk;
  private final OpenVolumes open = new OpenVolumes(MAX_OPEN_VOLUMES);

  /**
   * Stages in what {@code source} leases.
   *
   * @param targets how bytes reach what is leased
   * @param key to encrypt with, or null
   */
  public LeasedStage(
      ReceivedExtents source, Function<ExtentSource, WriteTarget> targets, OutputKey key) {
    super(key);
    this.source = source;
    this.target = targets.apply(source);
    this.onDisk = targets.apply(source.onDisk());
  }

  @Override
  StageVolume openVolume(long lengthBytes) {
    return new LeasedVolume(target, open);
  }

  @Override
  StageVolume openDiskVolume(long lengthBytes) {
    return new LeasedVolume(onDisk, open);
  }

  @Override
  long heldBytes() {
    return source.heldBytes();
  }
}
