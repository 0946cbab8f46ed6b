package io.sluice.spill.cipher;

import java.io.IOException;

/**
 * The bytes of a run are not what a task of the job has encrypted, though their checksums may be
 * right: somebody without the key has made or changed them, or it is another run's bytes.
 */
public final class ForgedRunException extends IOException {
  private static final long serialVersionUID = 1L;

  ForgedRunException(String run, String what, Throwable cause) {
    super(
        "run "
            + run
            + " is not what a task of this job encrypted: "
            + what
            + "; it is not used, re-run its map",
        cause);
  }
}
