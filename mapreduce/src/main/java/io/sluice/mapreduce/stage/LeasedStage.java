package io.sluice.mapreduce.stage;

import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.writer.WriteTarget;

/**
 * Stages runs in extents of the node's pool that are leased and never committed: the service takes
 * them back when this reducer closes them or dies. What the memory tier has no room for goes to the
 * pool's disk tier, as for map outputs.
 *
 * <p>Thread contract and ownership as {@link PackedStage} says; the lease stays its owner's.
 */
public final class LeasedStage extends PackedStage {
  /** A volume may have several segments open. */
  private static final int MAX_OPEN_VOLUMES = 16;

  private final WriteTarget target;
  private final OpenVolumes open = new OpenVolumes(MAX_OPEN_VOLUMES);

  /**
   * Stages in what the source of {@code target} leases.
   *
   * @param key to encrypt with, or null
   */
  public LeasedStage(WriteTarget target, OutputKey key) {
    super(key);
    this.target = target;
  }

  @Override
  StageVolume openVolume(long lengthBytes) {
    return new LeasedVolume(target, open);
  }
}
