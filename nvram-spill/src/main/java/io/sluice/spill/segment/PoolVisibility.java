package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Path;

/** Which processes open the files of a directory, and so how safe the directory must be. */
public enum PoolVisibility {
  /**
   * Other processes are told of the directory and trust its files: no other user may be able to
   * replace it.
   */
  ANNOUNCED,

  /**
   * Only the process that made it opens them: this user must own it. The volumes and local
   * directories of executors often lie where everybody may write, in directories that are not
   * sticky.
   */
  PRIVATE;

  /**
   * Refuses a directory that is not safe enough. Its permissions do not count: they are set next.
   */
  void check(Path directory) throws IOException {
    if (this == ANNOUNCED) {
      TrustedPath.requireOwned(directory);
    } else {
      TrustedPath.requireOwner(directory);
    }
  }
}
