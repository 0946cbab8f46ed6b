package io.sluice.node.client;

import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.IOException;

/**
 * Verifies a run while it is read, and says of every failure whose output it was, so that the
 * engine can run the producer again.
 *
 * <p>Thread contract: one thread. Ownership: owns the input it wraps. Failure: {@link
 * FetchFailedException}.
 */
final class NodeRunInput implements RunInput {
  private final String outputId;
  private final RunInput verified;

  NodeRunInput(String outputId, String name, RunInput input, Run run) {
    this.outputId = outputId;
    this.verified = new VerifiedRunInput(name, input, run.lengthBytes(), run.crc32c());
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    try {
      return verified.read(dst, offset, lengthBytes);
    } catch (FetchFailedException e) {
      throw e;
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
