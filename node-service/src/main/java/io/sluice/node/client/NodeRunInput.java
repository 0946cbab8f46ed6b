package io.sluice.node.client;

import io.sluice.rdma.transport.RegistrationException;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.LongConsumer;

/**
 * Verifies a run while it is read, and says of every failure whose output it was, so that the
 * engine can run the producer again.
 *
 * <p>Thread contract: one thread. Ownership: owns the input it wraps. Failure: {@link
 * FetchFailedException}; {@link InterruptedIOException} and {@link RegistrationException} are this
 * task's own and passed on as they are.
 */
final class NodeRunInput implements RunInput {
  private final String outputId;
  private final LongConsumer counter;
  private final RunInput verified;

  /** {@code counter} is told how many bytes each read delivered. */
  NodeRunInput(String outputId, String name, RunInput input, Run run, LongConsumer counter) {
    this.outputId = outputId;
    this.counter = counter;
    this.verified = new VerifiedRunInput(name, input, run.lengthBytes(), run.checksums());
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    try {
      int n = verified.read(dst, offset, lengthBytes);
      if (n > 0) {
        counter.accept(n);
      }
      return n;
    } catch (FetchFailedException
        | InterruptedIOException
        | NodeBusyException
        | RegistrationException e) {
      throw e; // the first says it already, the others are no fault of the output
    } catch (IOException e) {
      throw new FetchFailedException(outputId, e.getMessage(), e);
    }
  }

  @Override
  public long remainingBytes() {
    return verified.remainingBytes();
  }

  @Override
  public void close() throws IOException {
    verified.close();
  }
}
