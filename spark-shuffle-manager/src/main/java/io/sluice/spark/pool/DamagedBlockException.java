package io.sluice.spark.pool;

import io.sluice.rdma.text.ErrorText;
import java.io.IOException;

/** The bytes of a block differ from those that were written; its map task must run again. */
public final class DamagedBlockException extends IOException {
  private static final long serialVersionUID = 1L;

  /** {@code cause} names the damaged bytes. */
  public DamagedBlockException(IOException cause) {
    super(ErrorText.of(cause), cause);
  }
}
