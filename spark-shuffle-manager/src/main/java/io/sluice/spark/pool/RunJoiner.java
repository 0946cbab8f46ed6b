package io.sluice.spark.pool;

import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.List;

/**
 * Writes an output that is not committed yet once more, with one run for each partition. Nothing is
 * decoded: readers get the runs of a partition one behind the other anyway.
 *
 * <p>Thread contract: one thread. Ownership: of neither writer. Failure: {@link IOException} of the
 * pool, also when it has no room for both, or has damaged a run.
 */
final class RunJoiner {
  private static final int COPY_BYTES = 64 << 10;
  private static final int WINDOW_BYTES = 1 << 20;

  private final String name;
  private final OutputWriter from;
  private final OutputWriter to;
  private final byte[] window = new byte[COPY_BYTES];

  /** Of an output of that name, for messages; {@code to} is empty. */
  RunJoiner(String name, OutputWriter from, OutputWriter to) {
    this.name = name;
    this.from = from;
    this.to = to;
  }

  void join() throws IOException {
    List<WrittenRun> runs = from.runsByPartition();
    to.reserveCapacity(runs.stream().mapToLong(WrittenRun::lengthBytes).sum());
    int next = 0;
    while (next < runs.size()) {
      int partition = runs.get(next).partition();
      long lengthBytes = 0;
      long records = 0;
      to.beginRun(partition);
      while (next < runs.size() && runs.get(next).partition() == partition) {
        WrittenRun run = runs.get(next++);
        copy(run);
        lengthBytes += run.lengthBytes();
        records += run.records();
      }
      to.endRun(lengthBytes, records);
    }
  }

  private void copy(WrittenRun run) throws IOException {
    try (RunInput bytes =
        new VerifiedRunInput(
            name + " before it is committed",
            from.input(run, WINDOW_BYTES),
            run.lengthBytes(),
            run.checksums())) {
      int n;
      while ((n = bytes.read(window, 0, window.length)) >= 0) {
        to.write(window, 0, n);
      }
    }
  }
}
