package io.sluice.spill.store;

import io.sluice.spill.medium.DaxDevice;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.segment.Owner;
import java.io.IOException;

/** Knows the place for each kind of pool. */
final class PoolSpaces {
  private PoolSpaces() {}

  /** Locks what the configuration names; the caller closes it. */
  static PoolSpace open(StoreConfig config) throws IOException {
    Owner owner = Owner.ofThisProcess();
    return switch (PoolKind.of(config.directory())) {
      case FILES ->
          new FilePool(config, LockedDirectory.open(config.directory(), config.use()), owner);
      case HUGE_PAGES -> new MappedPool(config, HugePages.open(config, owner), owner);
      case DEVICE ->
          new MappedPool(config, DeviceSpace.open(DaxDevice.of(config.directory())), owner);
    };
  }
}
