package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Path;

/** Who opens what lies in a place of a pool, and so how safe the place must be. */
public enum PoolVisibility {
  /**
   * Other processes are told of the place, and believe what they find there: nobody may be able to
   * put another in its stead.
   */
  ANNOUNCED,

  /**
   * Only the process that made it: that it is this user's is enough. The volumes and local
   * directories of executors often lie where everybody may write, and not sticky.
   */
  PRIVATE;

  /** Refuses a directory that is not safe enough, but for its permissions: they are set next. */
  void check(Path directory) throws IOException {
    if (this == ANNOUNCED) {
      TrustedPath.requireOwned(directory);
    } else {
      TrustedPath.requireOwner(directory);
    }
  }
}
