package io.sluice.node.client;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.RunKey;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.LongConsumer;

/**
 * Verifies a run while it is read, decrypts it if it is encrypted, and says of every failure whose
 * output it was, so that the engine can run the producer again.
 *
 * <p>Thread contract: one thread. Ownership: owns the input it wraps. Failure: {@link
 * FetchFailedException}; {@link InterruptedIOException}, {@link RegistrationException}, {@link
 * ReaderFailedException} and {@link ClosedRunException} are this task's own and passed on as they
 * are.
 */
final class NodeRunInput implements RunInput {
  private final String outputId;
  private final RunInput checked;
  private boolean atEnd;

  /**
   * Reads {@code run} from {@code input}.
   *
   * @param key to decrypt it with, or null if it is not encrypted
   * @param counter is told how many bytes of the run, as it is stored, each read delivered
   */
  NodeRunInput(
      String outputId, String name, RunInput input, Run run, RunKey key, LongConsumer counter) {
    this.outputId = outputId;
    RunInput verified =
        new Counted(new VerifiedRunInput(name, input, run.lengthBytes(), run.checksums()), counter);
    this.checked =
        key == null
            ? verified
            : new DecryptedRunInput(
                name, verified, run.lengthBytes(), key, run.partition(), run.ordinal());
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    try {
      int n = checked.read(dst, offset, lengthBytes);
      atEnd |= n < 0;
      return n;
    } catch (FetchFailedException
        | InterruptedIOException
        | NodeBusyException
        | ReaderFailedException
        | ClosedRunException
        | RegistrationException e) {
      throw e; // the first says it already, the others are no fault of the output
    } catch (IOException e) {
      throw new FetchFailedException(outputId, ErrorText.of(e), e);
    }
  }

  /** Whether all of it was read, and found right. */
  boolean isAtEnd() {
    return atEnd;
  }

  @Override
  public long remainingBytes() {
    return checked.remainingBytes();
  }

  @Override
  public void close() throws IOException {
    checked.close();
  }

  /** Bytes that were verified. */
  private record Counted(RunInput verified, LongConsumer counter) implements RunInput {
    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      int n = verified.read(dst, offset, lengthBytes);
      if (n > 0) {
        counter.accept(n);
      }
      return n;
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
}
