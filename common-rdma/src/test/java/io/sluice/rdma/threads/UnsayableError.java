package io.sluice.rdma.threads;

import java.io.PrintStream;
import java.io.PrintWriter;

/** Whoever wants to say it runs out of memory. */
public final class UnsayableError extends Error {
  private static final long serialVersionUID = 1;

  @Override
  public String toString() {
    throw new OutOfMemoryError("expected by this test");
  }

  @Override
  public String getMessage() {
    throw new OutOfMemoryError("expected by this test");
  }

  @Override
  public void printStackTrace(PrintStream to) {
    throw new OutOfMemoryError("expected by this test");
  }

  @Override
  public void printStackTrace(PrintWriter to) {
    throw new OutOfMemoryError("expected by this test");
  }
}
