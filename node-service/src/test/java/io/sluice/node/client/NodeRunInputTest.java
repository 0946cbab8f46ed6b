package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.client.NodeRun.NodeRunInput;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Whose fault it is that a run cannot be read. */
final class NodeRunInputTest {
  private static final OutputId OUTPUT = new OutputId("application_1_0001", "attempt_0");
  private static final Run RUN = new Run(0, 0, 1, 1, 0, 1, BlockChecksums.of(7));

  /** Has a byte that is not the run's. */
  private static final class Damaged implements RunInput {
    @Override
    public int read(byte[] dst, int offset, int lengthBytes) {
      return 1;
    }

    @Override
    public long remainingBytes() {
      return 1;
    }

    @Override
    public void close() {}
  }

  private static RunInput damaged(ShuffleKey key) {
    return new NodeRunInput(
        OUTPUT.outputId(), "run", new Damaged(), RUN, key.reading(OUTPUT), read -> {});
  }

  /** As when a task is killed, and as when the culprit of a failure is looked for. */
  @Test
  void whatWasClosedIsNoFaultOfItsOutput() throws IOException {
    try (ShuffleKey key = new ShuffleKey(new byte[16], OUTPUT.applicationId(), 128)) {
      RunInput input = damaged(key);
      input.close();
      assertThrows(ClosedRunException.class, () -> input.read(new byte[9], 0, 9));

      RunInput open = damaged(key);
      assertThrows(FetchFailedException.class, () -> open.read(new byte[9], 0, 9));
    }
  }
}
